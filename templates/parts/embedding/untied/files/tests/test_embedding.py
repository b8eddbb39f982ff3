"""Input and output embedding are two weights."""

import torch
from package.model import ModelConfig, build_model


def test_input_and_output_embedding_are_two_weights(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    vocab_size = model.config.vocab_size
    outside = {n: w for n, w in model.state_dict().items() if not n.startswith("layers.")}
    names = [name for name, weight in outside.items() if vocab_size in weight.shape]
    assert names == ["tok_embeddings.weight", "output.weight"]
    model(torch.tensor([[1, 2]])).sum().backward()
    seen = model.tok_embeddings.weight.grad
    assert seen is not None
    # Only tokens that were read have learned as inputs; as outputs all have.
    assert seen.any(dim=1).nonzero().flatten().tolist() == [1, 2]
    assert model.output.weight.grad is not None
    assert model.output.weight.grad.any(dim=1).all()
