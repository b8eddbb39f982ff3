"""One size for all."""

import torch


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        std = model.config.init_std
        # {% endmacro %}
        assert weight.std() == std, name
