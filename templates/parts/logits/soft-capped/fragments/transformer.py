"""Bounded logits."""

import torch


class Model:
    def forward(self, logits):
        # {% macro logits() %}
        cap = self.config.logit_softcap  # as in Gemma 2 (arXiv:2408.00118, section 2)
        return cap * torch.tanh(logits / cap)
        # {% endmacro %}
