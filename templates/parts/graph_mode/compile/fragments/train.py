"""Each layer is compiled in place, which leaves the names in its state_dict alone."""


def train(model, values):
    # {% macro compile() %}
    for layer in model.layers:
        layer.compile(fullgraph=True, backend=values.compile_backend)
    # {% endmacro %}
