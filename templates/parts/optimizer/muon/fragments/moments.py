"""Each of the two optimizers holds the state of its own parameters."""

from typing import cast

from .optim import MuonAdamW


def named_moments(optimizer):
    # {% macro states() %}
    both = cast(MuonAdamW, optimizer)
    optimizers = [both.muon, both.adamw]
    # {% endmacro %}
    return optimizers
