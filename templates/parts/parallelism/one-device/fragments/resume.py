"""What was saved, on this device."""


def resume(state, checkpoints):
    # {% macro load() %}
    # Loaded here, so that no second copy of the weights stays on the device during training.
    saved = checkpoints.load_latest(state.device)
    # {% endmacro %}
    return saved
