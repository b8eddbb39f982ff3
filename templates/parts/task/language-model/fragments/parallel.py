"""Weights of a language model."""

from .model.initialization import init_weights
from .shards import CopyingParts


def build_sharded(model, config, values):
    # {% macro init() %}
    with CopyingParts():
        init_weights(model, config, values.seed)
    # {% endmacro %}
