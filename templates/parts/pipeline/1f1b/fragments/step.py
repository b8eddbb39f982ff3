"""The micro-batches of a step go through the stages."""

from .mesh import n_data_ranks
from .pipeline import clip_over_stages, one_forward_one_backward
from .ranks import sum_over_ranks


def train_step(model, batches, targets, max_grad_norm):
    # {% macro gradients() %}
    loss = one_forward_one_backward(model, batches, targets)
    # {% endmacro %}
    # {% macro clipped() %}
    norm = clip_over_stages(model.parameters(), max_grad_norm).to(loss.device)
    loss = sum_over_ranks(loss) / n_data_ranks()  # which the last stage has
    # {% endmacro %}
    return loss, norm
