"""Weights of a language model."""


def build_sharded(model, config, values):
    # {% macro init() %}
    # {% print pipeline.init() %}
    # {% endmacro %}
