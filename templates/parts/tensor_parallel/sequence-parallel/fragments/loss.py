"""Each device has some of the vocabulary."""


def minimized(logits, targets):
    # {% macro sharded() %}
    # {% print loss.minimized_when_sharded() %}
    # {% endmacro %}
    return logits, targets
