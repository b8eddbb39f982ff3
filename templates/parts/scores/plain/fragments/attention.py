"""Scores as they are."""

import torch.nn.functional as F


class Attention:
    def forward(self, q, k, v, mask):
        # {% macro attend() %}
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # {% endmacro %}
        # {% macro attend_shared() %}
        if mask is not None:
            # Of CUDA's fast kernels, those that take a mask need as many of these as query heads.
            k, v = (heads.repeat_interleave(q.size(1) // k.size(1), dim=1) for heads in (k, v))
        heads = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=mask is None, enable_gqa=True
        )
        # {% endmacro %}
        # {% macro attend_shared_masked() %}
        # Of CUDA's fast kernels, those that take a mask need a key and value head per query head.
        k, v = (heads.repeat_interleave(q.size(1) // k.size(1), dim=1) for heads in (k, v))
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # {% endmacro %}
        return heads
