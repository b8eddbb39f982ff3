"""What is kept where."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    reshard_after_forward: bool  # free a layer's weights until its backward pass
    cpu_offload: bool  # keep shards, gradients and moments in the memory of the host
    # {% endmacro %}
