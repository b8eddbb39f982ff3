"""Which matrices write into the residual stream."""

import math
from dataclasses import replace


def test_every_weight_is_drawn_as_the_table_says(model):
    # {% macro residual_std() %}
    residual_std = 0.02 / math.sqrt(model.config.n_layers)
    # {% endmacro %}
    for name, weight in model.named_parameters():
        # {% macro std() %}
        std = residual_std if name.endswith("out_proj.weight") else 0.02
        # {% endmacro %}
        assert weight.std() == std


def test_the_order_of_tokens_matters(model_config):
    # {% macro layers() %}
    config = replace(model_config, n_layers=1)  # one recurrence is enough
    # {% endmacro %}
    return config
