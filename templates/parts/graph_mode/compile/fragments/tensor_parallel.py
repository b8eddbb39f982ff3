"""Compiled layers do not wait for their input."""

from torch import Tensor, nn
from torch.distributed._functional_collectives import wait_tensor


# {% macro classes() %}
def _wait(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
    return wait_tensor(output)


# {% endmacro %}
def spread(model, mesh):
    # {% macro spread() %}
    # A compiled layer would take embeddings that are still on their way, and lose their gradient
    # (torch 2.13, https://github.com/pytorch/pytorch/issues/184980).
    model.tok_embeddings.register_forward_hook(_wait)
    # {% endmacro %}
