"""Traced in full, but without the wait for a compiler."""

import torch


def config():
    return [
        # {% macro test_values() %}
        "train.compile_backend=aot_eager",
        # {% endmacro %}
    ]


def new_state(state):
    # {% macro test_state() %}
    # Layers that are computed again have graphs of their own: those of all tests are too many.
    torch.compiler.reset()
    # {% endmacro %}
    return state
