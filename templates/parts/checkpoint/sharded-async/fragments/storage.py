"""All ranks write in the background, and wait for each other there."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.state_dict_saver import AsyncSaveResponse, async_save

from .durable import Manifest


# {% macro write() %}
def start_writing(
    directory: Path, state: Mapping[str, Any], group: dist.ProcessGroup | None
) -> Callable[[], Manifest]:
    """Copy this rank's part of a state, and begin to write the copy.

    Returns what waits until all ranks have written theirs, durably, and returns what they wrote. It
    is to be called in another thread, since the ranks talk through ``group`` meanwhile; it raises
    ``OSError``, the same one on each rank, if one of them cannot write its part.
    """
    tensors, values = _split(state)
    writer = FileSystemWriter(directory / SHARDS)
    alone = not dist.is_initialized()
    writing = async_save(tensors, storage_writer=writer, process_group=group, no_dist=alone)
    written = writing.upload_completion if isinstance(writing, AsyncSaveResponse) else writing

    def finish() -> Manifest:
        with _faults_of_ranks(directory):
            written.result()
        return _seal_all(directory, values, group)

    return finish


# {% endmacro %}
