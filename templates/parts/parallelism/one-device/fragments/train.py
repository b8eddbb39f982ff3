"""Nothing to set up but the device."""

from pathlib import Path

from .device import select_device
from .model import ModelConfig, build_model
from .plot import plot_losses


def train(values, complete):
    # {% macro set_up() %}
    device = select_device(values.device)
    # {% endmacro %}
    # {% macro build() %}
    model = build_model(ModelConfig(), device, values.seed)
    # {% print each.prepare() %}
    # {% endmacro %}
    # {% macro finish() %}
    if complete:
        plot_losses(Path(values.run_dir))
    # {% endmacro %}
    return device, model
