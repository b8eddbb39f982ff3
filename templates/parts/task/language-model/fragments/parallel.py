"""Weights of a language model."""

from .model.initialization import init_weights


def build_sharded(model, config, values):
    with implicit_replication():
        # {% macro init() %}
        init_weights(model, config, values.seed)
        # {% endmacro %}
