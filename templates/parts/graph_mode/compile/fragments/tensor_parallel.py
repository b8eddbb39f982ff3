"""Compiled layers do not wait for their input."""

from torch import Tensor, nn
from torch.distributed._functional_collectives import AsyncCollectiveTensor, wait_tensor


# {% macro classes() %}
def wait(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
    """The embeddings once they have arrived, if they have not."""
    return wait_tensor(output) if isinstance(output, AsyncCollectiveTensor) else output


# {% endmacro %}
def spread(model, mesh):
    # {% macro spread() %}
    # A compiled layer would take embeddings that are still on their way, and lose their gradient
    # (torch 2.13, https://github.com/pytorch/pytorch/issues/184980).
    model.tok_embeddings.register_forward_hook(wait)
    # {% endmacro %}
