"""Exchange of weights with transformers: equal logits, both ways, for every architecture."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from hub_exchange import CLOSE, Answers, Exchange, load_theirs, make_exchange, some_tokens
from rendering import parse, preset_answers
from torch.testing import assert_close

from scaffold.catalogue import Catalogue
from scaffold.errors import DesignError

# With a base of 100 the four pairs of a head are short, middling and long waves in 64 tokens.
SCALED: Answers = {"position.rope_theta": 100.0, "rope_scaling.original_max_seq_len": 64}
LLAMA: Answers = {"qk_norm": "none", "embedding": "untied", "normalization.norm_eps": 1e-5}
EXPERTS: Answers = {"feed_forward": "mixture-of-experts", "balance": "auxiliary-loss"}
GEMMA3: Answers = {
    "span": "alternating",
    "position.rope_theta": 1000000.0,
    "local_rope": "own-base",
    "local_rope.local_rope_theta": 100.0,
    "qk_norm": "weighted-per-head",
    "norm_placement": "around",
    "embedding_scale": "sqrt-width",
    "feed_forward": "geglu-tanh",
    "head_width": "chosen",
    "head_width.head_dim": 12,
}
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
    "Gemma": (
        "GemmaForCausalLM",
        {
            "attention": "multi-query",
            "qk_norm": "none",
            "embedding_scale": "sqrt-width",
            "feed_forward": "geglu-tanh",
            "head_width": "chosen",
            "head_width.head_dim": 12,
        },
    ),
    "Gemma with SwiGLU, untied": (
        "GemmaForCausalLM",
        {"hub_model": "gemma", "feed_forward": "swiglu", "embedding": "untied"},
    ),
    "Gemma 2": (
        "Gemma2ForCausalLM",
        {
            "hub_model": "gemma2",
            "local_rope.local_rope_theta": 10000.0,
            "position.rope_theta": 10000.0,
            "logits.logit_softcap": 3.0,
            "scores.score_cap": 2.0,
        },
    ),
    "Gemma 3": ("Gemma3ForCausalLM", GEMMA3),
    "Gemma 3 for long contexts": (
        "Gemma3ForCausalLM",
        {**GEMMA3, "rope_scaling": "linear", "local_rope": "own-base-unscaled"},
    ),
    "SmolLM3": ("SmolLM3ForCausalLM", {"qk_norm": "none", "position": "rope-nope"}),
    "SmolLM3 with biases": (
        "SmolLM3ForCausalLM",
        {"hub_model": "smollm3", "projection_bias": "all", "embedding": "untied"},
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
    "Qwen 3 with experts after dense layers": (
        "Qwen3MoeForCausalLM",
        {**EXPERTS, "router": "softmax", "leading_layers": "dense"},
    ),
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
    "DeepSeek-V3 with dense layers": (
        "DeepseekV3ForCausalLM",
        {
            "attention": "latent",
            "queries": "compressed",
            "feed_forward": "mixture-of-experts",
            "router": "sigmoid-scaled",
            "leading_layers": "dense",
        },
    ),
    "Moonlight": ("DeepseekV3ForCausalLM", preset_answers("moonlight-16b-a3b")),
    "Mamba-2": (
        "Mamba2ForCausalLM",
        {"mixer": "state-space", "state_space.n_ssm_groups": 2, "embedding": "untied"},
    ),
    "Mamba-2, 130M": ("Mamba2ForCausalLM", preset_answers("mamba2-130m")),
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
    "GPT-2 with a padded vocabulary": (
        "GPT2LMHeadModel",
        {**preset_answers("gpt2-124m"), "vocabulary_padding": "multiple"},
    ),
    "Llama with a padded vocabulary": (
        "LlamaForCausalLM",
        {**LLAMA, "vocabulary_padding": "multiple"},
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


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def exchange(
    family: str, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Exchange:
    name = f"hub_{list(FAMILIES).index(family)}"
    folder = tmp_path_factory.mktemp("packages")
    return make_exchange(catalogue, folder, name, FAMILIES[family][1])


@torch.no_grad()
def test_transformers_loads_what_is_exported(
    family: str, exchange: Exchange, tmp_path: Path
) -> None:
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path)
    theirs = load_theirs(tmp_path)
    assert type(theirs).__name__ == FAMILIES[family][0]
    tokens = some_tokens(model.config)
    assert_close(theirs(tokens).logits, model(tokens), atol=CLOSE, rtol=CLOSE)
    again = exchange.hub.import_weights(tmp_path, model.config)
    ours = model.state_dict()
    assert again.keys() == ours.keys()
    rounding = 1e-7 if "Gemma" in family else 0.0  # of 1 less than a weight, and 1 more again
    for name in ours:
        assert_close(again[name], ours[name], atol=rounding, rtol=0)


@torch.no_grad()
def test_what_transformers_wrote_is_imported(exchange: Exchange, tmp_path: Path) -> None:
    """With other weights than ours, and with the settings as transformers itself writes them."""
    model = exchange.build()
    exchange.hub.export_weights(model.state_dict(), model.config, tmp_path / "ours")
    theirs = load_theirs(tmp_path / "ours")
    generator = torch.Generator().manual_seed(7)
    unit = not any("q_norm" in name for name, _ in model.named_parameters())
    for name, weight in (*theirs.named_parameters(), *theirs.named_buffers()):
        is_ours = weight.is_floating_point() and not name.endswith(("inv_freq", "embed_scale"))
        if is_ours and not (unit and ("q_norm" in name or "k_norm" in name)):
            weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.1)
    theirs.save_pretrained(tmp_path / "theirs")
    model.load_state_dict(exchange.hub.import_weights(tmp_path / "theirs", model.config))
    tokens = some_tokens(model.config)
    assert_close(model(tokens), theirs(tokens).logits, atol=CLOSE, rtol=CLOSE)


WITHOUT_COUNTERPART: Mapping[str, tuple[Answers, str]] = {
    "scaled embeddings in Llama": (
        {"hub_model": "llama", "embedding_scale": "sqrt-width"},
        "embedding_scale",
    ),
    "GELU to the letter in Gemma": (
        {"hub_model": "gemma", "feed_forward": "geglu"},
        "feed_forward",
    ),
    "attention in some layers only": ({"mixer": "hybrid"}, "mixer"),
    "LayerNorm in Mamba-2": (
        {"mixer": "state-space", "normalization": "layer-norm"},
        "normalization",
    ),
    "two bases in Gemma 2": (
        {"hub_model": "gemma2", "local_rope.local_rope_theta": 123.0},
        "local_rope_theta",
    ),
    "windows in turns, with norms before": (
        {"span": "alternating", "norm_placement": "before"},
        "span",
    ),
    "norms around, without windows": ({"norm_placement": "around", "span": "causal"}, "span"),
    "ALiBi": ({"position": "alibi"}, "position"),
    "NTK": ({"rope_scaling": "ntk"}, "rope_scaling"),
    "soft cap": ({"logits": "soft-capped", "norm_placement": "before"}, "logits"),
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
    "dense layers in Mixtral": (
        {**EXPERTS, "hub_model": "mixtral", "leading_layers": "dense"},
        "leading_layers",
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
