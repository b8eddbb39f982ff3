"""A run may begin with imported weights."""


def resume(state, checkpoints, data):
    saved = checkpoints.load_latest(state.device)
    # {% macro imported() %}
    if saved is not None and "progress" not in saved:
        # Imported weights have no past: the rest is as at the start of a run.
        state.progress.data = data
        saved = {**state.state_dict(), **saved}
    # {% endmacro %}
    return saved
