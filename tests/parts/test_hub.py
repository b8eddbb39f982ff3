"""Exchange of weights with transformers: equal logits, both ways, for every architecture."""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from model_package import ModelPackage, import_model
from rendering import parse
from safetensors.torch import save_file
from torch import Tensor
from torch.testing import assert_close
from transformers import AutoModelForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError

Answers = Mapping[str, Value]
CLOSE = 1e-5  # in float32; the logits are of the order of 10
SIZES = {
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "max_seq_len": 32,
    "vocab_size": 64,
    "hidden_dim": 48,
    "n_kv_heads": 2,
    "window": 8,
    "n_experts": 4,
    "top_k": 2,
    "kv_lora_rank": 20,
    "qk_nope_head_dim": 10,
    "qk_rope_head_dim": 6,
    "v_head_dim": 14,
    "q_lora_rank": 12,
}
# With a base of 100 the four pairs of a head are short, middling and long waves in 64 tokens.
SCALED: Answers = {"position.rope_theta": 100.0, "rope_scaling.original_max_seq_len": 64}
LLAMA: Answers = {"qk_norm": "none", "embedding": "untied", "normalization.norm_eps": 1e-5}
EXPERTS: Answers = {"feed_forward": "mixture-of-experts", "balance": "auxiliary-loss"}
# The architecture of transformers, and a design that is one.
FAMILIES: Mapping[str, tuple[str, Answers]] = {
    "Llama": ("LlamaForCausalLM", LLAMA),
    "Llama 3.1": ("LlamaForCausalLM", {**LLAMA, **SCALED, "rope_scaling": "llama3"}),
    "Llama, linear scaling": ("LlamaForCausalLM", {**LLAMA, "rope_scaling": "linear"}),
    "Llama, YaRN": (
        "LlamaForCausalLM",
        {**LLAMA, **SCALED, "rope_scaling": "yarn", "rope_scaling.beta_fast": 2.0},
    ),
    "Llama with biases, tied": (
        "LlamaForCausalLM",
        {**LLAMA, "projection_bias": "all", "embedding": "tied", "attention": "multi-query"},
    ),
    "Llama with biases in attention": (
        "LlamaForCausalLM",
        {**LLAMA, "projection_bias": "attention"},
    ),
    "Llama with GEGLU": (
        "LlamaForCausalLM",
        {**LLAMA, "feed_forward": "geglu", "attention": "multi-head"},
    ),
    "Mistral": (
        "MistralForCausalLM",
        {**LLAMA, "span": "sliding-window", "head_width": "chosen", "head_width.head_dim": 12},
    ),
    "Qwen 2": ("Qwen2ForCausalLM", {"qk_norm": "none", "projection_bias": "qkv"}),
    "Qwen 3": (
        "Qwen3ForCausalLM",
        {"qk_norm": "weighted-per-head", "head_width": "chosen", "head_width.head_dim": 12},
    ),
    "Qwen 3 in a window": (
        "Qwen3ForCausalLM",
        {"qk_norm": "weighted-per-head", "span": "sliding-window"},
    ),
    "the default design": ("Qwen3ForCausalLM", {}),
    "OLMo 2": (
        "Olmo2ForCausalLM",
        {"qk_norm": "full-width", "norm_placement": "after", "embedding": "untied"},
    ),
    "Mixtral": (
        "MixtralForCausalLM",
        {**LLAMA, **EXPERTS, "router": "softmax-normalized"},
    ),
    "Mixtral in a window": (
        "MixtralForCausalLM",
        {**LLAMA, **EXPERTS, "router": "softmax-normalized", "span": "sliding-window"},
    ),
    "Qwen 3 with experts": (
        "Qwen3MoeForCausalLM",
        {**EXPERTS, "qk_norm": "weighted-per-head", "router": "softmax-normalized"},
    ),
    "Qwen 3 with experts by probability": ("Qwen3MoeForCausalLM", {**EXPERTS, "router": "softmax"}),
    "DeepSeek-V3": (
        "DeepseekV3ForCausalLM",
        {
            "attention": "latent",
            "queries": "compressed",
            "feed_forward": "mixture-of-experts",
            "feed_forward.n_shared_experts": 2,
            "router": "sigmoid",
            "balance": "bias",
            "embedding": "untied",
        },
    ),
    "DeepSeek-V3, YaRN": (
        "DeepseekV3ForCausalLM",
        {
            **SCALED,
            "attention": "latent",
            "feed_forward": "mixture-of-experts",
            "rope_scaling": "yarn-latent",
            "rope_scaling.beta_fast": 2.0,
            "rope_scaling.mscale_all_dim": 0.707,
        },
    ),
    "DeepSeek-V3 Lite": (
        "DeepseekV3ForCausalLM",
        {"attention": "latent", "queries": "direct", "feed_forward": "mixture-of-experts"},
    ),
    "GPT-2": (
        "GPT2LMHeadModel",
        {
            "attention": "multi-head",
            "projection_bias": "all",
            "position": "learned",
            "qk_norm": "none",
            "normalization": "biased-layer-norm",
            "normalization.norm_eps": 1e-5,
            "feed_forward": "gelu-tanh",
        },
    ),
    "GPT-2 with exact GELU, untied": (
        "GPT2LMHeadModel",
        {"hub_model": "gpt2", "embedding": "untied", "feed_forward": "gelu"},
    ),
    "GPT-2 with squared ReLU": (
        "GPT2LMHeadModel",
        {"hub_model": "gpt2", "feed_forward": "squared-relu"},
    ),
}


@dataclass(frozen=True)
class Exchange:
    """The package of a design that is of the family."""

    package: ModelPackage
    hub: Any
    architecture: str

    def config(self) -> Any:
        ours = self.package.module.ModelConfig()
        sizes = {name: size for name, size in SIZES.items() if name in vars(ours)}
        if "head_dim" in sizes:
            sizes["head_dim"] = 12
        return self.package.config(**sizes)

    def build(self) -> Any:
        """A small model in which every part shows in the output."""
        model = self.package.build(**vars(self.config()))
        for name, buffer in model.state_dict().items():
            if name.endswith("router.bias"):
                buffer.copy_(torch.tensor([0.3, -0.2, 0.1, 0.0]))
        return model.eval()


@pytest.fixture(scope="module", params=FAMILIES)
def exchange(
    request: pytest.FixtureRequest, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Exchange]:
    architecture, answers = FAMILIES[request.param]
    name = f"hub_{list(FAMILIES).index(request.param)}"
    folder = tmp_path_factory.mktemp("packages")
    package = import_model(catalogue, folder, name, {"hub": "hugging-face", **answers})
    yield Exchange(package, importlib.import_module(f"{name}.hub"), architecture)


def load_theirs(folder: Path) -> Any:
    """The model that transformers loads, with nothing missing and nothing left over."""
    loaded: Any = AutoModelForCausalLM.from_pretrained(
        folder, output_loading_info=True, attn_implementation="eager"
    )
    theirs, report = loaded
    assert not any(report.values()), report
    return theirs.eval()


def some_tokens(config: Any) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(config.vocab_size, (3, config.max_seq_len), generator=generator)


@torch.no_grad()
def test_transformers_loads_what_is_exported(exchange: Exchange, tmp_path: Path) -> None:
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path)
    theirs = load_theirs(tmp_path)
    assert type(theirs).__name__ == exchange.architecture
    tokens = some_tokens(model.config)
    assert_close(theirs(tokens).logits, model(tokens), atol=CLOSE, rtol=CLOSE)
    again = exchange.hub.import_weights(tmp_path, model.config)
    ours = model.state_dict()
    assert again.keys() == ours.keys()
    assert all(torch.equal(again[name], ours[name]) for name in ours)


@torch.no_grad()
def test_what_transformers_wrote_is_imported(exchange: Exchange, tmp_path: Path) -> None:
    """With other weights than ours, and with the settings as transformers itself writes them."""
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path / "ours")
    theirs = load_theirs(tmp_path / "ours")
    generator = torch.Generator().manual_seed(7)
    unit = not any("q_norm" in name for name, _ in model.named_parameters())
    for name, weight in (*theirs.named_parameters(), *theirs.named_buffers()):
        is_ours = weight.is_floating_point() and not name.endswith("inv_freq")
        if is_ours and not (unit and ("q_norm" in name or "k_norm" in name)):
            weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.1)
    theirs.save_pretrained(tmp_path / "theirs")
    model.load_state_dict(exchange.hub.import_weights(tmp_path / "theirs", model.config))
    tokens = some_tokens(model.config)
    assert_close(model(tokens), theirs(tokens).logits, atol=CLOSE, rtol=CLOSE)


def test_the_first_files_of_gpt2_are_read(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """They have no prefix, hold the causal masks, and say little in their settings."""
    folder = tmp_path_factory.mktemp("packages")
    answers = {"hub": "hugging-face", "hub_model": "gpt2", "feed_forward": "gelu-tanh"}
    package = import_model(catalogue, folder, "hub_old", answers)
    exchange = Exchange(package, importlib.import_module("hub_old.hub"), "")
    model = package.build(**{**vars(exchange.config()), "hidden_dim": 128, "norm_eps": 1e-5})
    tensors = exchange.hub.to_hub(model.state_dict(), model.config)
    old = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    old |= {f"h.{layer}.attn.bias": torch.ones(1, 1, 32, 32).tril() for layer in range(2)}
    save_file(old, tmp_path / "model.safetensors")
    settings = exchange.hub.settings(model.config)
    for key in ("n_inner", "tie_word_embeddings", "scale_attn_by_inverse_layer_idx"):
        settings.pop(key)
    settings |= {"resid_pdrop": 0.1, "attn_pdrop": 0.1, "embd_pdrop": 0.1}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    weights = exchange.hub.import_weights(tmp_path, model.config)
    assert all(torch.equal(weights[name], ours) for name, ours in model.state_dict().items())


WITHOUT_COUNTERPART: Mapping[str, tuple[Answers, str]] = {
    "ALiBi": ({"position": "alibi"}, "position"),
    "NTK": ({"rope_scaling": "ntk"}, "rope_scaling"),
    "soft cap": ({"logits": "soft-capped"}, "logits"),
    "full width before": ({"qk_norm": "full-width", "norm_placement": "before"}, "qk_norm"),
    "LayerNorm without biases": ({"normalization": "layer-norm"}, "normalization"),
    "learned positions with RMSNorm": (
        {"position": "learned", "normalization": "rms-norm"},
        "normalization",
    ),
    "latent and dense": ({"attention": "latent", "feed_forward": "swiglu"}, "feed_forward"),
    "shared experts in Mixtral": (
        {**EXPERTS, "hub_model": "mixtral", "feed_forward.n_shared_experts": 1},
        "n_shared_experts",
    ),
    "an epsilon in DeepSeek": (
        {"hub_model": "deepseek-v3", "normalization.norm_eps": 1e-5},
        "norm_eps",
    ),
    "a width that is no multiple": (
        {"hub_model": "llama", "head_width": "chosen", "task.dim": 384, "task.n_heads": 5},
        "n_heads",
    ),
}


@pytest.mark.parametrize("name", WITHOUT_COUNTERPART)
def test_a_design_without_counterpart_is_refused(catalogue: Catalogue, name: str) -> None:
    answers, culprit = WITHOUT_COUNTERPART[name]
    with pytest.raises(DesignError) as error:
        parse(catalogue, {"hub": "hugging-face", **answers})
    assert culprit in str(error.value)
    assert len(str(error.value)) < 1500
