"""The ranks are joined first and left last; the model is made of shards."""

from pathlib import Path

from .model import ModelConfig
from .parallel import build_sharded
from .plot import plot_losses
from .ranks import init_ranks, leave_ranks, rank


def train(values, complete):
    # {% macro set_up() %}
    device = init_ranks(values)
    # {% endmacro %}
    # {% macro build() %}
    model = build_sharded(ModelConfig(), device, values)
    # {% endmacro %}
    # {% macro finish() %}
    if complete and rank() == 0:
        plot_losses(Path(values.run_dir))
    leave_ranks()
    # {% endmacro %}
    return device, model
