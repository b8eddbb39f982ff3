"""One process."""


def _import():
    # {% macro alone() %}
    # {% endmacro %}
    return None
