"""The ranks are joined first and left last."""

from pathlib import Path

from .model import ModelConfig, build_model
from .plot import plot_losses
from .ranks import init_ranks, leave_ranks, rank


def train(values, complete):
    # {% macro set_up() %}
    device = init_ranks(values)
    # {% endmacro %}
    # {% macro build() %}
    model = build_model(ModelConfig(), device, values.seed)
    # {% print each.prepare() %}
    # {% endmacro %}
    # {% macro finish() %}
    if complete and rank() == 0:
        plot_losses(Path(values.run_dir))
    leave_ranks()
    # {% endmacro %}
    return device, model
