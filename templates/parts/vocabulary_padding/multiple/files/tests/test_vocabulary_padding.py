"""Rows that no token has: they are there, and nothing depends on them."""

import torch
import torch.nn.functional as F
from package.generate import Sampling, generate
from package.model import ModelConfig, Transformer, build_model
from torch import nn
from torch.testing import assert_close


def padded_weights(model: Transformer) -> list[nn.Parameter]:
    """The embeddings, and the output matrix if it has weights of its own."""
    padded = model.config.padded_vocab_size
    return [weight for weight in model.parameters() if padded in weight.shape]


def test_rows_are_a_multiple_and_logits_are_those_of_tokens(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    assert model_config.padded_vocab_size % model_config.vocab_multiple == 0
    assert 0 < model_config.padded_vocab_size - model_config.vocab_size < 98
    assert padded_weights(model)
    assert model(torch.tensor([[1, 2]])).shape == (1, 2, model_config.vocab_size)


def test_unused_rows_change_neither_the_loss_nor_learn(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    tokens = torch.tensor([[1, 2, 3, 4]])

    def loss() -> torch.Tensor:
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    before = loss()
    before.backward()
    for weight in padded_weights(model):
        assert weight.grad is not None
        assert not weight.grad[model_config.vocab_size :].any()
        with torch.no_grad():
            weight[model_config.vocab_size :] = 100.0
    assert_close(loss(), before, atol=0, rtol=0)
    sampling = Sampling(10.0, model_config.vocab_size, top_p=1.0, seed=0)
    (drawn,) = generate(model, tokens.tolist(), 50, sampling, lambda _tokens: False)
    assert max(drawn) < model_config.vocab_size
