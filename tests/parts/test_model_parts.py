"""The model parts, every pair of them, against references and against their own estimates."""

import importlib
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from covering import pairwise_designs
from hypothesis import given, settings
from hypothesis import strategies as st
from rendering import parse
from torch import Tensor, nn
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    Olmo2Config,
    Olmo2ForCausalLM,
    PreTrainedConfig,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    SmolLM3Config,
    SmolLM3ForCausalLM,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.decisions import decide
from scaffold.design import Value
from scaffold.errors import DesignError
from scaffold.estimates import Estimates, estimate
from scaffold.plan import make_plan
from scaffold.render import render

CPU = torch.device("cpu")
CATALOGUE = read_catalogue()
MODEL_AXES = (
    "task",
    "mixer",
    "attention",
    "head_width",
    "queries",
    "projection_bias",
    "span",
    "position",
    "rope_scaling",
    "local_rope",
    "qk_norm",
    "embedding_scale",
    "normalization",
    "norm_placement",
    "feed_forward",
    "router",
    "balance",
    "leading_layers",
    "tokenizer",
    "embedding",
    "vocabulary_padding",
    "logits",
    "initialization",
    "documents",
    "scores",
    "attention_backend",
    "window_backend",
)
# RoPE scaling: what is asked for, and the names that transformers has for it.
ORIGINAL_MAX_SEQ_LEN = 64
ROPE_FACTOR = 8.0
SCALINGS: Mapping[str, Mapping[str, float | str]] = {
    "none": {"rope_type": "linear", "factor": 1.0},
    "linear": {"rope_type": "linear", "factor": ROPE_FACTOR},
    "ntk": {"rope_type": "dynamic", "factor": 1.0},
    "yarn": {"rope_type": "yarn", "factor": ROPE_FACTOR, "beta_fast": 6.0, "beta_slow": 1.0},
    "yarn-latent": {
        "rope_type": "yarn",
        "factor": ROPE_FACTOR,
        "beta_fast": 6.0,
        "beta_slow": 1.0,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
    },
    "llama3": {
        "rope_type": "llama3",
        "factor": ROPE_FACTOR,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    },
}
SCALING_ANSWERS: Mapping[str, Mapping[str, float]] = {
    "linear": {"rope_factor": ROPE_FACTOR},
    "ntk": {"rope_factor": ROPE_FACTOR},
    "yarn": {"original_max_seq_len": 64, "rope_factor": ROPE_FACTOR, "beta_fast": 6.0},
    "yarn-latent": {"original_max_seq_len": 64, "rope_factor": ROPE_FACTOR, "beta_fast": 6.0},
    "llama3": {"original_max_seq_len": 64, "rope_factor": ROPE_FACTOR},
}
SMALL = {"dim": 32, "n_layers": 2, "n_heads": 4, "head_dim": 12, "hidden_dim": 48}
SMALL_TEXT = {"max_seq_len": 32, "vocab_size": 64, "n_kv_heads": 2, "window": 8}
SMALL_TEXT |= {"global_every": 2, "nope_every": 2, "score_cap": 3}
SMALL_LATENT = {
    "kv_lora_rank": 20,
    "qk_nope_head_dim": 10,
    "qk_rope_head_dim": 6,
    "v_head_dim": 14,
    "q_lora_rank": 12,
}
SMALL_TEXT |= {**SMALL_LATENT, "n_shared_experts": 1, "dense_hidden_dim": 40}
Variants = Mapping[str, str]


def designs_for(task: str) -> list[dict[str, str]]:
    """Models in which every two variants that can stand in one model do."""
    axes = {name: CATALOGUE.axes[name] for name in MODEL_AXES}
    # Without attention, and with other mixers beside it: see test_mamba.py.
    for axis, variant in (("task", task), ("mixer", "attention")):
        axes[axis] = replace(axes[axis], parts={variant: axes[axis].parts[variant]})
    return pairwise_designs(replace(CATALOGUE, axes=axes))


def name_of(variants: Variants) -> str:
    """The variants that are not the first of their axis."""
    first = {axis: next(iter(it.parts)) for axis, it in CATALOGUE.axes.items()}
    special = [variant for axis, variant in variants.items() if variant != first[axis]]
    return "+".join(special) or "default"


TEXT = designs_for("language-model")
IMAGES = designs_for("image-classification")
QWEN3 = [
    {"task": "language-model", "attention": attention, "span": span}
    for attention in ("grouped-query", "multi-head")
    for span in ("causal", "sliding-window")
]
texts = pytest.mark.parametrize("variants", TEXT, ids=name_of)
images = pytest.mark.parametrize("variants", IMAGES, ids=name_of)
texts_and_images = pytest.mark.parametrize("variants", TEXT + IMAGES, ids=name_of)


@dataclass(frozen=True)
class Rendered:
    """The model package of a design, and what the design is said to cost."""

    module: ModuleType
    estimates: Estimates

    def config(self, **sizes: int) -> Any:
        """The small configuration; sizes that it has no field for are left out."""
        config = self.module.ModelConfig()
        wanted = {**SMALL, **(SMALL_TEXT if hasattr(config, "max_seq_len") else {}), **sizes}
        names = {each.name for each in fields(config)}
        return replace(config, **{key: n for key, n in wanted.items() if key in names})

    def build(self, **sizes: int) -> Any:
        """The small model with weights large enough that every part of it shows in the output."""
        model = self.module.build_model(self.config(**sizes), CPU, 0)
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.2)
        return model


@dataclass(frozen=True)
class Packages:
    """Models by their variants, each rendered and imported when it is first asked for."""

    folder: Path
    found: dict[frozenset[tuple[str, str]], Rendered] = field(default_factory=dict)

    def __getitem__(self, variants: Variants) -> Rendered:
        key = frozenset(variants.items())
        if key not in self.found:
            self.found[key] = self._render(variants, f"model_{len(self.found)}")
        return self.found[key]

    def _render(self, variants: Variants, package: str) -> Rendered:
        scaling = SCALING_ANSWERS.get(variants.get("rope_scaling", "none"), {})
        values = {f"rope_scaling.{name}": value for name, value in scaling.items()}
        if variants.get("position") == "partial-rope":
            values["position.rope_fraction"] = 0.5  # two pairs of a small head
        design = parse(CATALOGUE, {**variants, **values, "project.package": package})
        estimates = estimate(CATALOGUE, design)
        plan = make_plan(CATALOGUE, design, decide(CATALOGUE, design), estimates)
        for path, file in render(plan).items():
            if path.startswith(f"src/{package}/model/"):
                target = self.folder / path.removeprefix("src/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.content)
        importlib.invalidate_caches()
        return Rendered(importlib.import_module(f"{package}.model"), estimates)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("models")
    sys.path.insert(0, str(folder))
    yield Packages(folder)
    sys.path.remove(str(folder))
    # Tests of other modules may come between these, and the names be given anew.
    for name in [name for name in sys.modules if re.match(r"model_\d", name)]:
        del sys.modules[name]


def tokens_for(config: Any, batch_size: int = 3) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(config.vocab_size, (batch_size, config.max_seq_len), generator=generator)


def images_for(config: Any) -> Tensor:
    shape = (3, config.n_channels, config.image_size, config.image_size)
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


# A second, independent way to compute what the models compute: float64, complex rotations, one head
# after the other, and no module.
def normalized(x: Tensor, centre: bool) -> Tensor:
    x = x - x.mean(dim=-1, keepdim=True) if centre else x
    return x / (x.pow(2).mean(dim=-1, keepdim=True) + 1e-6).sqrt()


def rotated(x: Tensor, angles: Tensor, length: float) -> Tensor:
    """The first features turned, as many as there are angles for, and made longer."""
    n_pairs = angles.size(1)
    real, imaginary, rest = x.tensor_split((n_pairs, 2 * n_pairs), dim=-1)
    turned = torch.complex(real, imaginary) * torch.polar(torch.full_like(angles, length), angles)
    return torch.cat((turned.real, turned.imag, rest), dim=-1)


def gelu(x: Tensor) -> Tensor:
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def gelu_tanh(x: Tensor) -> Tensor:
    """As OpenAI wrote it for GPT-2; tanh by way of exponentials."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x / (1 + (-2 * inner).exp())


def silu(x: Tensor) -> Tensor:
    return x / (1 + (-x).exp())


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "swiglu": silu,
    "mixture-of-experts": silu,
    "geglu": gelu,
    "geglu-tanh": gelu_tanh,
    "gelu": gelu,
    "gelu-tanh": gelu_tanh,
    "squared-relu": lambda x: x * x * (x > 0),
}


def rope_of(config: Any, variants: Variants) -> tuple[Tensor, float]:
    """The frequencies of transformers (radians per token), and its factor of cosines and sines."""
    scaling = SCALINGS[variants.get("rope_scaling", "none")]
    theirs: Any = PreTrainedConfig()
    theirs.head_dim = config.head_dim
    theirs.hidden_size, theirs.num_attention_heads = config.dim, config.n_heads
    theirs.max_position_embeddings = ORIGINAL_MAX_SEQ_LEN
    theirs.rope_parameters = {
        "rope_theta": config.rope_theta,
        "partial_rotary_factor": getattr(config, "rope_fraction", 1.0),
        "original_max_position_embeddings": ORIGINAL_MAX_SEQ_LEN,
        **scaling,
    }
    make = ROPE_INIT_FUNCTIONS[str(scaling["rope_type"])]
    # "dynamic" is NTK-aware scaling by how much longer a text is than the original context.
    inv_freq, factor = make(theirs, CPU, seq_len=ROPE_FACTOR * ORIGINAL_MAX_SEQ_LEN)
    return inv_freq.double(), factor


def rotation_of(config: Any, variants: Variants, layer: int) -> tuple[Tensor | None, float]:
    """Angles (tokens, pairs of features) of queries and keys in a layer, and their new length."""
    position = variants["position"]
    n, head_dim = config.tokens_per_sample, config.head_dim
    if position == "rope-nope" and layer % config.nope_every == config.nope_every - 1:
        return None, 1.0
    if position in ("rope", "partial-rope", "rope-nope"):
        if "local_rope" in variants and window_of(config, variants["span"], layer) < n:
            config = replace(config, rope_theta=config.local_rope_theta)
            variants = {**variants, "rope_scaling": "none"}
        inv_freq, length = rope_of(config, variants)
        return torch.outer(torch.arange(n, dtype=torch.float64), inv_freq), length
    if position == "axial-rope":
        side, quarter = math.isqrt(n), head_dim // 4
        rows = [
            [t // side / 100 ** (i / quarter) for i in range(quarter)]
            + [t % side / 100 ** (i / quarter) for i in range(quarter)]
            for t in range(n)
        ]
        return torch.tensor(rows, dtype=torch.float64), 1.0
    return None, 1.0


def window_of(config: Any, span: str, layer: int) -> int:
    """How many tokens one sees in a layer, itself among them; -1: all, also those after it."""
    every = getattr(config, "global_every", 1)
    if span == "causal" or (span == "alternating" and layer % every == every - 1):
        return int(config.tokens_per_sample)
    return -1 if span == "bidirectional" else int(config.window)


def mask_of(config: Any, span: str, layer: int) -> Tensor:
    """Which token (column) each token (row) of a layer sees."""
    n, reach = config.tokens_per_sample, window_of(config, span, layer)
    rows = [[reach < 0 or 0 <= t - s < reach for s in range(n)] for t in range(n)]
    return torch.tensor(rows)


def kv_heads_of(config: Any, variants: Variants) -> int:
    heads = {"multi-head": config.n_heads, "multi-query": 1}
    return heads.get(variants["attention"]) or int(config.n_kv_heads)


def layer_at(name: str) -> int:
    """The number in ``layers.0.attention.``."""
    return int(name.split(".")[1])


class Reference:
    """The blocks of a model and its final norm, with the weights of the model."""

    def __init__(self, model: Any, variants: Variants) -> None:
        self.config, self.variants = model.config, variants
        self.weights: dict[str, Tensor] = {
            name: weight.detach().double() for name, weight in model.named_parameters()
        }
        layers = range(self.config.n_layers)
        self.rotations = [rotation_of(self.config, variants, layer) for layer in layers]
        self.masks = [mask_of(self.config, variants["span"], layer) for layer in layers]

    def norm(self, stream: Tensor, name: str) -> Tensor:
        centre = self.variants["normalization"] != "rms-norm"
        bias = self.weights.get(f"{name}.bias", torch.zeros(1))
        return normalized(stream, centre) * self.weights[f"{name}.weight"] + bias

    def linear(self, x: Tensor, name: str) -> Tensor:
        bias = self.weights.get(f"{name}.bias", torch.zeros(1))
        return x @ self.weights[f"{name}.weight"].T + bias

    def turned(self, vectors: Tensor, at: str) -> Tensor:
        angles, length = self.rotations[layer_at(at)]
        return vectors if angles is None else rotated(vectors, angles, length)

    def qk_normalized(self, heads: Tensor, name: str) -> Tensor:
        kind = self.variants["qk_norm"]
        if kind == "none":
            return heads
        n_pieces = 1 if kind == "full-width" else heads.size(-1) // self.config.head_dim
        pieces = [normalized(piece, False) for piece in heads.tensor_split(n_pieces, dim=-1)]
        weight = self.weights.get(f"{name}.weight", torch.ones(1))
        return torch.cat([piece * weight for piece in pieces], dim=-1)

    def usual_heads(self, h: Tensor, at: str) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """The queries, keys and values of one head after the other."""
        n_heads, n_kv_heads = self.config.n_heads, kv_heads_of(self.config, self.variants)
        q, k, v = (self.linear(h, f"{at}{name}") for name in ("wq", "wk", "wv"))
        q, k = (self.qk_normalized(heads, f"{at}{n}_norm") for n, heads in (("q", q), ("k", k)))
        queries = q.chunk(n_heads, dim=-1)
        keys, values = (heads.chunk(n_kv_heads, dim=-1) for heads in (k, v))
        for head, query in enumerate(queries):
            shared = head * n_kv_heads // n_heads
            yield self.turned(query, at), self.turned(keys[shared], at), values[shared]

    def latent_heads(self, h: Tensor, at: str) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """The same, made from narrow vectors; the last features of queries and keys are turned."""
        n_heads, content = self.config.n_heads, self.config.qk_nope_head_dim
        if self.variants["queries"] == "compressed":
            narrow = normalized(self.linear(h, f"{at}wq.wq_a"), False)
            queries = self.linear(narrow * self.weights[f"{at}wq.q_norm.weight"], f"{at}wq.wq_b")
        else:
            queries = self.linear(h, f"{at}wq")
        rank = self.config.kv_lora_rank
        latent, key = self.linear(h, f"{at}wkv_a").tensor_split((rank,), dim=-1)
        latent = normalized(latent, False) * self.weights[f"{at}kv_norm.weight"]
        made = self.linear(latent, f"{at}wkv_b").chunk(n_heads, dim=-1)
        for query, own in zip(queries.chunk(n_heads, dim=-1), made, strict=True):
            q = torch.cat((query[..., :content], self.turned(query[..., content:], at)), dim=-1)
            k = torch.cat((own[..., :content], self.turned(key, at)), dim=-1)
            yield q, k, own[..., content:]

    def attention(self, h: Tensor, at: str) -> Tensor:
        is_latent = self.variants["attention"] == "latent"
        vectors = (self.latent_heads if is_latent else self.usual_heads)(h, at)
        ones = torch.ones(1, self.config.tokens_per_sample)
        alibi = build_alibi_tensor(ones, self.config.n_heads, torch.float64)
        heads = []
        for head, (q, k, v) in enumerate(vectors):
            scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
            if self.variants.get("rope_scaling") == "yarn-latent":
                scores = scores * (1 + math.log(ROPE_FACTOR) / 10) ** 2
            if self.variants["position"] == "alibi":
                scores = scores + alibi[head]
            if self.variants.get("scores") == "soft-capped":
                scores = bounded(scores, self.config.score_cap)
            scores = scores.exp() * self.masks[layer_at(at)]
            heads.append(scores / scores.sum(dim=-1, keepdim=True) @ v)
        return self.linear(torch.cat(heads, dim=-1), f"{at}wo")

    def network(self, h: Tensor, at: str) -> Tensor:
        inner = ACTIVATIONS[self.variants["feed_forward"]](self.linear(h, f"{at}w1"))
        if f"{at}w3.weight" in self.weights:
            inner = inner * self.linear(h, f"{at}w3")
        return self.linear(inner, f"{at}w2")

    def mixture(self, h: Tensor, at: str) -> Tensor:
        """All experts, of which those that a token does not go through weigh nothing."""
        scores = self.linear(h, f"{at}router.gate").exp()
        if self.variants["router"].startswith("sigmoid"):
            scores = scores / (1 + scores)
        else:
            scores = scores / scores.sum(dim=-1, keepdim=True)
        least = scores.sort(dim=-1, descending=True).values[..., self.config.top_k - 1, None]
        shares = scores * (scores >= least)
        if self.variants["router"] != "softmax":
            shares = shares / shares.sum(dim=-1, keepdim=True)
        shares = shares * getattr(self.config, "routed_scaling_factor", 1)
        outputs = [self.network(h, f"{at}experts.{i}.") for i in range(self.config.n_experts)]
        mixed = (torch.stack(outputs, dim=-1) * shares[..., None, :]).sum(dim=-1)
        for i in range(self.config.n_shared_experts):
            mixed = mixed + self.network(h, f"{at}shared.{i}.")
        return mixed

    def feed_forward(self, h: Tensor, at: str) -> Tensor:
        has_experts = f"{at}router.gate.weight" in self.weights
        return (self.mixture if has_experts else self.network)(h, at)

    def run(self, x: Tensor) -> Tensor:
        """The normalized stream that the stream x (B, T, D) becomes."""
        placement = self.variants.get("norm_placement", "before")
        after = {"before": None, "after": "", "around": "post_"}[placement]
        if self.variants["position"] == "learned":
            x = x + self.weights["pos_embeddings.weight"]
        for index in range(self.config.n_layers):
            at = f"layers.{index}."
            for sublayer, norm, name in (
                (self.attention, "attention_norm", "attention"),
                (self.feed_forward, "ffn_norm", "feed_forward"),
            ):
                h = self.norm(x, f"{at}{norm}") if placement != "after" else x
                added = sublayer(h, f"{at}{name}.")
                x = x + (self.norm(added, f"{at}{after}{norm}") if after is not None else added)
        return self.norm(x, "norm")


def output_of(model: Any, x: Tensor, variants: Variants) -> Tensor:
    """The logits of the normalized stream x."""
    head = model.output if variants["embedding"] == "untied" else model.tok_embeddings
    weight: Tensor = head.weight
    logits = (x @ weight.double().T)[..., : model.config.vocab_size]
    return logits if variants["logits"] == "plain" else bounded(logits, 30)


def bounded(numbers: Tensor, cap: float) -> Tensor:
    """The hyperbolic tangent by way of exponentials, stretched to the cap."""
    powers = (2 * numbers / cap).exp()
    return cap * (powers - 1) / (powers + 1)


@texts
@torch.no_grad()
def test_logits_equal_the_reference(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    tokens = tokens_for(model.config)
    embeddings = model.tok_embeddings.weight.double()
    scale = math.sqrt(model.config.dim) if variants.get("embedding_scale") == "sqrt-width" else 1
    x = Reference(model, variants).run(scale * embeddings[tokens])
    expected = output_of(model, x, variants)
    assert_close(model(tokens).double(), expected, atol=1e-4, rtol=1e-4)
    # Routers compute in float32 whatever the type of the model is, and so do tables of positions.
    close = 1e-5 if "router" in variants else 3e-6
    assert_close(model.double()(tokens), expected, atol=close, rtol=close)


@images
@torch.no_grad()
def test_image_logits_equal_the_reference(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    size, images = model.config.patch_size, images_for(model.config)
    patches = F.unfold(images.double(), size, stride=size).transpose(1, 2)
    embedding = model.patch_embed.weight.double().flatten(1)
    x = patches @ embedding.T + model.patch_embed.bias.double()
    x = Reference(model, variants).run(x).mean(dim=1)
    logits = x @ model.head.weight.double().T + model.head.bias.double()
    assert_close(model(images).double(), logits, atol=1e-4, rtol=1e-4)


@texts
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    for lengths in ((32,), (1,) * 32, (24, 1, 1, 1, 1, 1, 1, 1, 1), (3, 9, 1, 17, 2)):
        cache = model.new_cache(len(tokens))
        logits = [model(chunk, cache) for chunk in tokens.split(lengths, dim=1)]
        assert_close(torch.cat(logits, dim=1), expected, atol=1e-5, rtol=1e-5)


# Our names in transformers; a model's own names for its norms come beside these.
NAMES: Mapping[str, str] = {
    "tok_embeddings": "model.embed_tokens",
    "attention": "self_attn",
    "feed_forward": "mlp",
    **{f"w{letter}": f"{letter}_proj" for letter in "qkvo"},
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
    "layers": "model.layers",
    "norm": "model.norm",
    "output": "lm_head",
}
PRE_NORMS: Mapping[str, str] = {
    "attention_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


def theirs_for(
    model: Any, make_config: Any, make_model: Any, norms: Mapping[str, str], **values: Any
) -> Any:
    """A model of transformers with our shape and weights, and with ``values`` of its own."""
    config = model.config
    shape = {
        "vocab_size": config.vocab_size,
        "hidden_size": config.dim,
        "intermediate_size": config.hidden_dim,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": getattr(config, "n_kv_heads", config.n_heads),
        "rms_norm_eps": config.norm_eps,
        "max_position_embeddings": config.max_seq_len,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.rope_theta},
        "tie_word_embeddings": not hasattr(model, "output"),
        "attn_implementation": "eager",
    }
    theirs = make_model(make_config(**{**shape, **values}))
    names = {**NAMES, **norms}
    weights = {
        ".".join(names.get(piece, piece) for piece in name.split(".")): weight.detach().clone()
        for name, weight in model.named_parameters()
    }
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected
    allowed = set() if hasattr(model, "output") else {"lm_head"}
    if not hasattr(model.layers[0].attention, "q_norm"):  # our norm has weights of 1, as theirs
        allowed |= {"q_norm", "k_norm"}
    assert {name.split(".")[-2] for name in missing} <= allowed
    return theirs


def qwen_for(model: Any, window: int | None) -> Any:
    """Qwen 3 of transformers with our weights."""
    return theirs_for(
        model,
        Qwen3Config,
        Qwen3ForCausalLM,
        PRE_NORMS,
        head_dim=model.config.head_dim,
        use_sliding_window=window is not None,
        sliding_window=window,
        max_window_layers=0,
    )


def qwen2_for(model: Any) -> Any:
    return theirs_for(model, Qwen2Config, Qwen2ForCausalLM, PRE_NORMS)


def olmo2_for(model: Any) -> Any:
    norms = {
        "attention_norm": "post_attention_layernorm",
        "ffn_norm": "post_feedforward_layernorm",
    }
    return theirs_for(model, Olmo2Config, Olmo2ForCausalLM, norms)


def smollm3_for(model: Any) -> Any:
    """SmolLM3, of which every second layer has no RoPE here."""
    turning = [int((layer + 1) % 2 != 0) for layer in range(model.config.n_layers)]
    return theirs_for(
        model,
        SmolLM3Config,
        SmolLM3ForCausalLM,
        PRE_NORMS,
        no_rope_layers=turning,
        pad_token_id=None,
    )


def gemma3_for(model: Any, factor: float | None) -> Any:
    """Gemma 3, whose norms scale by 1 + weight, and which scales embeddings by sqrt(dim)."""
    norms = {
        "attention_norm": "input_layernorm",
        "post_attention_norm": "post_attention_layernorm",
        "ffn_norm": "pre_feedforward_layernorm",
        "post_ffn_norm": "post_feedforward_layernorm",
    }
    config = model.config
    theta = {"rope_type": "default", "rope_theta": config.rope_theta}
    local = {"rope_type": "default", "rope_theta": config.local_rope_theta}
    if factor is not None:
        theta |= {"rope_type": "linear", "factor": factor}
    kinds = {True: "full_attention", False: "sliding_attention"}
    theirs = theirs_for(
        model,
        Gemma3TextConfig,
        Gemma3ForCausalLM,
        norms,
        head_dim=model.config.head_dim,
        query_pre_attn_scalar=model.config.head_dim,
        hidden_activation="gelu",
        final_logit_softcapping=30.0,
        layer_types=[kinds[(layer + 1) % 2 == 0] for layer in range(config.n_layers)],
        sliding_window=config.window,
        rope_parameters={"full_attention": theta, "sliding_attention": local},
    )
    with torch.no_grad():
        for name, weight in theirs.named_parameters():
            if "norm" in name:
                weight.sub_(1)
    return theirs


GEMMA3: Variants = {
    "span": "alternating",
    "qk_norm": "weighted-per-head",
    "norm_placement": "around",
    "feed_forward": "geglu",
    "embedding": "untied",
    "embedding_scale": "sqrt-width",
    "logits": "soft-capped",
}
KNOWN_MODELS: Mapping[str, tuple[Callable[[Any], Any], Variants]] = {
    "Qwen 2": (qwen2_for, {"projection_bias": "qkv", "qk_norm": "none", "embedding": "untied"}),
    "Qwen 3": (
        partial(qwen_for, window=None),
        {"head_width": "chosen", "qk_norm": "weighted-per-head"},
    ),
    "OLMo 2": (
        olmo2_for,
        {"qk_norm": "full-width", "norm_placement": "after", "embedding": "untied"},
    ),
    "SmolLM3": (smollm3_for, {"position": "rope-nope", "qk_norm": "none"}),
    "Gemma 3": (partial(gemma3_for, factor=None), GEMMA3),
    "Gemma 3 with a longer context": (
        partial(gemma3_for, factor=ROPE_FACTOR),
        {**GEMMA3, "rope_scaling": "linear"},
    ),
}


@pytest.mark.parametrize("name", KNOWN_MODELS)
@torch.no_grad()
def test_known_models_are_there(packages: Packages, name: str) -> None:
    make, variants = KNOWN_MODELS[name]
    model = packages[{"task": "language-model", **variants}].build(n_layers=3)
    tokens = tokens_for(model.config)
    assert_close(model(tokens), make(model)(tokens).logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("variants", QWEN3, ids=name_of)
def test_model_equals_that_of_transformers(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    qwen = qwen_for(model, 8 if variants["span"] == "sliding-window" else None)
    tokens = tokens_for(model.config)
    logits, theirs = model(tokens), qwen(tokens).logits
    assert_close(logits, theirs, atol=1e-4, rtol=1e-4)
    for output in (logits, theirs):
        loss: Any = F.cross_entropy(output[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
    pairs = (
        (model.tok_embeddings, qwen.model.embed_tokens),
        (model.layers[0].attention.wk, qwen.model.layers[0].self_attn.k_proj),
        (model.layers[1].feed_forward.w1, qwen.model.layers[1].mlp.gate_proj),
        (model.layers[0].attention_norm, qwen.model.layers[0].input_layernorm),
    )
    for ours, other in pairs:
        scale = other.weight.grad.abs().max().item()
        assert_close(ours.weight.grad, other.weight.grad, atol=1e-4 * scale, rtol=0)


@texts_and_images
def test_estimates_are_exact(packages: Packages, variants: Variants) -> None:
    rendered = packages[variants]
    with torch.device("meta"):
        model = rendered.module.Model(rendered.module.ModelConfig())
    assert parameters_of(model) == (
        rendered.estimates.parameters,
        rendered.estimates.active_parameters,
    )
    assert model.flops_per_token() == rendered.estimates.flops_per_token
    assert counted_flops(model) == model.flops_per_token()


def parameters_of(model: Any) -> tuple[int, int | None]:
    """All parameters, and those that a token uses where it does not use all."""
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    total = sum(sizes.values())
    if not hasattr(model.config, "top_k"):
        return total, None
    idle = [f".experts.{i}." for i in range(model.config.top_k, model.config.n_experts)]
    return total, sum(n for name, n in sizes.items() if not any(part in name for part in idle))


def counted_flops(model: Any) -> int:
    """What torch counts per token: forward and backward, or 3 x forward for images."""
    config = model.config
    is_text = hasattr(config, "vocab_size")
    inputs = (tokens_for(config, 2) if is_text else images_for(config)).to("meta")
    with FlopCounterMode(display=False) as counter:
        output = model(inputs)
        if is_text:
            output.sum().backward()
    n_tokens: int = len(inputs) * config.tokens_per_sample
    flops: int = counter.get_total_flops() // n_tokens
    return flops if is_text else 3 * flops


@st.composite
def text_answers(draw: st.DrawFn) -> dict[str, Any]:
    """Answers for a language model of any shape."""
    n_heads, n_kv_heads = draw(st.sampled_from([(2, 1), (4, 2), (6, 3), (6, 1), (8, 4)]))
    variants = draw(st.sampled_from(TEXT))
    experts = variants["feed_forward"] == "mixture-of-experts"  # widths are multiples of 8
    # Of partial RoPE a quarter turns, in pairs.
    unit = 8 if experts or variants["position"] == "partial-rope" else 2
    answers: dict[str, Any] = {
        **variants,
        "task.n_heads": n_heads,
        "task.dim": n_heads * unit * draw(st.integers(2, 8)),
        "task.n_layers": draw(st.integers(2, 4)),
        "task.max_seq_len": draw(st.integers(2, 40)),
        "feed_forward.hidden_dim": draw(st.integers(1, 70)) * (8 if experts else 1),
    }
    if variants.get("queries") == "compressed":
        answers["queries.q_lora_rank"] = draw(st.integers(1, 2))
    if answers["attention"] == "grouped-query":
        answers["attention.n_kv_heads"] = n_kv_heads
    return answers


@settings(max_examples=40, deadline=None)
@given(answers=text_answers())
def test_estimates_are_exact_for_all_sizes(
    catalogue: Catalogue, packages: Packages, answers: dict[str, Any]
) -> None:
    design = parse(catalogue, answers)
    module = packages[{axis: answers[axis] for axis in MODEL_AXES if axis in answers}].module
    sizes = {
        key: value for key, value in design.values.items() if key in vars(module.ModelConfig())
    }
    with torch.device("meta"):
        model = module.Model(module.ModelConfig(**sizes))
    estimates = estimate(catalogue, design)
    assert parameters_of(model) == (estimates.parameters, estimates.active_parameters)
    assert model.flops_per_token() == estimates.flops_per_token


@texts
def test_the_cache_is_as_large_as_estimated(packages: Packages, variants: Variants) -> None:
    rendered = packages[variants]
    with torch.device("meta"):
        model = rendered.module.Model(rendered.module.ModelConfig())
    cache = model.new_cache(1)
    held = 10
    model(torch.zeros(1, held, dtype=torch.int64, device="meta"), cache)
    if variants["span"] == "alternating":  # what it holds differs: told for a full context
        held = model.config.max_seq_len
        model(torch.zeros(1, held - 10, dtype=torch.int64, device="meta"), cache)
    slots = cache.layers[-1].keys.size(2)
    tensors = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    n_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    assert slots == (held if variants["span"] == "sliding-window" else model.config.max_seq_len)
    assert rendered.estimates.cache_bytes_per_token == round(n_bytes / slots)


@texts_and_images
def test_weights_are_the_same_however_the_model_is_made(
    packages: Packages, variants: Variants
) -> None:
    rendered = packages[variants]
    materialized = rendered.module.build_model(rendered.config(), CPU, 5)
    direct = rendered.module.Model(rendered.config())
    if variants["task"] == "language-model":
        rendered.module.initialization.init_weights(direct, rendered.config(), 5)
    else:
        direct.init_weights(5)
    for name, tensor in materialized.state_dict().items():
        assert torch.equal(tensor, direct.state_dict()[name]), name
    ours, other = dict(materialized.named_buffers()), dict(direct.named_buffers())
    assert ours.keys() == other.keys()
    for name, buffer in materialized.bfloat16().named_buffers():
        if ".router." not in name:  # which counts tokens, and learns biases of experts
            assert buffer.dtype == torch.float32, name
        assert torch.equal(buffer, other[name].type_as(buffer)), name


# Without experts: to round the stream is to choose other ones.
DENSE = [variants for variants in TEXT if "router" not in variants]


@pytest.mark.parametrize("variants", [DENSE[0], DENSE[-1], IMAGES[0], IMAGES[-1]], ids=name_of)
def test_the_stream_stays_in_float32_under_autocast(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    streams: list[torch.dtype] = []
    for layer in model.layers:
        layer.register_forward_hook(lambda _module, _inputs, output: streams.append(output.dtype))
    is_text = hasattr(model.config, "vocab_size")
    inputs = tokens_for(model.config) if is_text else images_for(model.config)
    expected = model(inputs)
    with torch.autocast("cpu", torch.bfloat16):
        output = model(inputs)
    assert set(streams) == {torch.float32}
    assert_close(output.float(), expected, atol=0.15 * expected.std().item(), rtol=0.1)


@pytest.mark.parametrize("variants", TEXT + IMAGES[:1], ids=name_of)
def test_every_layer_compiles_as_one_graph(packages: Packages, variants: Variants) -> None:
    model = packages[variants].build()
    is_text = hasattr(model.config, "vocab_size")
    inputs = tokens_for(model.config) if is_text else images_for(model.config)
    expected = model(inputs)
    names = list(model.state_dict())
    for layer in model.layers:
        assert isinstance(layer, nn.Module)
        layer.compile(fullgraph=True, backend="eager")
    assert_close(model(inputs), expected, atol=1e-5, rtol=1e-5)
    assert list(model.state_dict()) == names


IMAGE_TASK = {"task": "image-classification"}
EXPERTS: Mapping[str, Value] = {"feed_forward": "mixture-of-experts"}
LATENT: Mapping[str, Value] = {
    "task.dim": 384,
    "task.n_heads": 6,
    "attention": "latent",
    "attention.qk_nope_head_dim": 64,
    "attention.qk_rope_head_dim": 32,
    "attention.v_head_dim": 64,
}
REFUSED: Mapping[str, tuple[dict[str, Value], str]] = {
    "width over heads": ({"task.dim": 100, "task.n_heads": 6}, "do not divide into 6 heads"),
    "heads over key heads": (
        {"attention.n_kv_heads": 4, "task.n_heads": 6},
        "set n_kv_heads to a divisor of 6",
    ),
    "nothing shared": (
        {"attention.n_kv_heads": 6, "task.n_heads": 6},
        "choose multi-head attention",
    ),
    "half a pair": (
        {
            "position": "partial-rope",
            "position.rope_fraction": 0.3,
            "task.dim": 60,
            "task.n_heads": 6,
        },
        "set rope_fraction to an even number of features over 10",
    ),
    "scaling without RoPE": (
        {"position": "alibi", "rope_scaling": "yarn"},
        "rope_scaling exists only with position = rope or partial-rope",
    ),
    "nothing extended": (
        {
            "rope_scaling": "yarn",
            "rope_scaling.original_max_seq_len": 64,
            "task.max_seq_len": 64,
        },
        "no longer than the original one of 64",
    ),
    "fast below slow": (
        {"rope_scaling": "yarn", "rope_scaling.beta_fast": 1.0, "rope_scaling.beta_slow": 2.0},
        "set beta_fast above beta_slow",
    ),
    "all pairs alike": (
        {"rope_scaling": "yarn", "position.rope_theta": 1.0},
        "set rope_theta above 1",
    ),
    "sharpened by the table": ({"attention": "latent", "rope_scaling": "yarn"}, "yarn-latent does"),
    "high below low": (
        {
            "rope_scaling": "llama3",
            "rope_scaling.low_freq_factor": 4.0,
            "rope_scaling.high_freq_factor": 4.0,
        },
        "set high_freq_factor above low_freq_factor",
    ),
    "bounded biases": (
        {"position": "alibi", "scores": "soft-capped"},
        "added before the bound or after it",
    ),
    "biases of patches": ({**IMAGE_TASK, "position": "alibi"}, "has two directions"),
    "patches without places": ({**IMAGE_TASK, "position": "none"}, "without a causal mask"),
    "one key head for images": ({**IMAGE_TASK, "attention": "multi-query"}, "there is no cache"),
    "odd heads": ({"task.dim": 18, "task.n_heads": 6}, "turn in pairs"),
    "wide window": (
        {"span": "sliding-window", "span.window": 64, "task.max_seq_len": 64},
        "hides nothing in a context of 64",
    ),
    "no global layer": (
        {"span": "alternating", "span.global_every": 5, "task.n_layers": 4},
        "set global_every to at most 4, or choose a sliding window",
    ),
    "no layer without positions": (
        {"position": "rope-nope", "position.nope_every": 5, "task.n_layers": 4},
        "set nope_every to at most 4, or choose rope",
    ),
    "blocks of joined documents": (
        {"documents": "joined", "attention_backend": "flex"},
        "attention_backend exists only with documents = masked",
    ),
    "blocks of a whole context": (
        {"span": "causal", "window_backend": "flex"},
        "window_backend exists only with span = sliding-window or alternating",
    ),
    "angles of a window": (
        {"span": "sliding-window", "local_rope": "own-base"},
        "local_rope exists only with span = alternating",
    ),
    "learned latent": ({"attention": "latent", "position": "learned"}, "which are rotated"),
    "odd rotation": (
        {"attention": "latent", "attention.qk_rope_head_dim": 5},
        "5 of a head are to be rotated",
    ),
    "large latent": (
        {**LATENT, "attention.kv_lora_rank": 4096},
        "no smaller than the keys and values of 6 heads",
    ),
    "wide compression": (
        {**LATENT, "queries": "compressed", "queries.q_lora_rank": 500},
        "choose direct queries",
    ),
    "queries of other attention": ({"attention": "multi-head", "queries": "direct"}, "latent"),
    "all experts": (
        {**EXPERTS, "feed_forward.n_experts": 4, "feed_forward.top_k": 4},
        "leaves no choice to the router",
    ),
    "uneven rows": (
        {**EXPERTS, "feed_forward.hidden_dim": 100},
        "set hidden_dim and dim to multiples of 8",
    ),
    "dense throughout": (
        {
            **EXPERTS,
            "leading_layers": "dense",
            "leading_layers.n_dense_layers": 4,
            "task.n_layers": 4,
        },
        "choose swiglu for all layers",
    ),
    "dense beside nothing": (
        {"feed_forward": "gelu", "leading_layers": "dense"},
        "leading_layers exists only with feed_forward = mixture-of-experts",
    ),
    "one scaled expert": (
        {**EXPERTS, "feed_forward.top_k": 1, "router": "sigmoid"},
        "choose router = softmax",
    ),
    "compiled experts": ({**EXPERTS, "graph_mode": "compile"}, "not one graph"),
    "experts for images": ({**IMAGE_TASK, **EXPERTS}, "large language models"),
    "router without experts": ({"feed_forward": "gelu", "router": "sigmoid"}, "exists only with"),
    "causal images": ({**IMAGE_TASK, "span": "causal"}, "an image as a whole"),
    "grouped images": ({**IMAGE_TASK, "attention": "grouped-query"}, "there is no cache"),
    "rope on images": ({**IMAGE_TASK, "position": "rope"}, "axial-rope"),
    "heads in halves": (
        {**IMAGE_TASK, "task.dim": 24, "task.n_heads": 4},
        "set dim to a multiple of 4 x n_heads = 4",
    ),
    "cut patches": ({**IMAGE_TASK, "task.patch_size": 3}, "set patch_size to a divisor of 8"),
}


@pytest.mark.parametrize(("answers", "words"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_refused(
    catalogue: Catalogue, answers: dict[str, Value], words: str
) -> None:
    with pytest.raises(DesignError, match=re.escape(words)):
        parse(catalogue, {"task": "language-model", **answers})


def test_a_fraction_of_rope_asks_for_the_variant_that_has_it(catalogue: Catalogue) -> None:
    answers: dict[str, Value] = {"task": "language-model", "position.rope_fraction": 0.5}
    assert parse(catalogue, answers)["position"].variant == "partial-rope"


@pytest.mark.parametrize("scaling", ["yarn", "llama3"])
def test_the_factor_of_rope_follows_the_contexts(catalogue: Catalogue, scaling: str) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "task.max_seq_len": 131072,
        "rope_scaling": scaling,
        "rope_scaling.original_max_seq_len": 8192,
    }
    assert parse(catalogue, answers).values["rope_factor"] == 16.0


def test_layers_without_positions_are_those_that_see_everything(catalogue: Catalogue) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "span": "alternating",
        "span.global_every": 3,
        "position": "rope-nope",
    }
    assert parse(catalogue, answers).values["nope_every"] == 3
    del answers["span"], answers["span.global_every"]
    assert parse(catalogue, answers).values["nope_every"] == 4


def test_the_window_follows_the_context(catalogue: Catalogue) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "span": "sliding-window",
        "task.max_seq_len": 1024,
    }
    assert parse(catalogue, answers).values["window"] == 256


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(6, 2), (8, 2), (12, 3), (10, 5), (7, 1)])
def test_key_heads_default_to_about_a_quarter(
    catalogue: Catalogue, n_heads: int, n_kv_heads: int
) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "task.n_heads": n_heads,
        "task.dim": 64 * n_heads,
    }
    assert parse(catalogue, answers).values["n_kv_heads"] == n_kv_heads
