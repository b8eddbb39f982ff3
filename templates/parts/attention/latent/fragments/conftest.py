"""All widths differ, so that none can stand for another."""


def model_config():
    return dict(
        # {% macro tiny() %}
        kv_lora_rank=16,
        qk_nope_head_dim=8,
        qk_rope_head_dim=4,
        v_head_dim=6,
        # {% endmacro %}
    )
