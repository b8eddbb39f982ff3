"""The ranks are joined first and left last."""

from pathlib import Path

from .parallel import init_ranks, leave_ranks, rank, require_equal
from .plot import plot_losses


def train(values, progress, complete):
    # {% macro set_up() %}
    device = init_ranks(values)
    # {% endmacro %}
    # {% macro prepare() %}
    require_equal("the step to continue from", progress.step)
    # {% endmacro %}
    # {% macro finish() %}
    # {% print checkpoint.wait() %}
    if complete and rank() == 0:
        plot_losses(Path(values.run_dir))
    leave_ranks()
    # {% endmacro %}
    return device
