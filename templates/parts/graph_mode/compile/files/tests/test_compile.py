"""The layers are one graph each, and compute what the code says."""

import torch
from package.config import Config
from package.data import TrainSet
from package.model import ModelConfig, build_model
from package.objective import summed_loss
from package.state import TrainState


def test_compiled_layers_equal_eager_ones(config: Config, model_config: ModelConfig) -> None:
    eager, compiled = (build_model(model_config, torch.device("cpu"), seed=0) for _ in range(2))
    for layer in compiled.layers:
        layer.compile(fullgraph=True, dynamic=False, backend=config.train.compile_backend)
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    losses = [summed_loss(model, batch) for model in (eager, compiled)]
    torch.testing.assert_close(losses[1], losses[0])
    for loss in losses:
        loss.backward()
    for theirs, ours in zip(eager.parameters(), compiled.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_compiling_leaves_the_names_of_the_weights_alone(state: TrainState, config: Config) -> None:
    names = list(state.model.state_dict())
    for layer in state.model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend=config.train.compile_backend)
    assert list(state.model.state_dict()) == names
