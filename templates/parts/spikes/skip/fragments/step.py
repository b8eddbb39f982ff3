"""A step that is far out of line is left out like one that is not finite."""

from .spikes import is_spike


def train_step(state, finite, mean_loss, grad_norm):
    # {% macro spike() %}
    # What is far out of line is left out as what is not finite is.
    finite = finite and not is_spike(state.progress.recent, mean_loss, grad_norm)
    # {% endmacro %}
    return finite
