"""Which matrices write into the residual stream."""

import math
from dataclasses import replace

import torch


def test_every_weight_is_drawn_as_the_table_says(model):
    for name, weight in model.named_parameters():
        # {% macro std() %}
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        is_residual = name.endswith("out_proj.weight")
        std = 0.02 / math.sqrt(model.config.n_layers) if is_residual else 0.02
        # {% endmacro %}
        assert weight.std() == std


def test_the_order_of_tokens_matters(model_config):
    # {% macro layers() %}
    config = replace(model_config, n_layers=1)  # one recurrence is enough
    # {% endmacro %}
    return config
