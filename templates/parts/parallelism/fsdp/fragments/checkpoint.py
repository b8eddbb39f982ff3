"""Every rank gives its shards; one writes."""

import torch

from .ranks import rank
from .shards import gather


class Checkpoints:
    def save(self, state):
        # {% macro save_on_one_rank() %}
        state = gather(state)
        if rank() != 0:
            return
        # {% endmacro %}


def _load(path, device):
    # {% macro read() %}
    # Mapped into memory: each rank reads the parts that it keeps.
    return {
        file.stem: torch.load(file, map_location=device, mmap=True, weights_only=True)
        for file in sorted(path.glob("*.pt"))
    }
    # {% endmacro %}
