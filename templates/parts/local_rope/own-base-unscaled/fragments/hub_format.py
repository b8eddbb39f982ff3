"""Another base in a window."""


def settings(config):
    return {
        # {% macro settings() %}
        "rope_local_base_freq": config.local_rope_theta,
        # {% endmacro %}
    }
