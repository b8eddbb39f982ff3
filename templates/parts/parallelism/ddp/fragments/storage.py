"""Every rank reads the whole state."""

import torch


def read(files, state, device):
    for name, file in files.items():
        # {% macro read() %}
        state[name] = torch.load(file, map_location=device, weights_only=True)
        # {% endmacro %}
