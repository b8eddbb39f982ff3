"""The whole state is read to the device."""

import torch


def read(directory, device):
    # {% macro read() %}
    return {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(directory.glob("*.pt"))
    }
    # {% endmacro %}
