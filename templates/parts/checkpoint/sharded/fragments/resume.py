"""Each rank reads what it holds."""


def resume(state, checkpoints):
    # {% macro load() %}
    saved = checkpoints.load_latest(state.device, dict(state.model.named_parameters()))
    # {% endmacro %}
    return saved
