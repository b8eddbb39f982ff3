"""Everything is read to the device, before training needs the memory."""


def resume(state, checkpoints):
    # {% macro load() %}
    saved = checkpoints.load_latest(state.device)
    # {% endmacro %}
    return saved
