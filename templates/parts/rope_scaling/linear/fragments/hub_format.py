"""All angles are slowed down."""

from .model.rope_scaling import FACTOR


def settings(config):
    return {
        # {% macro settings() %}
        "rope_scaling": {
            "rope_type": "linear",
            "factor": FACTOR,
        },
        # {% endmacro %}
    }
