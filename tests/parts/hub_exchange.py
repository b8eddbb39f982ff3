"""The package of a design that exchanges weights, and the model that transformers makes of them."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from model_package import ModelPackage, import_model
from torch import Tensor
from transformers import AutoModelForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value

Answers = Mapping[str, Value]
CLOSE = 1e-5  # in float32; the logits are of the order of 10
SIZES = {
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "max_seq_len": 32,
    "vocab_size": 64,
    "hidden_dim": 48,
    "n_dense_layers": 1,
    "dense_hidden_dim": 56,
    "n_kv_heads": 2,
    "window": 8,
    "global_every": 2,
    "nope_every": 2,
    "n_experts": 4,
    "top_k": 2,
    "kv_lora_rank": 20,
    "qk_nope_head_dim": 10,
    "qk_rope_head_dim": 6,
    "v_head_dim": 14,
    "q_lora_rank": 12,
    "d_state": 12,
    "ssm_head_dim": 16,
    "conv_width": 3,
    "chunk_len": 8,
}


@dataclass(frozen=True)
class Exchange:
    """The package of a design, and its module for the exchange."""

    package: ModelPackage
    hub: Any

    def config(self, **others: int) -> Any:
        ours = self.package.module.ModelConfig()
        sizes = {name: size for name, size in SIZES.items() if name in vars(ours)}
        return self.package.config(**{**sizes, **others})

    def build(self, **others: int) -> Any:
        """A small model in which every part shows in the output."""
        model = self.package.build(**vars(self.config(**others)))
        for name, tensor in model.state_dict().items():
            if name.endswith("router.bias"):
                tensor.copy_(torch.tensor([0.3, -0.2, 0.1, 0.0]))
            if name.endswith(("wkv_a.weight", "wq_a.weight")):
                tensor.mul_(0.01)  # so small that the epsilon of the norm after it shows
            if name in ("tok_embeddings.weight", "output.weight"):
                tensor[model.config.vocab_size :] = 0  # rows that no token has
        return model.eval()


def make_exchange(catalogue: Catalogue, folder: Path, name: str, answers: Answers) -> Exchange:
    """Render the design with these answers as the package ``name``, and import it."""
    package = import_model(catalogue, folder, name, {"hub": "hugging-face", **answers})
    return Exchange(package, importlib.import_module(f"{name}.hub"))


def load_theirs(folder: Path) -> Any:
    """The model that transformers loads, with nothing missing and nothing left over."""
    loaded: Any = AutoModelForCausalLM.from_pretrained(
        folder, output_loading_info=True, attn_implementation="eager", dtype=torch.float32
    )
    theirs, report = loaded
    assert not any(report.values()), report
    return theirs.eval()


def some_tokens(config: Any) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(config.vocab_size, (3, config.max_seq_len), generator=generator)
