"""A rank has some of the layers."""

from .model.initialization import init_weights
from .shards import CopyingParts
from .stage import completed, new_stage


def build_sharded(config, values):
    # {% macro model() %}
    model = new_stage(config)
    # {% endmacro %}
    # {% macro init() %}
    with CopyingParts():
        init_weights(completed(model), config, values.seed)  # also draws those of other stages
    # {% endmacro %}
    return model


def shard(mesh):
    # {% macro exceptions() %}
    # {% print parallelism.dimensions() %}
    # {% endmacro %}
    return mesh
