"""The model as Hugging Face transformers has it: settings, and names and layout of the weights.

# {% print hub_model.summary() %}
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .model import ModelConfig


# {# Slots: summary is the paragraph of the docstring. identity and settings are entries of config.json,
#    layer_names and names those of the tables. pack reads config and tensors (ours by our names), and
#    changes tensors; unpack does the reverse with weights. other_names reads and changes full. #}
def settings(config: ModelConfig) -> dict[str, Any]:
    """What ``config.json`` says of the architecture."""
    return {
        # {% print hub_model.identity() %}
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.max_seq_len,
        "hidden_size": config.dim,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        # {% print each.settings() %}
        "rms_norm_eps": config.norm_eps,
    }


def tensor_names(config: ModelConfig) -> dict[str, str]:
    """Our name of every tensor that a layer may have, and that of transformers."""
    names = {
        "tok_embeddings.weight": "model.embed_tokens.weight",
        "norm.weight": "model.norm.weight",
        # {% print each.names() %}
    }
    of_a_layer = {
        # {% print each.layer_names() %}
    }
    for layer in range(config.n_layers):
        for ours, theirs in of_a_layer.items():
            names[f"layers.{layer}.{ours}"] = f"model.layers.{layer}.{theirs}"
    return names


def to_hub(weights: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """Our weights under the names and in the layout of transformers."""
    names = tensor_names(config)
    tensors = dict(weights)
    # {% print each.pack() %}
    return {names[name]: tensor.contiguous() for name, tensor in tensors.items()}


def from_hub(tensors: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The reverse of ``to_hub``."""
    ours = {theirs: name for name, theirs in tensor_names(config).items()}
    weights = {ours[name]: tensor for name, tensor in tensors.items()}
    # {% print each.unpack() %}
    return weights


def without_leftovers(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a file, less what can be worked out: old files hold the angles of RoPE."""
    return {
        name: tensor for name, tensor in tensors.items() if not name.endswith("rotary_emb.inv_freq")
    }


def in_full(found: Mapping[str, Any]) -> dict[str, Any]:
    """A ``config.json`` with what it may leave out, and with RoPE as transformers 4 wrote it."""
    heads = found.get("num_attention_heads")
    full = {
        "num_key_value_heads": heads,
        "sliding_window": None,
        "tie_word_embeddings": False,
        **found,
    }
    if full.get("head_dim") is None and heads:
        full["head_dim"] = full.get("hidden_size", 0) // heads
    # {% print each.other_names() %}
    rope = dict(full.get("rope_parameters") or full.get("rope_scaling") or {})
    if "rope_theta" in rope:
        full["rope_theta"] = rope.pop("rope_theta")
    if "type" in rope:
        rope["rope_type"] = rope.pop("type")
    full["rope_scaling"] = None if rope.get("rope_type", "default") == "default" else rope
    return full
