"""Input and output embedding are one weight."""

import torch
from package.model import ModelConfig, build_model


def test_input_and_output_embedding_are_one_weight(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    vocab_size = model.config.vocab_size
    outside = {n: w for n, w in model.state_dict().items() if not n.startswith("layers.")}
    names = [name for name, weight in outside.items() if vocab_size in weight.shape]
    assert names == ["tok_embeddings.weight"]
