"""Every layer has attention."""


def test_caches(cache):
    # {% macro layer() %}
    layer = cache.layers[0]
    # {% endmacro %}
    # {% macro first() %}
    first = cache.layers[0]
    # {% endmacro %}
    return layer, first
