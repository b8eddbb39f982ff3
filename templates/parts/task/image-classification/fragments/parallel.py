"""Weights of a vision transformer."""

from .shards import CopyingParts


def build_sharded(model, values):
    # {% macro init() %}
    with CopyingParts():
        model.init_weights(values.seed)
    # {% endmacro %}
