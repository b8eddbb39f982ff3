"""The model as Hugging Face transformers has it: settings, and names and layout of the weights.

There it is Mamba2ForCausalLM.
"""

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .model import ModelConfig

LAYER_NAMES = {
    "mamba_norm.weight": "norm.weight",
    "mamba.in_proj.weight": "mixer.in_proj.weight",
    "mamba.conv.weight": "mixer.conv1d.weight",
    "mamba.conv.bias": "mixer.conv1d.bias",
    "mamba.dt_bias": "mixer.dt_bias",
    "mamba.A_log": "mixer.A_log",
    "mamba.D": "mixer.D",
    "mamba.norm.weight": "mixer.norm.weight",
    "mamba.out_proj.weight": "mixer.out_proj.weight",
}


# {# Slots: settings are entries of config.json; names of the table. pack reads config and changes
#    tensors; unpack does the reverse with weights. #}
def settings(config: ModelConfig) -> dict[str, Any]:
    """What ``config.json`` says of the architecture."""
    return {
        "architectures": ["Mamba2ForCausalLM"],
        "model_type": "mamba2",
        "vocab_size": config.vocab_size,
        "hidden_size": config.dim,
        "num_hidden_layers": config.n_layers,
        "expand": config.expand,
        "state_size": config.d_state,
        "num_heads": config.n_ssm_heads,
        "head_dim": config.ssm_head_dim,
        "n_groups": config.n_ssm_groups,
        "conv_kernel": config.conv_width,
        "use_bias": False,
        "use_conv_bias": True,
        "hidden_act": "silu",
        "time_step_limit": [0.0, math.inf],
        "layer_norm_epsilon": config.norm_eps,
        # {% print embedding.settings() %}
    }


def tensor_names(config: ModelConfig) -> dict[str, str]:
    """Our name of every tensor, and that of transformers."""
    names = {
        "tok_embeddings.weight": "backbone.embeddings.weight",
        "norm.weight": "backbone.norm_f.weight",
        # {% print embedding.names() %}
    }
    for layer in range(config.n_layers):
        for ours, theirs in LAYER_NAMES.items():
            names[f"layers.{layer}.{ours}"] = f"backbone.layers.{layer}.{theirs}"
    return names


def to_hub(weights: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """Our weights under the names and in the layout of transformers."""
    tensors = dict(weights)
    # {% print each.pack() %}
    for layer in range(config.n_layers):
        taps = f"layers.{layer}.mamba.conv.weight"
        tensors[taps] = tensors[taps].T[:, None]  # channels first there, and each a group
    names = tensor_names(config)
    return {names[name]: tensor.contiguous() for name, tensor in tensors.items()}


def from_hub(tensors: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The reverse of ``to_hub``."""
    weights = {ours: tensors[theirs] for ours, theirs in tensor_names(config).items()}
    for layer in range(config.n_layers):
        taps = f"layers.{layer}.mamba.conv.weight"
        weights[taps] = weights[taps][:, 0].T
    # {% print each.unpack() %}
    return weights


def without_leftovers(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a file, with the embeddings as newer files name them."""
    older, newer = "backbone.embedding.", "backbone.embeddings."
    return {name.replace(older, newer): tensor for name, tensor in tensors.items()}


def in_full(found: Mapping[str, Any]) -> dict[str, Any]:
    """A ``config.json`` with what it may leave out, and with infinity as a number."""
    full = {
        "use_bias": False,
        "use_conv_bias": True,
        "hidden_act": "silu",
        "time_step_limit": [0.0, math.inf],
        "tie_word_embeddings": False,
        **found,
    }
    # transformers 5 writes {"__float__": "Infinity"}, which JSON has no number for.
    full["time_step_limit"] = [
        float(limit["__float__"]) if isinstance(limit, dict) else limit
        for limit in full["time_step_limit"]
    ]
    return full
