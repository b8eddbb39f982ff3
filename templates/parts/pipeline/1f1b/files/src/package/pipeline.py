"""The schedule of a pipeline: one forward, one backward (1F1B, https://arxiv.org/abs/2104.04473).

A stage computes forward passes until the first gradients come back, then a forward and a backward
pass in turn, and in the end the remaining backward passes. So it keeps the activations of at most
one micro-batch more than there are stages after it.
"""

from collections import deque
from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist
from torch import Tensor, nn

from .data import Batch
from .mesh import n_data_ranks
from .parallel import before_backward
from .ranks import gather_objects, rank, sum_over_ranks
from .shards import whole
from .stage import Stage


# {# Slot: compute reads model, batch and targets, binds output. #}
def one_forward_one_backward(model: nn.Module, batches: Sequence[Batch], targets: Tensor) -> Tensor:
    """Gradients of all micro-batches, and the sum of their losses, divided by ``targets`` (0-d).

    The last stage has the loss, the others 0. All stages must be given the same micro-batches.
    """
    assert isinstance(model, Stage)
    loss = torch.zeros((), device=targets.device)
    n_ahead = min(model.n_after, len(batches))  # forward passes before the first backward pass
    running: deque[tuple[Tensor | None, Tensor]] = deque()  # inputs and outputs
    given = exchange(model, following=batches[0])[0]
    for step in range(len(batches) + n_ahead):
        output, following = None, None
        if step < len(batches):
            output = _forward(model, batches[step], given, targets)
            running.append((given, output))
            following = batches[step + 1] if step + 1 < len(batches) else None
        if step < n_ahead:
            given = exchange(model, to_next=output, following=following)[0]
            continue
        inputs, result = running.popleft()
        gradient = exchange(model, to_next=output, of=result)[1]
        before_backward(model, is_last=step == len(batches) + n_ahead - 1)
        result.backward(gradient)
        if model.is_last:
            loss += result.detach()
        back = None if inputs is None else inputs.grad
        given = exchange(model, to_previous=back, following=following)[0]
    return loss


def _forward(model: Stage, batch: Batch, given: Tensor | None, targets: Tensor) -> Tensor:
    """Activations (B, T, D) for the next stage, or the loss (0-d)."""
    if given is not None:
        batch = batch._replace(inputs=given)
    # {% print precision.compute() %}
    return output


def exchange(
    model: Stage,
    to_next: Tensor | None = None,
    to_previous: Tensor | None = None,
    following: Batch | None = None,
    of: Tensor | None = None,
) -> tuple[Tensor | None, Tensor | None]:
    """Send activations and gradients, and receive what is asked for, if there is who sends it.

    Returns the inputs for the micro-batch ``following``, and the gradient ``of`` an output. All of
    it is one call: on GPUs, two neighbours that both sent first would wait for each other.
    """
    before, after = rank() - n_data_ranks(), rank() + n_data_ranks()
    inputs, gradient = None, None
    operations = []
    if not model.is_last and to_next is not None:
        operations.append(dist.P2POp(dist.isend, to_next.detach().contiguous(), after))
    if not model.is_last and of is not None:
        gradient = torch.empty_like(of, memory_format=torch.contiguous_format)
        operations.append(dist.P2POp(dist.irecv, gradient, after))
    if not model.is_first and to_previous is not None:
        operations.append(dist.P2POp(dist.isend, to_previous.contiguous(), before))
    if not model.is_first and following is not None:
        inputs = model.new_activations(following)
        operations.append(dist.P2POp(dist.irecv, inputs, before))
    for work in dist.batch_isend_irecv(operations) if operations else ():
        work.wait()
    return None if inputs is None else inputs.requires_grad_(), gradient


def clip_over_stages(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    """Scale the gradients of all stages by one factor; returns their norm before (0-d)."""
    parameters = list(parameters)
    gradients = [weight.grad for weight in parameters if weight.grad is not None]
    own = whole(nn.utils.get_total_norm(gradients))
    # Each rank of a stage has the norm of the stage.
    norm = (sum_over_ranks(own.square()) / n_data_ranks()).sqrt()
    nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    return norm


def totals_of_last_stages(totals: dict[str, Tensor]) -> dict[str, Tensor]:
    """Sums over all ranks, of which those of the last stage have any."""
    sums: dict[str, Tensor] = {}
    for share in gather_objects({name: value.cpu() for name, value in totals.items()}):
        assert isinstance(share, dict)
        for name, value in share.items():
            sums[name] = sums[name] + value if name in sums else value
    return sums
