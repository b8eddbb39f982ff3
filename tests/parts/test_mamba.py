"""Mamba-2 against that of transformers, hybrids against Bamba, their caches and their estimates."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from model_package import CPU, ModelPackage, import_model
from rendering import parse, preset_answers, render_answers
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers import BambaConfig, BambaForCausalLM, Mamba2Config, Mamba2ForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError

PRESET = preset_answers("mamba2-130m")
SSM: Mapping[str, Value] = {
    "state_space.d_state": 10,
    "state_space.ssm_head_dim": 12,
    "state_space.n_ssm_groups": 2,
    "state_space.chunk_len": 8,
}
SIZES: Mapping[str, Value] = {"task.dim": 48, "task.n_layers": 3, "task.max_seq_len": 32, **SSM}
MIXED: Mapping[str, Value] = {
    "mixer": "hybrid",
    "mixer.attention_every": 2,
    "mixer.attention_offset": 1,
    "task.n_heads": 4,
    **SIZES,
    "task.n_layers": 5,
}
DESIGNS: Mapping[str, Mapping[str, Value]] = {
    "pure": {  # what the preset chooses, with few and narrow layers
        **{key: value for key, value in PRESET.items() if "." not in key},
        **SIZES,
    },
    "layer norm, untied": {
        "mixer": "state-space",
        "normalization": "layer-norm",
        "embedding": "untied",
        **SIZES,
    },
    "like Bamba": {
        **MIXED,
        "attention": "grouped-query",
        "attention.n_kv_heads": 2,
        "qk_norm": "none",
        "position": "partial-rope",
        "position.rope_fraction": 0.5,
    },
    "window": {
        **MIXED,
        "span": "sliding-window",
        "span.window": 8,
        "position": "none",
        "projection_bias": "qkv",
        "qk_norm": "full-width",
    },
    "latent": {**MIXED, "attention": "latent", "queries": "compressed", "queries.q_lora_rank": 12},
    "experts": {
        **MIXED,
        "feed_forward": "mixture-of-experts",
        "feed_forward.hidden_dim": 24,
        "qk_norm": "weighted-per-head",
    },
}
designs = pytest.mark.parametrize("name", DESIGNS)
Packages = Mapping[str, ModelPackage]
# Ours and theirs, for what lies in a mixer.
MAMBA_NAMES = {"conv": "conv1d"}


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("mamba")
    yield {
        name: import_model(
            catalogue, folder, f"mamba_{number}", {"task": "language-model", **answers}
        )
        for number, (name, answers) in enumerate(DESIGNS.items())
    }


def tokens_for(config: Any) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(config.vocab_size, (3, config.max_seq_len), generator=generator)


def load(theirs: Any, model: Any, names: Mapping[str, str]) -> Any:
    """Their model with our weights; ``names`` are theirs for whole names or pieces of ours."""
    weights = {}
    for name, weight in model.named_parameters():
        pieces = ".".join(names.get(piece, piece) for piece in name.split("."))
        # The channels of a convolution come first there.
        value = weight.T[:, None] if name.endswith("conv.weight") else weight
        weights[names.get(name, pieces)] = value.detach().clone()
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}
    return theirs


def mamba2_config(config: Any) -> Any:
    make: Any = Mamba2Config
    return make(
        vocab_size=config.vocab_size,
        hidden_size=config.dim,
        num_hidden_layers=config.n_layers,
        num_heads=config.n_ssm_heads,
        head_dim=config.ssm_head_dim,
        state_size=config.d_state,
        expand=config.expand,
        n_groups=config.n_ssm_groups,
        conv_kernel=config.conv_width,
        chunk_size=16,  # another than ours
        layer_norm_epsilon=config.norm_eps,
        tie_word_embeddings=True,
    )


def mamba2_for(model: Any) -> Any:
    """Mamba-2 of transformers with our weights."""
    names = {
        "tok_embeddings": "backbone.embeddings",
        "layers": "backbone.layers",
        "mamba_norm": "norm",
        "mamba": "mixer",
        "norm.weight": "backbone.norm_f.weight",
    }
    make: Any = Mamba2ForCausalLM
    return load(make(mamba2_config(model.config)), model, {**MAMBA_NAMES, **names})


def bamba_for(model: Any) -> Any:
    """Bamba of transformers, a hybrid, with our weights; half of each head is rotated there."""
    config = model.config
    make_config: Any = BambaConfig
    make: Any = BambaForCausalLM
    layers = range(config.n_layers)
    theirs = make_config(
        vocab_size=config.vocab_size,
        tie_word_embeddings=True,
        hidden_size=config.dim,
        intermediate_size=config.hidden_dim,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=config.n_kv_heads,
        rms_norm_eps=config.norm_eps,
        max_position_embeddings=config.max_seq_len,
        attn_layer_indices=[layer for layer in layers if config.has_attention(layer)],
        mamba_n_heads=config.n_ssm_heads,
        mamba_d_head=config.ssm_head_dim,
        mamba_n_groups=config.n_ssm_groups,
        mamba_d_state=config.d_state,
        mamba_d_conv=config.conv_width,
        mamba_expand=config.expand,
        mamba_chunk_size=16,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        attn_implementation="eager",
    )
    names = {
        "tok_embeddings": "model.embed_tokens",
        "layers": "model.layers",
        "attention_norm": "input_layernorm",
        "mamba_norm": "input_layernorm",
        "ffn_norm": "pre_ff_layernorm",
        "attention": "self_attn",
        **{f"w{letter}": f"{letter}_proj" for letter in "qkvo"},
        "w1": "gate_proj",
        "w2": "down_proj",
        "w3": "up_proj",
        "norm.weight": "model.final_layernorm.weight",
    }
    return load(make(theirs), model, {**MAMBA_NAMES, **names})


REFERENCES: Mapping[str, Callable[[Any], Any]] = {"pure": mamba2_for, "like Bamba": bamba_for}


@pytest.mark.parametrize("name", REFERENCES)
def test_logits_and_gradients_equal_those_of_transformers(packages: Packages, name: str) -> None:
    model = packages[name].build()
    theirs = REFERENCES[name](model)
    tokens = tokens_for(model.config)
    for length in (32, 27):  # the last chunks full, and not
        chunk = tokens[:, :length]
        logits, expected = model(chunk), theirs(chunk).logits
        assert expected.std() > 1
        assert_close(logits, expected, atol=1e-4, rtol=0)
    for output in (model(tokens), theirs(tokens).logits):
        loss: Any = F.cross_entropy(output[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
    ours = [layer.mamba for layer in model.layers if hasattr(layer, "mamba")]
    layers = (theirs.backbone if name == "pure" else theirs.model).layers
    kinds = ("mixer", "mamba")
    others: list[Any] = [getattr(it, kind) for it in layers for kind in kinds if hasattr(it, kind)]
    for mixer, other in zip(ours, others, strict=True):
        for weight, reference in (
            (mixer.in_proj.weight, other.in_proj.weight),
            (mixer.out_proj.weight, other.out_proj.weight),
            (mixer.conv.bias, other.conv1d.bias),
            (mixer.A_log, other.A_log),
            (mixer.dt_bias, other.dt_bias),
            (mixer.D, other.D),
            (mixer.norm.weight, other.norm.weight),
        ):
            scale = reference.grad.abs().max().item()
            assert_close(weight.grad, reference.grad, atol=1e-4 * scale, rtol=0)


@torch.no_grad()
def test_half_precision_stays_close(packages: Packages) -> None:
    model = packages["pure"].build()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    streams: list[torch.dtype] = []
    for layer in model.layers:
        layer.register_forward_hook(lambda _module, _inputs, output: streams.append(output.dtype))
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(tokens)
    assert set(streams) == {torch.float32}
    assert_close(logits.float(), expected, atol=0.1 * expected.std().item(), rtol=0.1)


@designs
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, name: str) -> None:
    model = packages[name].build().double()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    scale = expected.abs().max().item()
    for lengths in ((32,), (1,) * 32, (24, 1, 1, 1, 1, 1, 1, 1, 1), (3, 9, 1, 17, 2)):
        cache = model.new_cache(len(tokens))
        logits = [model(chunk, cache) for chunk in tokens.split(lengths, dim=1)]
        # Norms with an epsilon of their own compute in float32.
        assert_close(torch.cat(logits, dim=1), expected, atol=1e-6 * scale, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("name", ["pure", "like Bamba"])
def test_the_length_of_a_chunk_changes_nothing(packages: Packages, name: str) -> None:
    model = packages[name].build().double()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    for chunk_len in (1, 5, 16, 32, 100):
        other = (
            packages[name]
            .module.build_model(replace(model.config, chunk_len=chunk_len), CPU, 0)
            .double()
        )
        other.load_state_dict(model.state_dict())
        assert_close(other(tokens), expected, atol=1e-9, rtol=1e-9)


@designs
def test_estimates_are_exact(packages: Packages, name: str) -> None:
    module, estimates = packages[name].module, packages[name].estimates
    with torch.device("meta"):
        model = module.Model(module.ModelConfig())
        tokens = torch.zeros(2, model.config.max_seq_len, dtype=torch.int64)
    assert sum(weight.numel() for weight in model.parameters()) == estimates.parameters
    assert model.flops_per_token() == estimates.flops_per_token
    if name == "experts":
        return  # how many tokens each of them gets is not known on the meta device
    with FlopCounterMode(display=False) as counter:
        model(tokens).sum().backward()
    assert counter.get_total_flops() == model.flops_per_token() * tokens.numel()


@designs
def test_the_cache_is_as_large_as_estimated(packages: Packages, name: str) -> None:
    model, estimates = packages[name].build(), packages[name].estimates
    cache = model.new_cache(2)
    model(torch.zeros(2, 10, dtype=torch.int64), cache)
    per_token = per_sequence = 0
    for layer in cache.layers:
        if hasattr(layer, "state"):
            per_sequence += 4 * (layer.state[0].numel() + layer.window[0].numel())
        else:
            slots = layer.keys.size(2)
            per_token += 4 * (layer.keys[0].numel() + layer.values[0].numel()) // slots
    assert per_sequence == estimates.cache_bytes_per_sequence
    assert per_token == (estimates.cache_bytes_per_token or 0)
    assert (per_token > 0) == (DESIGNS[name]["mixer"] == "hybrid")


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "experts"])
def test_every_layer_compiles_as_one_graph(packages: Packages, name: str) -> None:
    model = packages[name].build()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    for layer in model.layers:
        layer.compile(fullgraph=True, backend="aot_eager")
    logits = model(tokens)
    assert_close(logits, expected, atol=1e-4, rtol=1e-4)
    logits.sum().backward()


@designs
def test_weights_are_the_same_however_the_model_is_made(packages: Packages, name: str) -> None:
    package = packages[name]
    materialized = package.module.build_model(package.config(), CPU, 5)
    direct = package.module.Model(package.config())
    package.module.initialization.init_weights(direct, package.config(), 5)
    for weight_name, tensor in materialized.state_dict().items():
        assert torch.equal(tensor, direct.state_dict()[weight_name]), weight_name


PUBLISHED = 128_989_632  # weights of state-spaces/mamba2-130m


def test_the_preset_has_as_many_parameters_as_the_published_model(catalogue: Catalogue) -> None:
    rendering = render_answers(catalogue, preset_answers("mamba2-130m"))
    values: Any = rendering.design.values
    make: Any = Mamba2Config
    theirs = make(
        vocab_size=50288,
        hidden_size=768,
        num_hidden_layers=24,
        num_heads=24,
        head_dim=64,
        state_size=128,
        n_groups=1,
        tie_word_embeddings=True,
    )
    make_model: Any = Mamba2ForCausalLM
    with torch.device("meta"):
        model = make_model(theirs)
    assert sum(weight.numel() for weight in model.parameters()) == PUBLISHED
    assert rendering.plan.estimates.parameters == PUBLISHED
    assert values["d_inner"] == 24 * 64


@pytest.mark.parametrize("name", ["pure", "window"])
def test_code_is_there_only_for_what_was_chosen(catalogue: Catalogue, name: str) -> None:
    rendering = render_answers(catalogue, {"task": "language-model", **DESIGNS[name]})
    source = rendering.texts(rendering.source, ".py")
    has_attention = any(path.endswith("model/attention.py") for path in source)
    speaks_of_it = any("scaled_dot_product_attention" in text for text in source.values())
    assert has_attention == speaks_of_it == (name == "window")
    assert any("class Mamba2" in text for text in source.values())
    if name == "pure":
        words = re.compile(
            r"config\.n_heads|    n_heads: int|\bhead_dim: int|feed_forward|\brope\b"
        )
        assert not [path for path, text in source.items() if words.search(text)]


REFUSED: Mapping[str, tuple[Mapping[str, Value], str]] = {
    "attention in none": (
        {"mixer": "hybrid", "mixer.attention_every": 4, "mixer.attention_offset": 5},
        "set attention_offset below attention_every",
    ),
    "one layer of two kinds": ({"mixer": "hybrid", "task.n_layers": 1}, "set n_layers to 2"),
    "span of nothing": (
        {"mixer": "state-space", "span": "sliding-window"},
        "span does not exist with mixer = state-space",
    ),
    "heads in halves": (
        {
            "mixer": "state-space",
            "task.dim": 100,
            "state_space.expand": 2,
            "state_space.ssm_head_dim": 64,
        },
        "set ssm_head_dim to a divisor of 200",
    ),
    "groups in halves": (
        {
            "mixer": "state-space",
            "task.dim": 96,
            "state_space.expand": 2,
            "state_space.ssm_head_dim": 64,
            "state_space.n_ssm_groups": 2,
        },
        "set n_ssm_groups to a divisor of 3",
    ),
    "heads of nothing": (
        {"mixer": "state-space", "task.n_heads": 4},
        "does not exist with mixer = state-space",
    ),
    "one chunk": (
        {"mixer": "state-space", "task.max_seq_len": 64, "state_space.chunk_len": 64},
        "a smaller divisor of 64",
    ),
    "biases of distances": ({"mixer": "hybrid", "position": "alibi"}, "tell distances already"),
    "state space without a mixer": (
        {"state_space": "mamba2"},
        "state_space exists only with mixer = state-space or hybrid",
    ),
}


@pytest.mark.parametrize(("answers", "words"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_refused(
    catalogue: Catalogue, answers: Mapping[str, Value], words: str
) -> None:
    with pytest.raises(DesignError, match=re.escape(words)):
        parse(catalogue, {"task": "language-model", "mixer": "attention", **answers})


@pytest.mark.parametrize("max_seq_len", [2, 100, 128, 250, 1000, 4096])
def test_chunks_fit_the_context(catalogue: Catalogue, max_seq_len: int) -> None:
    answers: Mapping[str, Value] = {
        "task": "language-model",
        "mixer": "state-space",
        "task.max_seq_len": max_seq_len,
    }
    chunk_len: Any = parse(catalogue, answers).values["chunk_len"]
    assert max_seq_len % chunk_len == 0
    assert chunk_len < max_seq_len
