"""The layers are one graph each, and compute what the code says."""

import copy

import torch
from package.config import Config
from package.data import TrainSet
from package.objective import summed_loss
from package.state import TrainState


def test_compiled_layers_equal_eager_ones(state: TrainState, config: Config) -> None:
    compiled = copy.deepcopy(state.model)
    for layer in compiled.layers:
        layer.compile(fullgraph=True, dynamic=False, backend=config.train.compile_backend)
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    losses = [summed_loss(model, batch) for model in (state.model, compiled)]
    torch.testing.assert_close(losses[1], losses[0])
    for loss in losses:
        loss.backward()
    gradients = zip(state.model.parameters(), compiled.parameters(), strict=True)
    for eager, ours in gradients:
        torch.testing.assert_close(ours.grad, eager.grad)


def test_compiling_leaves_the_names_of_the_weights_alone(state: TrainState, config: Config) -> None:
    names = list(state.model.state_dict())
    for layer in state.model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend=config.train.compile_backend)
    assert list(state.model.state_dict()) == names
