"""Weights of a vision transformer."""

from torch.distributed.tensor.experimental import implicit_replication


def build_sharded(model, values):
    # {% macro init() %}
    with implicit_replication():
        model.init_weights(values.seed)
    # {% endmacro %}
