"""The model parts in all combinations, against references and against their own estimates."""

import importlib
import itertools
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from rendering import parse
from torch import Tensor, nn
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers import Qwen3Config, Qwen3ForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.decisions import decide
from scaffold.design import Value
from scaffold.errors import DesignError
from scaffold.estimates import Estimates, estimate
from scaffold.plan import make_plan
from scaffold.render import render

CPU = torch.device("cpu")
TEXT_AXES: Mapping[str, tuple[str, ...]] = {
    "attention": ("grouped-query", "multi-head"),
    "span": ("causal", "sliding-window"),
    "position": ("rope", "learned"),
    "normalization": ("rms-norm", "layer-norm"),
    "feed_forward": ("swiglu", "gelu"),
}
IMAGE_AXES: Mapping[str, tuple[str, ...]] = {
    "position": ("axial-rope", "learned"),
    "normalization": ("rms-norm", "layer-norm"),
    "feed_forward": ("swiglu", "gelu"),
}
SMALL = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}
SMALL_TEXT = {"max_seq_len": 32, "vocab_size": 64, "n_kv_heads": 2, "window": 8}
QWEN = ("rope", "rms-norm", "swiglu")


def combinations(axes: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(itertools.product(*axes.values()))


TEXT = combinations(TEXT_AXES)
IMAGES = combinations(IMAGE_AXES)
WITH_ROPE = [variants for variants in TEXT if variants[2:] == QWEN]


@dataclass(frozen=True)
class Rendered:
    """The model package of a design, and what the design is said to cost."""

    module: ModuleType
    estimates: Estimates

    def config(self, **sizes: int) -> Any:
        """The small configuration; sizes that it has no field for are left out."""
        config = self.module.ModelConfig()
        wanted = {**SMALL, **(SMALL_TEXT if hasattr(config, "max_seq_len") else {}), **sizes}
        return replace(config, **{key: n for key, n in wanted.items() if hasattr(config, key)})

    def build(self, **sizes: int) -> Any:
        """The small model with weights large enough that every part of it shows in the output."""
        model = self.module.build_model(self.config(**sizes), CPU, 0)
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.2)
        return model


@pytest.fixture(scope="module")
def packages(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, ...], Rendered]]:
    """Every combination of the model parts, rendered and imported side by side."""
    folder = tmp_path_factory.mktemp("models")
    sys.path.insert(0, str(folder))
    found = {}
    for task, axes in (("language-model", TEXT_AXES), ("image-classification", IMAGE_AXES)):
        for number, variants in enumerate(combinations(axes)):
            package = f"{task.replace('-', '_')}_{number}"
            answers = {"task": task, "project.package": package}
            design = parse(catalogue, {**answers, **dict(zip(axes, variants, strict=True))})
            estimates = estimate(catalogue, design)
            plan = make_plan(catalogue, design, decide(catalogue, design), estimates)
            for path, file in render(plan).items():
                if path.startswith(f"src/{package}/model/"):
                    target = folder / path.removeprefix("src/")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(file.content)
            found[variants] = Rendered(importlib.import_module(f"{package}.model"), estimates)
    yield found
    sys.path.remove(str(folder))


Packages = dict[tuple[str, ...], Rendered]


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


def rotated(x: Tensor, angles: Tensor) -> Tensor:
    real, imaginary = x.chunk(2, dim=-1)
    turned = torch.complex(real, imaginary) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((turned.real, turned.imag), dim=-1)


def angles_of(config: Any, position: str) -> Tensor | None:
    """Angles (tokens, pairs of features) by which queries and keys are turned."""
    n, head_dim = config.tokens_per_sample, config.dim // config.n_heads
    if position == "rope":
        return torch.tensor(
            [[t / 10000 ** (2 * i / head_dim) for i in range(head_dim // 2)] for t in range(n)],
            dtype=torch.float64,
        )
    if position == "axial-rope":
        side, quarter = math.isqrt(n), head_dim // 4
        rows = [
            [t // side / 100 ** (i / quarter) for i in range(quarter)]
            + [t % side / 100 ** (i / quarter) for i in range(quarter)]
            for t in range(n)
        ]
        return torch.tensor(rows, dtype=torch.float64)
    return None


def mask_of(config: Any, span: str) -> Tensor:
    """Which token (column) each token (row) sees."""
    n = config.tokens_per_sample
    reach = {"causal": n, "sliding-window": getattr(config, "window", 0), "bidirectional": -1}[span]
    rows = [[reach < 0 or 0 <= t - s < reach for s in range(n)] for t in range(n)]
    return torch.tensor(rows)


def run_blocks(model: Any, x: Tensor, variants: Mapping[str, str]) -> Tensor:
    """The blocks and the final norm on the stream x (B, T, D)."""
    config = model.config
    weights = {name: weight.detach().double() for name, weight in model.named_parameters()}
    head_dim = config.dim // config.n_heads
    group = config.n_heads // getattr(config, "n_kv_heads", config.n_heads)
    angles = angles_of(config, variants["position"])
    mask = mask_of(config, variants.get("span", "bidirectional"))
    centre = variants["normalization"] == "layer-norm"
    if variants["position"] == "learned":
        x = x + weights["pos_embeddings.weight"]
    for index in range(config.n_layers):
        at = f"layers.{index}."
        h = normalized(x, centre) * weights[f"{at}attention_norm.weight"]
        q, k, v = (h @ weights[f"{at}attention.{name}.weight"].T for name in ("wq", "wk", "wv"))
        heads = []
        for head in range(config.n_heads):
            own = slice(head * head_dim, (head + 1) * head_dim)
            shared = slice(head // group * head_dim, (head // group + 1) * head_dim)
            pair = [normalized(q[..., own], False), normalized(k[..., shared], False)]
            if angles is not None:
                pair = [rotated(vectors, angles) for vectors in pair]
            scores = (pair[0] @ pair[1].transpose(1, 2) / math.sqrt(head_dim)).exp() * mask
            heads.append(scores / scores.sum(dim=-1, keepdim=True) @ v[..., shared])
        x = x + torch.cat(heads, dim=-1) @ weights[f"{at}attention.wo.weight"].T
        h = normalized(x, centre) * weights[f"{at}ffn_norm.weight"]
        inner = h @ weights[f"{at}feed_forward.w1.weight"].T
        if variants["feed_forward"] == "swiglu":
            gated = h @ weights[f"{at}feed_forward.w3.weight"].T
            inner = inner / (1 + (-inner).exp()) * gated
        else:
            inner = inner * (1 + torch.erf(inner / math.sqrt(2))) / 2
        x = x + inner @ weights[f"{at}feed_forward.w2.weight"].T
    x = normalized(x, centre) * weights["norm.weight"]
    return x


@pytest.mark.parametrize("variants", TEXT, ids="-".join)
@torch.no_grad()
def test_logits_equal_the_reference(packages: Packages, variants: tuple[str, ...]) -> None:
    model = packages[variants].build()
    tokens = tokens_for(model.config)
    embeddings = model.tok_embeddings.weight.double()
    x = run_blocks(model, embeddings[tokens], dict(zip(TEXT_AXES, variants, strict=True)))
    assert_close(model(tokens).double(), x @ embeddings.T, atol=1e-4, rtol=1e-4)
    assert_close(model.double()(tokens), x @ embeddings.T, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("variants", IMAGES, ids="-".join)
@torch.no_grad()
def test_image_logits_equal_the_reference(packages: Packages, variants: tuple[str, ...]) -> None:
    model = packages[variants].build()
    size, images = model.config.patch_size, images_for(model.config)
    patches = F.unfold(images.double(), size, stride=size).transpose(1, 2)
    embedding = model.patch_embed.weight.double().flatten(1)
    x = patches @ embedding.T + model.patch_embed.bias.double()
    x = run_blocks(model, x, dict(zip(IMAGE_AXES, variants, strict=True))).mean(dim=1)
    logits = x @ model.head.weight.double().T + model.head.bias.double()
    assert_close(model(images).double(), logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("variants", TEXT, ids="-".join)
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, variants: tuple[str, ...]) -> None:
    model = packages[variants].build()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    for lengths in ((32,), (1,) * 32, (24, 1, 1, 1, 1, 1, 1, 1, 1), (3, 9, 1, 17, 2)):
        cache = model.new_cache(len(tokens))
        logits = [model(chunk, cache) for chunk in tokens.split(lengths, dim=1)]
        assert_close(torch.cat(logits, dim=1), expected, atol=1e-5, rtol=1e-5)


def qwen_for(model: Any, window: int | None) -> Any:
    """Qwen 3 of transformers with our weights; its norms of queries and keys have weights of 1."""
    config = model.config
    make_config: Any = Qwen3Config  # whose types leave out what it passes on
    theirs = make_config(
        vocab_size=config.vocab_size,
        hidden_size=config.dim,
        intermediate_size=config.hidden_dim,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=getattr(config, "n_kv_heads", config.n_heads),
        head_dim=config.head_dim,
        rms_norm_eps=config.norm_eps,
        max_position_embeddings=config.max_seq_len,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        tie_word_embeddings=True,
        use_sliding_window=window is not None,
        sliding_window=window,
        max_window_layers=0,
        attn_implementation="eager",
    )
    names = {
        "tok_embeddings": "model.embed_tokens",
        "attention_norm": "input_layernorm",
        "ffn_norm": "post_attention_layernorm",
        "attention": "self_attn",
        "feed_forward": "mlp",
        **{f"w{letter}": f"{letter}_proj" for letter in "qkvo"},
        "w1": "gate_proj",
        "w2": "down_proj",
        "w3": "up_proj",
        "layers": "model.layers",
        "norm": "model.norm",
    }
    weights = {
        ".".join(names.get(piece, piece) for piece in name.split(".")): weight.detach()
        for name, weight in model.named_parameters()
    }
    qwen: Any = Qwen3ForCausalLM(theirs)
    missing, unexpected = qwen.load_state_dict(weights, strict=False)
    assert not unexpected
    assert {name.split(".")[-2] for name in missing} == {"q_norm", "k_norm", "lm_head"}
    return qwen


@pytest.mark.parametrize("variants", WITH_ROPE, ids="-".join)
def test_model_equals_that_of_transformers(packages: Packages, variants: tuple[str, ...]) -> None:
    model = packages[variants].build()
    qwen = qwen_for(model, 8 if "sliding-window" in variants else None)
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


@pytest.mark.parametrize("variants", TEXT + IMAGES, ids="-".join)
def test_estimates_are_exact(packages: Packages, variants: tuple[str, ...]) -> None:
    rendered = packages[variants]
    with torch.device("meta"):
        model = rendered.module.Model(rendered.module.ModelConfig())
    assert sum(weight.numel() for weight in model.parameters()) == rendered.estimates.parameters
    assert model.flops_per_token() == rendered.estimates.flops_per_token
    assert counted_flops(model) == model.flops_per_token()


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
    answers: dict[str, Any] = {
        **dict(zip(TEXT_AXES, variants, strict=True)),
        "task.n_heads": n_heads,
        "task.dim": n_heads * 2 * draw(st.integers(2, 8)),
        "task.n_layers": draw(st.integers(1, 3)),
        "task.max_seq_len": draw(st.integers(2, 40)),
        "feed_forward.hidden_dim": draw(st.integers(1, 70)),
    }
    if answers["attention"] == "grouped-query":
        answers["attention.n_kv_heads"] = n_kv_heads
    return answers


@settings(max_examples=40, deadline=None)
@given(answers=text_answers())
def test_estimates_are_exact_for_all_sizes(
    catalogue: Catalogue, packages: Packages, answers: dict[str, Any]
) -> None:
    design = parse(catalogue, {"task": "language-model", **answers})
    module = packages[tuple(answers[axis] for axis in TEXT_AXES)].module
    sizes = {
        key: value for key, value in design.values.items() if key in vars(module.ModelConfig())
    }
    with torch.device("meta"):
        model = module.Model(module.ModelConfig(**sizes))
    estimates = estimate(catalogue, design)
    assert sum(weight.numel() for weight in model.parameters()) == estimates.parameters
    assert model.flops_per_token() == estimates.flops_per_token


@pytest.mark.parametrize("variants", TEXT, ids="-".join)
def test_the_cache_is_as_large_as_estimated(packages: Packages, variants: tuple[str, ...]) -> None:
    rendered = packages[variants]
    with torch.device("meta"):
        model = rendered.module.Model(rendered.module.ModelConfig())
    cache = model.new_cache(1)
    held = 10
    model(torch.zeros(1, held, dtype=torch.int64, device="meta"), cache)
    slots = cache.layers[0].keys.size(2)
    tensors = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    n_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    assert slots == (held if "sliding-window" in variants else model.config.max_seq_len)
    assert n_bytes == rendered.estimates.cache_bytes_per_token * slots


@pytest.mark.parametrize("variants", TEXT + IMAGES, ids="-".join)
def test_weights_are_the_same_however_the_model_is_made(
    packages: Packages, variants: tuple[str, ...]
) -> None:
    rendered = packages[variants]
    materialized = rendered.module.build_model(rendered.config(), CPU, 5)
    direct = rendered.module.Model(rendered.config())
    direct.init_weights(5)
    for name, tensor in materialized.state_dict().items():
        assert torch.equal(tensor, direct.state_dict()[name]), name
    ours, other = dict(materialized.named_buffers()), dict(direct.named_buffers())
    assert ours.keys() == other.keys()
    for name, buffer in materialized.bfloat16().named_buffers():
        assert buffer.dtype == torch.float32, name
        assert torch.equal(buffer, other[name]), name


@pytest.mark.parametrize("variants", [TEXT[0], TEXT[-1], IMAGES[0], IMAGES[-1]], ids="-".join)
def test_the_stream_stays_in_float32_under_autocast(
    packages: Packages, variants: tuple[str, ...]
) -> None:
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
    assert_close(output.float(), expected, atol=0.1 * expected.std().item(), rtol=0.1)


@pytest.mark.parametrize("variants", [TEXT[8], TEXT[-1], IMAGES[0]], ids="-".join)
def test_every_layer_compiles_as_one_graph(packages: Packages, variants: tuple[str, ...]) -> None:
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
    "odd heads": ({"task.dim": 18, "task.n_heads": 6}, "turn in pairs"),
    "wide window": (
        {"span": "sliding-window", "span.window": 64, "task.max_seq_len": 64},
        "hides nothing in a context of 64",
    ),
    "learned latent": ({"attention": "latent", "position": "learned"}, "which are rotated"),
    "odd rotation": (
        {"attention": "latent", "attention.qk_rope_head_dim": 5},
        "set qk_rope_head_dim to an even number",
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
