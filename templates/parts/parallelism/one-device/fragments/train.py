"""Nothing to set up but the device."""

from pathlib import Path

from .device import select_device
from .plot import plot_losses


def train(values, complete):
    # {% macro set_up() %}
    device = select_device(values.device)
    # {% endmacro %}
    # {% macro finish() %}
    if complete:
        plot_losses(Path(values.run_dir))
    # {% endmacro %}
    return device
