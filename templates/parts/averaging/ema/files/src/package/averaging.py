"""An exponential moving average of the weights (https://arxiv.org/abs/2411.18704).

It is steadier than the weights of any one step, and better until the learning rate has come down.
"""

from collections.abc import Callable

import torch
from torch import nn
from torch.optim.swa_utils import get_ema_multi_avg_fn


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, step: int, decay: float) -> None:
    """Move the float32 weights of ``average`` towards those of ``model``, after step ``step``.

    They become d x average + (1 - d) x model, where d is the lesser of ``decay`` and
    (1 + step) / (10 + step). So the average is over the last tenth of a young run, and the initial
    weights are soon forgotten (tensorflow.org/api_docs/python/tf/train/ExponentialMovingAverage).
    Buffers are copied. Call it once an optimizer step.
    """
    make_update: Callable[[float], Callable[..., None]] = get_ema_multi_avg_fn  # it has no types
    update = make_update(min(decay, (1 + step) / (10 + step)))
    update(tuple(average.parameters()), tuple(model.parameters()), step)
    for ours, theirs in zip(average.buffers(), model.buffers(), strict=True):
        ours.copy_(theirs)
