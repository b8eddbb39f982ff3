"""Folders as they are published: every key of their settings, several files, bfloat16."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from hub_exchange import CLOSE, Answers, Exchange, load_theirs, make_exchange, some_tokens
from safetensors.torch import save_file
from torch import Tensor
from torch.testing import assert_close

from scaffold.catalogue import Catalogue

Settings = Mapping[str, Any]
# What every published file says, and what does not change the model.
USUAL: Settings = {
    "attention_dropout": 0.0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "initializer_range": 0.02,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.45.0.dev0",
    "use_cache": True,
}
SHAPE: Settings = {
    "hidden_act": "silu",
    "hidden_size": 32,
    "intermediate_size": 48,
    "max_position_embeddings": 131072,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-05,
    "tie_word_embeddings": False,
    "vocab_size": 64,
}
PLAIN: Answers = {"qk_norm": "none", "embedding": "untied", "normalization.norm_eps": 1e-5}
EXPERTS: Answers = {
    "feed_forward": "mixture-of-experts",
    "router": "softmax-normalized",
    "balance": "auxiliary-loss",
    "embedding": "untied",
}
# By the published model: a design of its kind, and its settings with small numbers.
PUBLISHED: Mapping[str, tuple[Answers, Settings]] = {
    "Llama-2-7b": (
        {**PLAIN, "hub_model": "llama", "attention": "multi-head"},
        {
            **USUAL,
            **{key: value for key, value in SHAPE.items() if key != "num_key_value_heads"},
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "pad_token_id": 0,
            "pretraining_tp": 1,
            "rope_scaling": None,
        },
    ),
    "Llama-3.2-1B": (
        {
            "hub_model": "llama",
            "normalization.norm_eps": 1e-5,
            "position.rope_theta": 500000.0,
            "rope_scaling": "llama3",
            "rope_scaling.rope_factor": 32.0,
            "rope_scaling.original_max_seq_len": 8192,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "attention_bias": False,
            "eos_token_id": [2, 3, 4],
            "head_dim": 8,
            "mlp_bias": False,
            "pretraining_tp": 1,
            "rope_scaling": {
                "factor": 32.0,
                "high_freq_factor": 4.0,
                "low_freq_factor": 1.0,
                "original_max_position_embeddings": 8192,
                "rope_type": "llama3",
            },
            "rope_theta": 500000.0,
            "tie_word_embeddings": True,
        },
    ),
    "Mistral-7B-v0.1": (
        {**PLAIN, "hub_model": "mistral", "span": "sliding-window"},
        {
            **USUAL,
            **SHAPE,
            "architectures": ["MistralForCausalLM"],
            "model_type": "mistral",
            "rope_theta": 10000.0,
            "sliding_window": 8,
        },
    ),
    "Mistral-7B-v0.3": (
        {**PLAIN, "hub_model": "mistral", "position.rope_theta": 1000000.0},
        {
            **USUAL,
            **SHAPE,
            "architectures": ["MistralForCausalLM"],
            "model_type": "mistral",
            "head_dim": None,
            "rope_theta": 1000000.0,
            "sliding_window": None,
        },
    ),
    "Mixtral-8x7B": (
        {
            **PLAIN,
            **EXPERTS,
            "hub_model": "mixtral",
            "position.rope_theta": 1000000.0,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["MixtralForCausalLM"],
            "model_type": "mixtral",
            "num_experts_per_tok": 2,
            "num_local_experts": 4,
            "output_router_logits": False,
            "rope_theta": 1000000.0,
            "router_aux_loss_coef": 0.02,
            "sliding_window": None,
        },
    ),
    "Qwen2.5-0.5B": (
        {"hub_model": "qwen2", "position.rope_theta": 1000000.0},
        {
            **USUAL,
            **SHAPE,
            "architectures": ["Qwen2ForCausalLM"],
            "model_type": "qwen2",
            "max_window_layers": 24,
            "rms_norm_eps": 1e-06,
            "rope_theta": 1000000.0,
            "sliding_window": 32768,
            "tie_word_embeddings": True,
            "use_mrope": False,
        },
    ),
    "Qwen3-0.6B": (
        {
            "hub_model": "qwen3",
            "qk_norm": "weighted-per-head",
            "head_width": "chosen",
            "head_width.head_dim": 12,
            "position.rope_theta": 1000000.0,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "attention_bias": False,
            "head_dim": 12,
            "max_window_layers": 28,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 1000000,
            "sliding_window": None,
            "tie_word_embeddings": True,
            "use_sliding_window": False,
        },
    ),
    "Qwen3-30B-A3B": (
        {
            **EXPERTS,
            "hub_model": "qwen3-moe",
            "qk_norm": "weighted-per-head",
            "position.rope_theta": 1000000.0,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["Qwen3MoeForCausalLM"],
            "model_type": "qwen3_moe",
            "attention_bias": False,
            "decoder_sparse_step": 1,
            "head_dim": 8,
            "intermediate_size": 96,
            "max_window_layers": 48,
            "mlp_only_layers": [],
            "moe_intermediate_size": 48,
            "norm_topk_prob": True,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "output_router_logits": False,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 1000000.0,
            "router_aux_loss_coef": 0.001,
            "sliding_window": None,
            "use_sliding_window": False,
        },
    ),
    "OLMo-2-0425-1B": (
        {
            "hub_model": "olmo2",
            "attention": "multi-head",
            "embedding": "untied",
            "position.rope_theta": 500000.0,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["Olmo2ForCausalLM"],
            "model_type": "olmo2",
            "attention_bias": False,
            "num_key_value_heads": 4,
            "pad_token_id": 1,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 500000,
        },
    ),
    "gemma-2b": (
        {
            "hub_model": "gemma",
            "attention": "multi-query",
            "head_width": "chosen",
            "head_width.head_dim": 12,
            "feed_forward": "geglu-tanh",
        },
        {
            **USUAL,
            **{key: value for key, value in SHAPE.items() if key != "tie_word_embeddings"},
            "architectures": ["GemmaForCausalLM"],
            "model_type": "gemma",
            "attention_bias": False,
            "head_dim": 12,
            "hidden_act": "gelu",
            "num_key_value_heads": 1,
            "pad_token_id": 0,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 10000.0,
        },
    ),
    "gemma-2-2b": (
        {
            "hub_model": "gemma2",
            "head_width": "chosen",
            "head_width.head_dim": 12,
            "position.rope_theta": 10000.0,
        },
        {
            **USUAL,
            **{key: value for key, value in SHAPE.items() if key != "tie_word_embeddings"},
            "architectures": ["Gemma2ForCausalLM"],
            "model_type": "gemma2",
            "attention_bias": False,
            "attn_logit_softcapping": 50.0,
            "cache_implementation": "hybrid",
            "final_logit_softcapping": 30.0,
            "head_dim": 12,
            "hidden_act": "gelu_pytorch_tanh",
            "hidden_activation": "gelu_pytorch_tanh",
            "pad_token_id": 0,
            "query_pre_attn_scalar": 12,
            "rms_norm_eps": 1e-06,
            "rope_theta": 10000.0,
            "sliding_window": 8,
        },
    ),
    "gemma-3-1b-it": (
        {
            "hub_model": "gemma3",
            "attention": "multi-query",
            "head_width": "chosen",
            "head_width.head_dim": 12,
            "position.rope_theta": 1000000.0,
        },
        {
            **USUAL,
            **{
                key: value
                for key, value in SHAPE.items()
                if key not in ("hidden_act", "tie_word_embeddings")
            },
            "architectures": ["Gemma3ForCausalLM"],
            "model_type": "gemma3_text",
            "attention_bias": False,
            "attn_logit_softcapping": None,
            "cache_implementation": "hybrid",
            "eos_token_id": [1, 2],
            "final_logit_softcapping": None,
            "head_dim": 12,
            "hidden_activation": "gelu_pytorch_tanh",
            "num_key_value_heads": 1,
            "pad_token_id": 0,
            "query_pre_attn_scalar": 12,
            "rms_norm_eps": 1e-06,
            "rope_local_base_freq": 10000,
            "rope_scaling": None,
            "rope_theta": 1000000,
            "sliding_window": 8,
            "sliding_window_pattern": 2,
        },
    ),
    "SmolLM3-3B": (
        {"hub_model": "smollm3", "position.rope_theta": 5000000.0},
        {
            **USUAL,
            **SHAPE,
            "architectures": ["SmolLM3ForCausalLM"],
            "model_type": "smollm3",
            "attention_bias": False,
            "layer_types": ["full_attention", "full_attention"],
            "max_window_layers": 28,
            "mlp_bias": False,
            "no_rope_layer_interval": 2,
            "no_rope_layers": [1, 0],
            "pad_token_id": 4,
            "pretraining_tp": 2,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 5000000.0,
            "sliding_window": None,
            "tie_word_embeddings": True,
            "use_sliding_window": False,
        },
    ),
    "Moonlight-16B-A3B": (
        {
            "hub_model": "deepseek-v3",
            "queries": "direct",
            "feed_forward.n_shared_experts": 2,
            "router": "sigmoid-scaled",
            "router.routed_scaling_factor": 2.446,
            "leading_layers": "dense",
            "embedding": "untied",
            "normalization.norm_eps": 1e-5,
            "position.rope_theta": 50000.0,
        },
        {
            **USUAL,
            **SHAPE,
            "architectures": ["DeepseekV3ForCausalLM"],
            "model_type": "deepseek_v3",
            "attention_bias": False,
            "aux_loss_alpha": 0.001,
            "ep_size": 1,
            "first_k_dense_replace": 1,
            "intermediate_size": 56,
            "kv_lora_rank": 20,
            "moe_intermediate_size": 48,
            "moe_layer_freq": 1,
            "n_group": 1,
            "n_routed_experts": 4,
            "n_shared_experts": 2,
            "norm_topk_prob": True,
            "num_experts_per_tok": 2,
            "num_key_value_heads": 4,
            "num_nextn_predict_layers": 0,
            "pretraining_tp": 1,
            "q_lora_rank": None,
            "qk_nope_head_dim": 10,
            "qk_rope_head_dim": 6,
            "rope_scaling": None,
            "rope_theta": 50000.0,
            "routed_scaling_factor": 2.446,
            "scoring_func": "sigmoid",
            "seq_aux": True,
            "topk_group": 1,
            "topk_method": "noaux_tc",
            "v_head_dim": 14,
        },
    ),
    "mamba2-130m-hf": (
        {"hub_model": "mamba2", "normalization.norm_eps": 1e-5},
        {
            **{key: value for key, value in USUAL.items() if key != "attention_dropout"},
            "architectures": ["Mamba2ForCausalLM"],
            "model_type": "mamba2",
            "chunk_size": 256,
            "conv_kernel": 3,
            "expand": 2,
            "head_dim": 16,
            "hidden_act": "silu",
            "hidden_size": 32,
            "layer_norm_epsilon": 1e-05,
            "n_groups": 1,
            "norm_before_gate": True,
            "num_heads": 4,
            "num_hidden_layers": 2,
            "pad_token_id": 0,
            "rescale_prenorm_residual": False,
            "residual_in_fp32": True,
            "rms_norm": True,
            "state_size": 12,
            "tie_word_embeddings": True,
            "time_step_floor": 0.0001,
            "time_step_limit": [0.0, math.inf],
            "time_step_max": 0.1,
            "time_step_min": 0.001,
            "time_step_rank": 2,
            "use_bias": False,
            "use_conv_bias": True,
            "vocab_size": 64,
        },
    ),
    "gpt2": (
        {
            "hub_model": "gpt2",
            "feed_forward": "gelu-tanh",
            "normalization.norm_eps": 1e-5,
        },
        {
            "activation_function": "gelu_new",
            "architectures": ["GPT2LMHeadModel"],
            "attn_pdrop": 0.1,
            "bos_token_id": 50256,
            "embd_pdrop": 0.1,
            "eos_token_id": 50256,
            "initializer_range": 0.02,
            "layer_norm_epsilon": 1e-05,
            "model_type": "gpt2",
            "n_ctx": 32,
            "n_embd": 32,
            "n_head": 4,
            "n_layer": 2,
            "n_positions": 32,
            "resid_pdrop": 0.1,
            "summary_activation": None,
            "summary_first_dropout": 0.1,
            "summary_proj_to_labels": True,
            "summary_type": "cls_index",
            "summary_use_proj": True,
            "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
            "vocab_size": 64,
        },
    ),
}
MAY_DIFFER = ("architectures", "max_position_embeddings", "resid_pdrop", "embd_pdrop", "attn_pdrop")


@pytest.fixture(scope="module", params=PUBLISHED)
def published(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def exchange(
    published: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Exchange:
    name = f"published_{list(PUBLISHED).index(published)}"
    folder = tmp_path_factory.mktemp("packages")
    return make_exchange(catalogue, folder, name, PUBLISHED[published][0])


@pytest.fixture
def model(published: str, exchange: Exchange) -> Any:
    sizes = {"hidden_dim": 128} if published == "gpt2" else {}
    return exchange.build(**sizes)


def write_settings(folder: Path, settings: Settings) -> None:
    (folder / "config.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")


def in_new_format(settings: Settings) -> dict[str, Any]:
    """Settings with RoPE and the type of the weights as transformers 5 has them."""
    new = dict(settings)
    theta, scaling = new.pop("rope_theta", None), new.pop("rope_scaling", None)
    rope = {"rope_type": "default", **(scaling or {}), "rope_theta": theta}
    local = new.pop("rope_local_base_freq", None)
    if local is not None:
        plain = {"rope_type": "default", "rope_theta": local}
        rope = {"full_attention": rope, "sliding_attention": plain}
    new["rope_parameters"] = rope
    new["dtype"] = new.pop("torch_dtype", None)
    return new


def another(value: Any) -> Any:
    """A value of the same kind, but of another model."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return "other"
        case list():
            return [*value, 1]
    return 7


def halved(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.bfloat16() for name, tensor in weights.items()}


def write_halves(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    """Two files and their index, as models of more than a few gigabytes are published."""
    files: dict[str, dict[str, Tensor]] = {}
    for i, (name, tensor) in enumerate(sorted(tensors.items())):
        files.setdefault(f"model-{i % 2 + 1:05}-of-00002.safetensors", {})[name] = tensor
    for file, part in files.items():
        save_file(part, folder / file, metadata={"format": "pt"})
    index = {
        "metadata": {"total_size": sum(tensor.nbytes for tensor in tensors.values())},
        "weight_map": {name: file for file, part in files.items() for name in part},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")


@torch.no_grad()
def test_what_is_published_is_imported(
    published: str, exchange: Exchange, model: Any, tmp_path: Path
) -> None:
    settings = PUBLISHED[published][1]
    tensors = halved(exchange.hub.to_hub(model.state_dict(), model.config))
    write_halves(tmp_path, tensors)
    exact = {name: tensor.float() for name, tensor in tensors.items()}
    expected = exchange.hub.from_hub(exact, model.config)
    write_settings(tmp_path, settings)
    theirs = load_theirs(tmp_path)
    for written in (settings, in_new_format(settings) if "rope_theta" in settings else settings):
        write_settings(tmp_path, written)
        weights = exchange.hub.import_weights(tmp_path, model.config)
        assert {tensor.dtype for tensor in weights.values()} == {torch.float32}
        assert weights.keys() == expected.keys()
        assert all(torch.equal(weights[name], expected[name]) for name in expected)
    model.load_state_dict(weights)
    tokens = some_tokens(model.config)
    assert_close(model(tokens), theirs(tokens).logits, atol=CLOSE, rtol=CLOSE)


def test_every_setting_that_matters_is_named(
    published: str, exchange: Exchange, model: Any, tmp_path: Path
) -> None:
    ours = exchange.hub.settings(model.config)
    matters = {key: value for key, value in ours.items() if key not in MAY_DIFFER}
    theirs = {**PUBLISHED[published][1], **{key: another(value) for key, value in matters.items()}}
    theirs["rope_scaling"] = {"type": "linear", "factor": 4.0}
    write_settings(tmp_path, {**theirs, "quantization_config": {"quant_method": "fp8"}})
    with pytest.raises(ValueError, match="holds another model") as error:
        exchange.hub.import_weights(tmp_path, model.config)  # without a look at the weights
    named = {line.partition(" ")[0] for line in str(error.value).splitlines()[1:]}
    assert named == {*matters, "quantization_config"}


def test_the_first_files_of_gpt2_are_read(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """They have no prefix, and hold the causal masks."""
    answers, settings = PUBLISHED["gpt2"]
    folder = tmp_path_factory.mktemp("packages")
    exchange = make_exchange(catalogue, folder, "published_first_gpt2", answers)
    model = exchange.build(hidden_dim=128)
    tensors = exchange.hub.to_hub(model.state_dict(), model.config)
    old = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    old |= {f"h.{layer}.attn.bias": torch.ones(1, 1, 32, 32).tril() for layer in range(2)}
    save_file(old, tmp_path / "model.safetensors")
    write_settings(tmp_path, settings)
    weights = exchange.hub.import_weights(tmp_path, model.config)
    assert all(torch.equal(weights[name], ours) for name, ours in model.state_dict().items())


def test_yarn_as_it_is_published(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """Its two numbers of turns are left out where they are the usual ones."""
    answers: Answers = {
        "hub_model": "qwen2",
        "rope_scaling": "yarn",
        "rope_scaling.rope_factor": 4.0,
        "rope_scaling.original_max_seq_len": 32768,
    }
    folder = tmp_path_factory.mktemp("packages")
    exchange = make_exchange(catalogue, folder, "published_yarn", answers)
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    short = {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"}
    write_settings(tmp_path, {**settings, "rope_scaling": short})
    exchange.hub.import_weights(tmp_path, model.config)
    write_settings(tmp_path, {**settings, "rope_scaling": {**short, "beta_fast": 16}})
    with pytest.raises(ValueError, match="rope_scaling is .* here and .*16"):
        exchange.hub.import_weights(tmp_path, model.config)


def test_windows_from_some_layer_on_are_not_windows_everywhere(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    answers: Answers = {"hub_model": "qwen3", "span": "sliding-window"}
    folder = tmp_path_factory.mktemp("packages")
    exchange = make_exchange(catalogue, folder, "published_windows", answers)
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    kinds = ["sliding_attention", "sliding_attention"]
    write_settings(tmp_path, {**settings, "max_window_layers": 28, "layer_types": kinds})
    exchange.hub.import_weights(tmp_path, model.config)
    kinds[0] = "full_attention"
    for change in ({"max_window_layers": 1}, {"layer_types": kinds}):
        write_settings(tmp_path, {**settings, **change})
        with pytest.raises(ValueError, match="max_window_layers is 0 here and 1 there"):
            exchange.hub.import_weights(tmp_path, model.config)
