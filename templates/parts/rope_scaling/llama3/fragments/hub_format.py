"""Long waves are slowed down."""

from .model.rope_scaling import FACTOR, HIGH_FREQ_FACTOR, LOW_FREQ_FACTOR, ORIGINAL_MAX_SEQ_LEN


def settings(config):
    return {
        # {% macro settings() %}
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": FACTOR,
            "low_freq_factor": LOW_FREQ_FACTOR,
            "high_freq_factor": HIGH_FREQ_FACTOR,
            "original_max_position_embeddings": ORIGINAL_MAX_SEQ_LEN,
        },
        # {% endmacro %}
    }
