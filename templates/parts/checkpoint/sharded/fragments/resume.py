"""Each rank reads what it holds."""


def resume(state, checkpoints):
    # {% macro load() %}
    saved = checkpoints.load_latest(state.device, state.model.state_dict())
    # {% endmacro %}
    return saved
