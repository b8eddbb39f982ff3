"""One norm of gradients that are spread over unlike ranks."""

from .clipping import clip_gradients
from .expert_parallel import complete_gradients
from .ranks import sum_over_ranks, world_size


def train_step(model, max_grad_norm, loss):
    # {% macro clip() %}
    complete_gradients(model)
    norm = clip_gradients(model.parameters(), max_grad_norm)
    loss = sum_over_ranks(loss) / world_size()
    # {% endmacro %}
    return norm, loss
