"""An expert is sharded over some of the ranks."""

import torch.distributed as dist

from .ranks import world_size


def whole(value):
    # {% macro of_others() %}
    if value.device_mesh.size() < world_size():  # an expert: the others have nothing of it
        holders = value.device_mesh.mesh.flatten().tolist()
        full = value.to_local()
        if rank() not in holders:
            full = full.new_empty(value.shape)
        dist.broadcast(full, src=holders[0])
        return full
    # {% endmacro %}
