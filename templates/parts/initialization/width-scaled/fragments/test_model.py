"""As large as the width allows."""

import math

import torch


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        std = 1 / math.sqrt(weight.size(1))
        if name.endswith(("wo.weight", "w2.weight")):
            std /= math.sqrt(2 * (1 + int(name.split(".")[1])))
        assert weight.abs().max() <= 3 * std, name
        std *= 0.98658  # which is what a cut at 3 leaves of it
        # {% endmacro %}
        assert weight.std() == std, name
