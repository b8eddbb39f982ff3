"""Every layer has attention."""


def test_memory(cache, lengths):
    sizes = []
    for _ in lengths:
        # {% macro size() %}
        sizes.append(cache.layers[0].keys.untyped_storage().nbytes())
        # {% endmacro %}
    # {% macro keys() %}
    keys = cache.layers[0].keys
    # {% endmacro %}
    return sizes, keys
