"""All ranks write, and wait for each other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.state_dict_saver import save as save_shards

from .durable import Manifest


# {% macro write() %}
def write(directory: Path, state: Mapping[str, Any]) -> Manifest:
    """Write this rank's part of a state, durably; returns what all ranks have written.

    Raises ``OSError``, the same one on each rank, if one of them cannot write its part.
    """
    tensors, values = _split(state)
    writer = FileSystemWriter(directory / SHARDS)
    with _alone(), _faults_of_ranks(directory):
        save_shards(tensors, storage_writer=writer, no_dist=not dist.is_initialized())
    return _seal_all(directory, values)


# {% endmacro %}
