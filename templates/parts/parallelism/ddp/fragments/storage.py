"""Every rank reads the whole state."""

import torch


def read(directory, device):
    # {% macro read() %}
    return {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(directory.glob("*.pt"))
    }
    # {% endmacro %}
