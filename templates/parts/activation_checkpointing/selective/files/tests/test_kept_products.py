"""Products with weights are computed once, everything else twice."""

import torch
from package.config import Config
from package.data import TrainSet
from package.model import ModelConfig, build_model
from package.objective import summed_loss
from package.recomputation import recompute_layers
from torch.utils.flop_counter import FlopCounterMode


def test_what_is_kept_is_not_computed_again(config: Config, model_config: ModelConfig) -> None:
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    counts = []
    for again in (False, True):
        model = build_model(model_config, torch.device("cpu"), seed=0)
        if again:
            recompute_layers(model.layers)
        with FlopCounterMode(display=False) as counter:
            summed_loss(model, batch).backward()
        flops = counter.get_flop_counts()["Global"]
        counts.append({op: flops.get(op) for op in (torch.ops.aten.mm, torch.ops.aten.addmm)})
    assert counts[0] == counts[1]
    assert counts[0][torch.ops.aten.mm]
