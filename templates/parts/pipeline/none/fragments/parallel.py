"""Every rank has all layers."""

import torch

from .model import Model
from .model.initialization import init_weights
from .shards import CopyingParts


def build_sharded(config, values):
    # {% macro model() %}
    with torch.device("meta"):
        model = Model(config)
    # {% endmacro %}
    # {% macro init() %}
    with CopyingParts():
        init_weights(model, config, values.seed)
    # {% endmacro %}
    return model
