"""Steps that are far out of line with those before them, as before a loss that jumps and stays.

PaLM, section 5.1, https://arxiv.org/abs/2204.02311, on what they do to long runs.
"""

import math
from statistics import fmean, pstdev

WINDOW = {{design.spikes.spike_window}}  # steps that a step is compared with
SIGMAS = {{design.spikes.spike_sigmas}}  # standard deviations above their mean


def is_spike(recent: list[list[float]], loss: float, grad_norm: float) -> bool:
    """Whether the loss or the gradient norm of a step is ``SIGMAS`` above the last ``WINDOW``.

    ``recent`` holds both numbers of these steps; a step that is none joins it. Before it is full,
    no step is a spike. Ranks agree, since loss and norm are those of all of them.
    """
    found = (loss, grad_norm)
    if not all(map(math.isfinite, found)):
        return False
    if len(recent) == WINDOW:
        for value, before in zip(found, zip(*recent, strict=True), strict=True):
            if value > fmean(before) + SIGMAS * pstdev(before):
                return True
    recent.append([loss, grad_norm])
    del recent[:-WINDOW]
    return False
