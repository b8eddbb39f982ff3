"""This process writes."""

import torch

# {% macro save_on_one_rank() %}
# {% endmacro %}


def _load(files, state, device):
    for file in files:
        # {% macro read() %}
        state[file.stem] = torch.load(file, map_location=device, weights_only=True)
        # {% endmacro %}
