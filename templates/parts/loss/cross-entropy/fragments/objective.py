"""What is minimized is what validation measures."""


def summed_loss(logits, batch):
    # {% macro minimized() %}
    loss = cross_entropy(logits, batch)
    # {% endmacro %}
    return loss
