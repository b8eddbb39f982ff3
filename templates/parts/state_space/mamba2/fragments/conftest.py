"""All widths differ, so that none can stand for another."""


def model_config():
    return dict(
        # {% macro tiny() %}
        d_state=12,
        ssm_head_dim=16,
        n_ssm_groups=2,
        conv_width=3,
        chunk_len=8,
        # {% endmacro %}
    )
