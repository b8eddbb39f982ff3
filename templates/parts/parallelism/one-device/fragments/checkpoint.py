"""This process writes."""

import torch

# {% macro save_on_one_rank() %}
# {% endmacro %}


def _load(path, device):
    # {% macro read() %}
    return {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(path.glob("*.pt"))
    }
    # {% endmacro %}
