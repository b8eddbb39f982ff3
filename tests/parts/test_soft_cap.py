"""Bounded scores of attention against Gemma 2 of transformers, and in a kernel.

The kernel is FlexAttention, which has no backward pass on the CPU, but only because it refuses
there: without that check the uncompiled one has gradients.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
import torch.nn.attention.flex_attention as flex
import torch.nn.functional as F
from model_package import ModelPackage, import_model
from torch import Tensor
from torch.testing import assert_close
from transformers import Gemma2Config, Gemma2ForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value

N_TOKENS = 160  # more than a block of 128
END = 0
SIZES: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 64,
    "task.n_heads": 4,
    "task.n_layers": 2,
    "task.max_seq_len": N_TOKENS,
    "scores": "soft-capped",
    "scores.score_cap": 1.5,
}
DESIGNS: Mapping[str, Mapping[str, Value]] = {
    "causal": {"span": "causal", "attention": "grouped-query"},
    "window": {"span": "sliding-window", "attention": "multi-head", "position": "learned"},
    "pattern": {"span": "alternating", "attention": "multi-query", "position": "rope-nope"},
    "latent": {"span": "alternating", "attention": "latent"},
}
Packages = Mapping[str, ModelPackage]
designs = pytest.mark.parametrize("name", DESIGNS)


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("caps")
    yield {
        f"{name}, {documents}": import_model(
            catalogue,
            folder,
            f"capped_{name}_{documents}",
            {**variants, **SIZES, "documents": documents},
        )
        for name, variants in DESIGNS.items()
        for documents in ("joined", "masked")
    }


def rows(seed: int, n_documents: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(1, 60, (2, N_TOKENS), generator=generator)
    ends = torch.randint(N_TOKENS, (2, n_documents), generator=generator)
    return tokens.scatter(1, ends, END)


def results(model: Any, tokens: Tensor, **others: Any) -> list[Tensor]:
    """Logits, and the gradients of all weights."""
    logits = model(tokens, **others)
    direction = torch.randn(logits.shape, generator=torch.Generator().manual_seed(0))
    direction = direction.to(logits.device, logits.dtype)
    return [logits, *torch.autograd.grad((logits * direction).sum(), list(model.parameters()))]


def assert_alike(found: list[Tensor], expected: list[Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, atol=1e-4 * other.abs().max().item(), rtol=1e-4)


def uncompiled(package: ModelPackage, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The kernel on the CPU; returns a list, to which each call adds its mask."""
    masks: list[Any] = []

    def counted(function: Any) -> Any:
        def call(*inputs: Any, **values: Any) -> Any:
            masks.extend([values["block_mask"]] if "block_mask" in values else [])
            return function(*inputs, **values)

        return call

    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)
    monkeypatch.setattr(package.submodule("blocks"), "compiled", counted)
    return masks


@designs
def test_the_kernel_gives_the_same_logits_and_gradients(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[f"{name}, joined"]
    model, tokens = package.build(), rows(0, 5)
    expected = results(model, tokens)
    masks = uncompiled(package, monkeypatch)
    module = package.submodule("rows")
    given = module.block_rows(model.config, N_TOKENS, tokens.device)
    assert given is module.block_rows(model.config, N_TOKENS, tokens.device)
    assert_alike(results(model, tokens, cache=given), expected)
    assert len(masks) == 2  # one call in each layer
    assert len({id(mask) for mask in masks}) == (2 if DESIGNS[name]["span"] == "alternating" else 1)


@designs
def test_the_kernel_keeps_documents_apart(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[f"{name}, masked"]
    model, tokens = package.build(), rows(0, 5)
    positions = package.submodule("documents").positions_in_documents(tokens, END)
    expected = results(model, tokens, positions=positions)
    assert (expected[0] - model(tokens)).abs().max() > 1e-3
    blocks = package.submodule("blocks")
    masks = uncompiled(package, monkeypatch)

    def layer(positions: Tensor, window: int) -> Any:
        is_visible = blocks.in_document(positions, window)
        return blocks.BlockLayer(is_visible, *positions.shape, positions.device)

    monkeypatch.setattr(package.submodule("packed"), "PackedLayer", layer)
    assert_alike(results(model, tokens, positions=positions), expected)
    assert len(masks) == 2


@designs
@torch.no_grad()
def test_layers_with_blocks_are_one_graph(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[f"{name}, joined"]
    model = package.build()
    batches = [rows(seed, 1 + 4 * seed) for seed in range(3)]
    expected = [model(tokens) for tokens in batches]
    graph = torch.compile(flex.create_block_mask, dynamic=False, backend="eager")
    functions = {flex.create_block_mask: graph, flex.flex_attention: flex.flex_attention}
    monkeypatch.setattr(package.submodule("blocks"), "compiled", functions.__getitem__)
    given = package.submodule("rows").BlockRows(model.config, N_TOKENS, batches[0].device)
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend="eager")
    model(batches[0], given)
    with torch.compiler.set_stance("fail_on_recompile"):
        for tokens, logits in zip(batches, expected, strict=True):
            scale = logits.abs().max().item()
            assert_close(model(tokens, given), logits, atol=1e-5 * scale, rtol=1e-4)


@torch.no_grad()
def test_all_layers_and_batches_share_a_kernel(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages["causal, joined"]
    model = package.build()
    kernel = torch.compile(flex.flex_attention, dynamic=False, backend="eager", fullgraph=True)
    functions = {flex.create_block_mask: flex.create_block_mask, flex.flex_attention: kernel}
    monkeypatch.setattr(package.submodule("blocks"), "compiled", functions.__getitem__)
    given = package.submodule("rows").BlockRows(model.config, N_TOKENS, torch.device("cpu"))
    model.layers[0](model.tok_embeddings(rows(0, 5)), given.layers[0])
    with torch.compiler.set_stance("fail_on_recompile"):
        for tokens in (rows(0, 5), rows(1, 3)):
            expected = model(tokens)
            scale = expected.abs().max().item()
            assert_close(model(tokens, given), expected, atol=1e-5 * scale, rtol=1e-4)


@pytest.mark.parametrize("name", ["causal", "latent"])
@torch.no_grad()
def test_the_compiled_kernel_gives_the_same(packages: Packages, name: str) -> None:
    package = packages[f"{name}, joined"]
    model, tokens = package.build(), rows(0, 5)
    expected = model(tokens)
    given = package.submodule("rows").BlockRows(model.config, N_TOKENS, tokens.device)
    found = model(tokens, given)
    assert_close(found, expected, atol=1e-5 * expected.abs().max().item(), rtol=1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@designs
@pytest.mark.parametrize("documents", ["joined", "masked"])
def test_the_compiled_kernel_has_the_same_gradients(
    packages: Packages, name: str, documents: str
) -> None:
    package = packages[f"{name}, {documents}"]
    model, tokens = package.build(), rows(0, 5)
    others = {}
    if documents == "masked":
        others["positions"] = package.submodule("documents").positions_in_documents(tokens, END)
    expected = results(model, tokens, **others)
    others = {key: value.cuda() for key, value in others.items()}
    for one, other in zip(results(model.cuda(), tokens.cuda(), **others), expected, strict=True):
        assert_close(one.cpu(), other, atol=1e-3 * other.abs().max().item(), rtol=1e-3)


GEMMA2: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 48,
    "task.n_heads": 4,
    "task.n_layers": 4,
    "task.max_seq_len": 64,
    "attention": "grouped-query",
    "attention.n_kv_heads": 2,
    "head_width": "chosen",
    "head_width.head_dim": 16,
    "span": "alternating",
    "span.global_every": 2,
    "span.window": 8,
    "qk_norm": "none",
    "norm_placement": "around",
    "embedding_scale": "sqrt-width",
    "feed_forward": "geglu",
    "logits": "soft-capped",
    "scores": "soft-capped",
}
GEMMA2_NAMES: Mapping[str, str] = {
    "tok_embeddings": "model.embed_tokens",
    "layers": "model.layers",
    "norm": "model.norm",
    "attention_norm": "input_layernorm",
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffn_norm": "post_feedforward_layernorm",
    "attention": "self_attn",
    "wq": "q_proj",
    "wk": "k_proj",
    "wv": "v_proj",
    "wo": "o_proj",
    "feed_forward": "mlp",
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
}


def gemma2_for(model: Any) -> Any:
    """Gemma 2 of transformers with our shape and weights; its norms scale by 1 + weight."""
    config = model.config
    make_config: Any = Gemma2Config
    kinds = {True: "full_attention", False: "sliding_attention"}
    theirs: Any = Gemma2ForCausalLM(
        make_config(
            vocab_size=config.vocab_size,
            hidden_size=config.dim,
            intermediate_size=config.hidden_dim,
            num_hidden_layers=config.n_layers,
            num_attention_heads=config.n_heads,
            num_key_value_heads=config.n_kv_heads,
            head_dim=config.head_dim,
            query_pre_attn_scalar=config.head_dim,
            max_position_embeddings=config.max_seq_len,
            rms_norm_eps=config.norm_eps,
            rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
            layer_types=[kinds[config.is_global(layer)] for layer in range(config.n_layers)],
            sliding_window=config.window,
            attn_logit_softcapping=config.score_cap,
            final_logit_softcapping=config.logit_softcap,
            hidden_activation="gelu",
            pad_token_id=None,  # which would get no gradient
            attn_implementation="eager",
        )
    )
    weights = {}
    for name, weight in model.named_parameters():
        renamed = ".".join(GEMMA2_NAMES.get(piece, piece) for piece in name.split("."))
        weights[renamed] = weight.detach() - (1 if "norm" in name else 0)
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}  # which is tied
    return theirs


@pytest.mark.parametrize("cap", [50.0, 1.0])
def test_logits_and_gradients_equal_those_of_gemma2(
    catalogue: Catalogue, packages: Packages, tmp_path_factory: pytest.TempPathFactory, cap: float
) -> None:
    del packages  # whose folder is where packages are looked for
    folder = tmp_path_factory.mktemp("gemma")
    answers = {**GEMMA2, "scores.score_cap": cap}
    model = import_model(catalogue, folder, f"gemma2_{int(cap)}", answers).build()
    gemma = gemma2_for(model)
    generator = torch.Generator().manual_seed(0)
    tokens: Any = torch.randint(model.config.vocab_size, (3, 64), generator=generator)
    logits, theirs = model(tokens), gemma(tokens).logits
    assert (logits - theirs).abs().max() <= 1e-5
    for output in (logits, theirs):
        loss: Any = F.cross_entropy(output[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
    for ours, other in (
        (model.tok_embeddings, gemma.model.embed_tokens),
        (model.layers[0].attention.wq, gemma.model.layers[0].self_attn.q_proj),
        (model.layers[1].attention.wk, gemma.model.layers[1].self_attn.k_proj),
        (model.layers[2].feed_forward.w1, gemma.model.layers[2].mlp.gate_proj),
    ):
        scale = other.weight.grad.abs().max().item()
        assert_close(ours.weight.grad, other.weight.grad, atol=1e-4 * scale, rtol=0)
    # And those in float64, whose products nothing rounds.
    exact = import_model(catalogue, folder, f"gemma2_{int(cap)}", answers).build().double()
    loss = F.cross_entropy(exact(tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    for ours, other in zip(model.parameters(), exact.parameters(), strict=True):
        scale = other.grad.abs().max().item()
        assert_close(ours.grad.double(), other.grad, atol=1e-4 * scale, rtol=0)
