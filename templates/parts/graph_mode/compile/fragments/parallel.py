"""Each layer is compiled in place, which leaves the names in its state_dict alone."""

import torch.compiler.config


def parallelize(model, values):
    # {% macro prepare() %}
    # Layers share graphs where they are alike, which not all are: torch's limit of 8 is for each.
    # One graph is to train, one to evaluate, one for the last batch, whose shape differs.
    torch.compiler.config.recompile_limit = 8 * len(model.layers)
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend=values.compile_backend)
    # {% endmacro %}
