"""Every rank reads what was saved, and all must have read the same."""

from .ranks import require_equal


def resume(state, checkpoints):
    # {% macro load() %}
    # Loaded here, so that no second copy of the weights stays on the device during training.
    saved = checkpoints.load_latest(state.device)
    # {% endmacro %}
    # {% macro resumed() %}
    require_equal("the step to continue from", state.progress.step)
    # {% endmacro %}
    return saved
