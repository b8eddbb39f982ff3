"""Activations are bfloat16."""

import torch


class Stage:
    def new_activations(self):
        # {% macro stream() %}
        dtype = torch.bfloat16
        # {% endmacro %}
        return dtype
