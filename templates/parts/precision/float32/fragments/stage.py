"""Activations are float32."""

import torch


class Stage:
    def new_activations(self):
        # {% macro stream() %}
        dtype = torch.float32
        # {% endmacro %}
        return dtype
