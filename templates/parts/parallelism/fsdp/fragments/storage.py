"""Every rank keeps its part of the state."""

import torch


def read(files, state, device):
    for name, file in files.items():
        # {% macro read() %}
        # Mapped into memory: each rank reads the parts that it keeps.
        state[name] = torch.load(file, map_location=device, mmap=True, weights_only=True)
        # {% endmacro %}
