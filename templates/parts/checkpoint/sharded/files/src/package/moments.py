"""The state of the optimizer under the names of the parameters, which hold in any plan.

Its own ``state_dict`` numbers the parameters. Numbers change with the order of the groups, and they
differ between ranks that hold different layers.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn


# {# Slot: states reads optimizer, binds optimizers. #}
def named_moments(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """All that the optimizer remembers, such as ``layers.0.attention.wo.weight.exp_avg``.

    Nothing before its first step: it is not made to take one, which would count.
    """
    # {% print optimizer.states() %}
    names = _names(model)
    return {
        f"{names[parameter]}.{kind}": value
        for one in optimizers
        for parameter, values in one.state.items()
        for kind, value in values.items()
        if isinstance(value, Tensor)
    }


def load_moments(
    model: nn.Module, optimizer: torch.optim.Optimizer, moments: Mapping[str, Tensor]
) -> None:
    """Continue with what ``named_moments`` gave; rates, decays and the like stay as they are."""
    # {% print optimizer.states() %}
    of_parameter: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, value in moments.items():
        parameter, _, kind = name.rpartition(".")
        of_parameter[parameter][kind] = value
    names = _names(model)
    for one in optimizers:
        one.state.clear()
        for group in one.param_groups:
            for parameter in group["params"]:
                if names[parameter] in of_parameter:
                    one.state[parameter] = of_parameter[names[parameter]]


def _names(model: nn.Module) -> dict[Tensor, str]:
    """The name of each parameter, as the optimizer has it.

    Asked for its state, a model that is sharded has its shards in place again, and not what it
    gathered for its last forward pass.
    """
    return {parameter: name for name, parameter in model.state_dict(keep_vars=True).items()}
