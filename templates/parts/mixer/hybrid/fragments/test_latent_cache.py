"""The first layer has attention."""

from package.model.cache import LayerCache


def test_caches(cache):
    # {% macro layer() %}
    layer = cache.layers[0]
    assert isinstance(layer, LayerCache)
    # {% endmacro %}
    # {% macro first() %}
    first = cache.layers[0]
    assert isinstance(first, LayerCache)
    # {% endmacro %}
    return layer, first
