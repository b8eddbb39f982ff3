"""What is kept where, and by how many."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    timeout_minutes: float  # that a rank waits for the others before it gives up
    shard_ranks: int  # that hold a copy of the model between them; 0: those of a machine
    reshard_after_forward: bool  # free a layer's weights until its backward pass
    cpu_offload: bool  # keep shards, gradients and moments in the memory of the host
    # {% endmacro %}

    def problems(self):
        # {% macro train_problems() %}
        if not self.timeout_minutes > 0:
            yield f"train.timeout_minutes = {self.timeout_minutes}: must be above 0"
        if self.shard_ranks < 0:
            yield f"train.shard_ranks = {self.shard_ranks}: must be at least 0"
        # {% endmacro %}
