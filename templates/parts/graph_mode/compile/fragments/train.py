"""Each layer is compiled in place, which leaves the names in its state_dict alone."""


def train(model, values):
    # {% macro prepare() %}
    for layer in model.layers:
        # One shape a graph: only the last batch of an evaluation differs from the others.
        layer.compile(fullgraph=True, dynamic=False, backend=values.compile_backend)
    # {% endmacro %}
