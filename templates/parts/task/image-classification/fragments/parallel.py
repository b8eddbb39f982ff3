"""Weights of a vision transformer."""


def build_sharded(model, values):
    with implicit_replication():
        # {% macro init() %}
        model.init_weights(values.seed)
        # {% endmacro %}
