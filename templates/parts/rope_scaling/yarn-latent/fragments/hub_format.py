"""Slow pairs are slowed down, and scores sharpened."""

from .model.rope_scaling import (
    BETA_FAST,
    BETA_SLOW,
    FACTOR,
    MSCALE_ALL_DIM,
    ORIGINAL_MAX_SEQ_LEN,
)


def settings(config):
    return {
        # {% macro settings() %}
        "rope_scaling": {
            "rope_type": "yarn",
            "factor": FACTOR,
            "beta_fast": BETA_FAST,
            "beta_slow": BETA_SLOW,
            "original_max_position_embeddings": ORIGINAL_MAX_SEQ_LEN,
            "mscale": MSCALE_ALL_DIM,  # with the same for both, the angles are not lengthened
            "mscale_all_dim": MSCALE_ALL_DIM,
        },
        # {% endmacro %}
    }


def in_full(full):
    # {% macro other_names() %}
    for key in ("rope_scaling", "rope_parameters"):
        if full.get(key):
            full[key] = {"beta_fast": 32.0, "beta_slow": 1.0, **full[key]}
    # {% endmacro %}
    return full
