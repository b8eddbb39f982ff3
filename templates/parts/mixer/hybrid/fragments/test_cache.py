"""The first layer has attention."""

from package.model.cache import LayerCache


def test_memory(cache, lengths):
    sizes = []
    for _ in lengths:
        # {% macro size() %}
        layer = cache.layers[0]
        assert isinstance(layer, LayerCache)
        sizes.append(layer.keys.untyped_storage().nbytes())
        # {% endmacro %}
    # {% macro keys() %}
    first = cache.layers[0]
    assert isinstance(first, LayerCache)
    keys = first.keys
    # {% endmacro %}
    return sizes, keys
