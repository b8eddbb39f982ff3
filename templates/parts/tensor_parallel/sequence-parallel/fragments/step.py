"""One reduction for the norm."""

from .clipping import clip_gradients


def train_step(model, max_grad_norm):
    # {% macro clipping() %}
    norm = clip_gradients(model.parameters(), max_grad_norm)
    # {% endmacro %}
    return norm
