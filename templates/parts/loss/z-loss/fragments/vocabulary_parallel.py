"""The penalty joins in training only."""

from torch import Tensor
from torch.distributed.tensor import DTensor


class SoftmaxTerms:
    # {% macro field() %}
    # {% endmacro %}
    pass


def softmax_terms(own, sums):
    # {% macro sums() %}
    # {% endmacro %}
    return own, sums


# {% macro minimized() %}
def sharded_z_loss(logits: DTensor, targets: Tensor, weight: float) -> Tensor:
    """Cross-entropy in nats plus ``weight`` x log(Z)^2, summed over the targets (0-d, float32)."""
    log_z, target_logits = softmax_terms(logits, targets)
    losses = log_z - target_logits + weight * log_z.square()
    return losses.masked_fill(targets.flatten() < 0, 0.0).sum()


# {% endmacro %}
