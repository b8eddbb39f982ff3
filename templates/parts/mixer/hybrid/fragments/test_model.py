"""Which matrices write into the residual stream."""

import math


def test_every_weight_is_drawn_as_the_table_says(model):
    # {% macro residual_std() %}
    residual_std = 0.02 / math.sqrt(2 * model.config.n_layers)
    # {% endmacro %}
    for name, weight in model.named_parameters():
        # {% macro std() %}
        std = residual_std if name.endswith(("wo.weight", "w2.weight", "out_proj.weight")) else 0.02
        # {% endmacro %}
        assert weight.std() == std
