"""Queries and keys meet as they are."""


# {% macro function() %}
# {% endmacro %}
def test_attention(attention, model_config, head_dim, q, k):
    # {% macro normalize() %}
    # {% endmacro %}
    return q, k
