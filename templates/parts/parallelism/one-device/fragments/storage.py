"""The whole state is read to the device."""

import torch


def read(files, state, device):
    for file in files:
        # {% macro read() %}
        state[file.stem] = torch.load(file, map_location=device, weights_only=True)
        # {% endmacro %}
