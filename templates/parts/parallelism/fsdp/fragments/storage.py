"""Every rank keeps its part of the state."""

import torch


def read(directory, device):
    # {% macro read() %}
    # Mapped into memory: each rank reads the parts that it keeps.
    return {
        file.stem: torch.load(file, map_location=device, mmap=True, weights_only=True)
        for file in sorted(directory.glob("*.pt"))
    }
    # {% endmacro %}
