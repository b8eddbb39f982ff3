"""Weights of a language model."""

from torch.distributed.tensor.experimental import implicit_replication

from .model.initialization import init_weights


def build_sharded(model, config, values):
    # {% macro init() %}
    with implicit_replication():
        init_weights(model, config, values.seed)
    # {% endmacro %}
