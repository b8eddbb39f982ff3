"""One size for all."""

import torch


class Model:
    def init_weights(self, generator):
        """Draw every weight.

        =====================  ===========================================
        # {% macro table() %}
        embeddings             normal, std ``init_std``
        every other matrix     normal, std ``init_std``
        norms                  1
        =====================  ===========================================
        # {% endmacro %}
        """
        for name, weight in self.named_parameters():
            # {% macro init() %}
            if name.endswith("norm.weight"):
                weight.fill_(1.0)
                continue
            std = self.config.init_std  # one for all, as in OLMo 2 (arXiv:2501.00656)
            drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
            # {% endmacro %}
            weight.copy_(drawn)
