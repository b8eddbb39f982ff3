"""One size for all, and a smaller one where the stream is written."""

import math

import torch


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        is_residual = name.endswith(("wo.weight", "w2.weight"))
        std = 0.02 / math.sqrt(2 * model.config.n_layers) if is_residual else 0.02
        # {% endmacro %}
        assert weight.std() == std, name
