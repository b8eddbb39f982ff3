"""What training minimizes: cross-entropy with smoothed labels."""

import torch.nn.functional as F
from torch import Tensor

# {# Slot: sharded may return the loss of logits and targets. #}
LABEL_SMOOTHING = {{design.loss.label_smoothing}}  # share of the probability


def smoothed_cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy in nats of smoothed labels, summed over the targets (0-d, float32).

    Logits are (..., V), targets (...), and those of -100 do not count. A label is a distribution:
    1 - s + s / V for the target and s / V for every other class, where s is LABEL_SMOOTHING
    (Inception-v3, section 7, https://arxiv.org/abs/1512.00567). Even certain and right predictions
    have a loss then, which makes it higher than the loss in validation.
    """
    # {% print each.sharded() %}
    return F.cross_entropy(
        logits.flatten(0, -2).float(),
        targets.flatten(),
        reduction="sum",
        label_smoothing=LABEL_SMOOTHING,
    )
