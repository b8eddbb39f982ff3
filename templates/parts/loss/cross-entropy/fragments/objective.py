"""What is minimized is what validation measures."""


def summed_loss(logits, batch):
    # {% macro minimized() %}
    return cross_entropy(logits, batch)
    # {% endmacro %}
