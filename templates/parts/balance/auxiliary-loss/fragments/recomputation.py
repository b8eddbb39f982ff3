"""A router notes what its choice cost the balance, too."""


def _without_trace(routers):
    try:
        yield
    finally:
        for router in routers:
            # {% macro forget() %}
            router.balance_loss = None  # the loss has that of the first time
            # {% endmacro %}
