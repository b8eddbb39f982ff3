"""No shared experts."""


def shape():
    return dict(
        # {% macro sizes() %}
        n_shared_experts=0,
        # {% endmacro %}
    )
