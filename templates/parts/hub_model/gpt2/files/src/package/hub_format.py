"""The model as Hugging Face transformers has it: settings, and names and layout of the weights.

There it is GPT2LMHeadModel, whose matrices are transposed, with queries, keys and values in one.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .model import ModelConfig

QKV = ("wq", "wk", "wv")
LAYER_NAMES = {
    "attention_norm": "ln_1",
    "attention.wqkv": "attn.c_attn",
    "attention.wo": "attn.c_proj",
    "ffn_norm": "ln_2",
    "feed_forward.w1": "mlp.c_fc",
    "feed_forward.w2": "mlp.c_proj",
}


# {# Slots: activation and settings are entries of config.json; names of the table. pack reads config and
#    changes tensors; unpack does the reverse with weights. #}
def settings(config: ModelConfig) -> dict[str, Any]:
    """What ``config.json`` says of the architecture."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": config.vocab_size,
        "n_positions": config.max_seq_len,
        "n_embd": config.dim,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "n_inner": config.hidden_dim,
        # {% print feed_forward.activation() %}
        "layer_norm_epsilon": config.norm_eps,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        # {% print embedding.settings() %}
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
    }


def tensor_names(config: ModelConfig) -> dict[str, str]:
    """Our name of every tensor, and that of transformers; ``wqkv`` stands for three of ours."""
    names = {
        "tok_embeddings.weight": "transformer.wte.weight",
        "pos_embeddings.weight": "transformer.wpe.weight",
        "norm.weight": "transformer.ln_f.weight",
        "norm.bias": "transformer.ln_f.bias",
        # {% print embedding.names() %}
    }
    for layer in range(config.n_layers):
        for ours, theirs in LAYER_NAMES.items():
            for kind in ("weight", "bias"):
                names[f"layers.{layer}.{ours}.{kind}"] = f"transformer.h.{layer}.{theirs}.{kind}"
    return names


def to_hub(weights: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """Our weights under the names and in the layout of transformers."""
    tensors = dict(weights)
    # {% print each.pack() %}
    for layer in range(config.n_layers):
        at = f"layers.{layer}.attention"
        for kind in ("weight", "bias"):
            tensors[f"{at}.wqkv.{kind}"] = torch.cat(
                [tensors.pop(f"{at}.{name}.{kind}") for name in QKV]
            )
    return {
        theirs: _turned(ours, tensors[ours]).contiguous()
        for ours, theirs in tensor_names(config).items()
    }


def from_hub(tensors: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The reverse of ``to_hub``."""
    weights = {
        ours: _turned(ours, tensors[theirs]) for ours, theirs in tensor_names(config).items()
    }
    for layer in range(config.n_layers):
        at = f"layers.{layer}.attention"
        for kind in ("weight", "bias"):
            parts = weights.pop(f"{at}.wqkv.{kind}").chunk(len(QKV))
            weights |= {f"{at}.{name}.{kind}": part for name, part in zip(QKV, parts, strict=True)}
    # {% print each.unpack() %}
    return weights


def _turned(name: str, tensor: Tensor) -> Tensor:
    """The matrices of the layers have inputs first there, outputs first here."""
    return tensor.T if name.startswith("layers.") and tensor.ndim > 1 else tensor


def without_leftovers(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a file, less the causal masks that the first held, and with full names."""
    kept = {
        name: tensor
        for name, tensor in tensors.items()
        if not name.endswith((".attn.bias", ".attn.masked_bias"))
    }
    if "wte.weight" not in kept:
        return kept
    return {f"transformer.{name}": tensor for name, tensor in kept.items()}


def in_full(found: Mapping[str, Any]) -> dict[str, Any]:
    """A ``config.json`` with what it may leave out; dropout has no part in what a model is."""
    defaults = {
        "n_inner": None,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "tie_word_embeddings": True,
        **found,
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
    }
    if defaults["n_inner"] is None:
        defaults["n_inner"] = 4 * defaults.get("n_embd", 0)
    return defaults
