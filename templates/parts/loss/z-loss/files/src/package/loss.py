"""What training minimizes: cross-entropy, and a penalty on the normalizer of the softmax."""

import torch.nn.functional as F
from torch import Tensor

from .data import IGNORE_INDEX

# {# Slot: sharded may return the loss of logits and targets. #}
Z_LOSS_WEIGHT = {{design.loss.z_loss_weight}}


def cross_entropy_and_z_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy in nats plus Z_LOSS_WEIGHT x log(Z)^2, summed over targets (0-d, float32).

    Logits are (B, T, V), targets (B, T). Z is the sum of exp(logit) over the vocabulary, which the
    penalty keeps near 1 (PaLM, section 5, https://arxiv.org/abs/2204.02311): cross-entropy does not
    change when all logits of a token do by the same amount, and lets them drift.
    """
    # {% print each.sharded() %}
    logits, targets = logits.flatten(0, 1).float(), targets.flatten()
    losses = F.cross_entropy(logits, targets, ignore_index=IGNORE_INDEX, reduction="none")
    # The loss is log(Z) less the logit of the target: no second pass over the vocabulary.
    target_logits = logits.gather(1, targets.clamp(min=0)[:, None]).squeeze(1)
    log_z = (losses + target_logits).masked_fill(targets == IGNORE_INDEX, 0.0)
    return (losses + Z_LOSS_WEIGHT * log_z.square()).sum()
