"""Set up on the model as it was built, before its layers are compiled."""

from .recomputation import recompute_layers


def train(model):
    # {% macro prepare() %}
    recompute_layers(model.layers)
    # {% endmacro %}
    return model
