"""Pipeline parallelism: a stage is the model with some of its layers, and hands on activations.

Layers keep their numbers, so that parameters have the names that they have in one process. Only the
first stage has the embeddings, only the last one the final norm and the output matrix.
"""

import torch
import torch.distributed as dist
from torch import Tensor, nn

from .data import IGNORE_INDEX, Batch
from .mesh import n_data_ranks
from .model import Model, ModelConfig
from .ranks import n_stages, rank


# {# Slot: stream binds dtype, the type of activations between layers. #}
def split_layers(n_layers: int, n_stages: int, first: float, last: float) -> list[range]:
    """Which stage has which layers, so that the fullest one has as little as possible.

    ``first`` and ``last`` are what embeddings and head take, in layers. To share out the layers in
    another way, return other ranges: one after the other, and none of them empty.
    """
    loads = [1.0] * n_stages
    loads[0] += first
    loads[-1] += last
    counts = [1] * n_stages
    for _ in range(n_layers - n_stages):
        lightest = min(range(n_stages), key=loads.__getitem__)
        loads[lightest] += 1
        counts[lightest] += 1
    ends = [sum(counts[: number + 1]) for number in range(n_stages)]
    return [range(end - count, end) for count, end in zip(counts, ends, strict=True)]


class Stage(Model):
    """The layers of one stage.

    All but the first are given activations (B, T, D) in place of tokens, and all but the last give
    some in place of logits.
    """

    def __init__(self, config: ModelConfig, number: int, total: int) -> None:
        super().__init__(config)
        self.is_first, self.is_last = number == 0, number == total - 1
        self.n_after = total - 1 - number
        self.total_parameters = sum(weight.numel() for weight in self.parameters())
        self._flops_per_token = super().flops_per_token()
        layer = sum(weight.numel() for weight in self.layers[0].parameters())
        first, last = self.tok_embeddings.weight.numel(), self.output.weight.numel()
        own = split_layers(config.n_layers, total, first / layer, last / layer)[number]
        for other in set(range(config.n_layers)).difference(own):
            delattr(self.layers, str(other))  # which numbers the others not anew, unlike del
        if not self.is_first:
            self.add_module("tok_embeddings", nn.Identity())
        if not self.is_last:
            self.add_module("norm", nn.Identity())
            self.add_module("output", nn.Identity())

    def flops_per_token(self) -> int:
        """Those of the whole model."""
        return self._flops_per_token

    def new_activations(self, batch: Batch) -> Tensor:
        """Memory for what stands between two stages, for a batch (B, T): (B, T, D)."""
        # {% print precision.stream() %}
        shape = (*batch.targets.shape, self.config.dim)
        return torch.empty(shape, dtype=dtype, device=batch.targets.device)


def new_stage(config: ModelConfig) -> Stage:
    """The stage of this rank, without memory for its weights."""
    with torch.device("meta"):
        return Stage(config, rank() // n_data_ranks(), n_stages())


def completed(stage: nn.Module) -> Model:
    """The whole model, of which other stages' parameters have no memory."""
    assert isinstance(stage, Stage)
    with torch.device("meta"):
        model = Model(stage.config)
    for name, layer in stage.layers.named_children():
        model.layers.add_module(name, layer)
    if stage.is_first:
        model.tok_embeddings = stage.tok_embeddings
    if stage.is_last:
        model.norm, model.output = stage.norm, stage.output
    return model


def receive_inputs(stage: Stage, batch: Batch) -> Batch:
    """Without gradients: the batch with what the stage before has made of its inputs."""
    if len(batch.inputs) == 0:
        # gloo waits forever for activations of no bytes: a row without targets stands in for none.
        nothing = batch.targets.new_full((1, batch.targets.size(1)), IGNORE_INDEX)
        batch = batch._replace(inputs=torch.zeros_like(nothing), targets=nothing)
    if stage.is_first:
        return batch
    activations = stage.new_activations(batch)
    dist.recv(activations, rank() - n_data_ranks())
    return batch._replace(inputs=activations)


def hand_on(activations: Tensor) -> None:
    """Without gradients: give the next stage its inputs."""
    dist.send(activations.contiguous(), rank() + n_data_ranks())
