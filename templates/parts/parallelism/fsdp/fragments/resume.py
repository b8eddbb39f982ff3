"""Every rank reads its shards of what was saved, and all must have read the same."""

import torch

from .ranks import require_equal


def resume(state, checkpoints):
    # {% macro load() %}
    # On the host: the device gets the parts that it keeps.
    saved = checkpoints.load_latest(torch.device("cpu"))
    # {% endmacro %}
    # {% macro resumed() %}
    require_equal("the step to continue from", state.progress.step)
    # {% endmacro %}
    return saved
