"""One size for all, and a smaller one where the stream is written."""

import math

import torch


class Model:
    def init_weights(self, generator):
        """Draw every weight.

        =====================  ===========================================
        # {% macro table() %}
        embeddings             normal, std 0.02
        wo and w2              normal, std 0.02 / sqrt(2 n_layers)
        every other matrix     normal, std 0.02
        norms                  1
        =====================  ===========================================

        ``wo`` and ``w2`` write into the residual stream: the 2 n_layers of them together add to it
        as much variance as one matrix without that factor (GPT-2, section 2.3).
        # {% endmacro %}
        """
        for name, weight in self.named_parameters():
            # {% macro init() %}
            if weight.ndim == 1:
                weight.fill_(1.0)
                continue
            # As in https://github.com/openai/gpt-2/blob/master/src/model.py.
            is_residual = name.endswith(("wo.weight", "w2.weight"))
            std = 0.02 / math.sqrt(2 * self.config.n_layers) if is_residual else 0.02
            drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
            # {% endmacro %}
            weight.copy_(drawn)
