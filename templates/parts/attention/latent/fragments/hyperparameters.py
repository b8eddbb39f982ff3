"""Widths of the latent vector and of the heads."""


class ModelConfig:
    # {% macro fields() %}
    kv_lora_rank: int = {{design.attention.kv_lora_rank}}  # what keys and values are made from
    qk_nope_head_dim: int = {{design.attention.qk_nope_head_dim}}  # of a query or key
    qk_rope_head_dim: int = {{design.attention.qk_rope_head_dim}}  # and what of it is rotated
    v_head_dim: int = {{design.attention.v_head_dim}}  # of a value
    # {% endmacro %}

    # {% macro methods() %}
    @property
    def head_dim(self) -> int:
        """Features of queries and keys that are rotated by their position."""
        return self.qk_rope_head_dim

    # {% endmacro %}
