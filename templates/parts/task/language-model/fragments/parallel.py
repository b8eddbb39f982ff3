"""Weights of a language model."""


def build_sharded(model):
    # {% macro init() %}
    # {% print pipeline.init() %}
    # {% endmacro %}
    return model
