"""Labels are smoothed in training only."""

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor


class SoftmaxTerms:
    # {% macro field() %}
    sum_of_logits: Tensor  # over the vocabulary
    n_classes: Tensor  # those that have a logit
    # {% endmacro %}


def softmax_terms(own, sums):
    # {% macro sums() %}
    is_used = own > -torch.inf
    sums += [own.where(is_used, 0.0).sum(dim=1), is_used.sum(dim=1).float()]
    # {% endmacro %}
    return own, sums


# {% macro minimized() %}
def sharded_smoothed_loss(logits: DTensor, targets: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy in nats of smoothed labels, summed over the targets (0-d, float32)."""
    terms = softmax_terms(logits, targets)
    expected = (1 - smoothing) * terms.target_logits
    expected = expected + smoothing * terms.sum_of_logits / terms.n_classes
    return (terms.log_z - expected).masked_fill(targets.flatten() < 0, 0.0).sum()


# {% endmacro %}
