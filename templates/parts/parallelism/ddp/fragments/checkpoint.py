"""Every rank has built its state; one writes."""

import torch

from .ranks import rank


class Checkpoints:
    def save(self):
        # {% macro save_on_one_rank() %}
        if rank() != 0:
            return
        # {% endmacro %}


def _load(path, device):
    # {% macro read() %}
    return {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(path.glob("*.pt"))
    }
    # {% endmacro %}
