"""A router notes its load alone."""


def _without_trace(routers):
    try:
        yield
    finally:
        for router in routers:
            # {% macro forget() %}
            # {% endmacro %}
            del router
