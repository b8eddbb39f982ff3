"""Input and output embedding are one weight."""

import torch
from package.model import ModelConfig, build_model


def test_input_and_output_embedding_are_one_weight(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    n_rows = model.tok_embeddings.num_embeddings
    names = [name for name, weight in model.state_dict().items() if n_rows in weight.shape]
    assert names == ["tok_embeddings.weight"]
