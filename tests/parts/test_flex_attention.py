"""FlexAttention against SDPA with the same mask: whole models, forward and backward, and compiled.

torch has no backward pass of FlexAttention on the CPU, but only because it refuses there: without
that check the uncompiled one has gradients.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from model_package import ModelPackage, import_model
from torch import Tensor
from torch.testing import assert_close

from scaffold.catalogue import Catalogue
from scaffold.design import Value

DESIGNS: Mapping[str, Mapping[str, Value]] = {
    "causal": {"span": "causal", "attention": "grouped-query"},
    "window": {"span": "sliding-window", "attention": "multi-head", "position": "learned"},
    "pattern": {"span": "alternating", "attention": "multi-query", "position": "rope-nope"},
}
# Of joined documents, which windows hide from one another.
JOINED: Mapping[str, Mapping[str, Value]] = {
    "window": {"span": "sliding-window", "attention": "grouped-query"},
    "pattern": {"span": "alternating", "attention": "multi-head", "position": "learned"},
}
END = 0
N_TOKENS = 160  # more than a block of 128
SIZES: Mapping[str, Value] = {
    "task.dim": 64,
    "task.n_heads": 4,
    "task.n_layers": 2,
    "task.max_seq_len": N_TOKENS,
}
APART: Mapping[str, Value] = {"documents": "masked", "attention_backend": "flex"}
TOGETHER: Mapping[str, Value] = {"documents": "joined", "window_backend": "flex"}
Packages = Mapping[str, ModelPackage]
designs = pytest.mark.parametrize("name", DESIGNS)
joined_designs = pytest.mark.parametrize("name", JOINED)


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("flex")
    yield {
        name: import_model(
            catalogue,
            folder,
            f"flex_{name}",
            {"task": "language-model", **variants, **SIZES, **APART},
        )
        for name, variants in DESIGNS.items()
    }


@pytest.fixture(scope="module")
def joined(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("windows")
    yield {
        name: import_model(
            catalogue,
            folder,
            f"windows_{name}",
            {"task": "language-model", **variants, **SIZES, **TOGETHER},
        )
        for name, variants in JOINED.items()
    }


def rows(seed: int, n_documents: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(1, 60, (2, N_TOKENS), generator=generator)
    ends = torch.randint(N_TOKENS, (2, n_documents), generator=generator)
    return tokens.scatter(1, ends, END)


def use_blocks(package: ModelPackage, monkeypatch: pytest.MonkeyPatch, compiler: Any) -> None:
    """Let the model attend to blocks on the CPU."""
    blocks = package.submodule("blocks")
    monkeypatch.setattr(blocks, "compiled", compiler)
    monkeypatch.setattr(package.submodule("packed"), "PackedLayer", blocks.BlockLayer)


def counting(masks: list[Any]) -> Any:
    """In place of a compiler: nothing is compiled, and each call adds its mask to the list."""

    def counted(function: Any) -> Any:
        def call(*inputs: Any, **values: Any) -> Any:
            masks.extend([values["block_mask"]] if "block_mask" in values else [])
            return function(*inputs, **values)

        return call

    return counted


def results(model: Any, package: ModelPackage, tokens: Tensor) -> list[Tensor]:
    """Logits of documents apart, and the gradients of all weights."""
    documents = package.submodule("documents")
    logits = model(tokens, positions=documents.positions_in_documents(tokens, END))
    return with_gradients(model, logits)


def with_gradients(model: Any, logits: Tensor) -> list[Tensor]:
    direction = torch.randn(logits.shape, generator=torch.Generator().manual_seed(0))
    direction = direction.to(logits.device)
    return [logits, *torch.autograd.grad((logits * direction).sum(), list(model.parameters()))]


@designs
def test_logits_and_gradients_are_those_of_sdpa(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[name]
    model = package.build()
    tokens = rows(0, 5)
    expected = results(model, package, tokens)
    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)
    masks: list[Any] = []
    use_blocks(package, monkeypatch, counting(masks))
    found = results(model, package, tokens)
    assert len(masks) == 2  # one call in each layer
    assert len({id(mask) for mask in masks}) == (2 if name == "pattern" else 1)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, atol=1e-4 * other.abs().max().item(), rtol=1e-4)


@designs
def test_both_masks_show_the_same_pairs(packages: Packages, name: str) -> None:
    documents, blocks = (packages[name].submodule(module) for module in ("documents", "blocks"))
    positions = documents.positions_in_documents(rows(1, 20), END)
    for window in (1, 2, 50, N_TOKENS):
        is_visible = blocks.visibility(positions, window)
        dense = flex.create_mask(is_visible, 2, None, N_TOKENS, N_TOKENS, device="cpu")
        assert torch.equal(dense, documents.document_mask(positions, window))


@designs
@torch.no_grad()
def test_other_documents_need_no_other_graph(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[name]
    model = package.build()
    documents = package.submodule("documents")
    batches = [rows(seed, 1 + 4 * seed) for seed in range(3)]
    pairs = [(tokens, documents.positions_in_documents(tokens, END)) for tokens in batches]
    expected = [model(tokens, positions=positions) for tokens, positions in pairs]

    graph = torch.compile(flex.create_block_mask, dynamic=False, backend="eager")
    functions = {flex.create_block_mask: graph, flex.flex_attention: flex.flex_attention}
    use_blocks(package, monkeypatch, functions.__getitem__)
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend="eager")
    model(pairs[0][0], positions=pairs[0][1])
    with torch.compiler.set_stance("fail_on_recompile"):
        for (tokens, positions), logits in zip(pairs, expected, strict=True):
            found = model(tokens, positions=positions)
            assert_close(found, logits, atol=1e-5 * logits.abs().max().item(), rtol=1e-4)


@torch.no_grad()
def test_the_compiled_kernels_give_the_same(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages["causal"]
    model = package.build()
    tokens = rows(0, 5)
    positions = package.submodule("documents").positions_in_documents(tokens, END)
    expected = model(tokens, positions=positions)
    use_blocks(package, monkeypatch, package.submodule("blocks").compiled)
    found = model(tokens, positions=positions)
    assert_close(found, expected, atol=1e-5 * expected.abs().max().item(), rtol=1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@designs
def test_the_compiled_kernels_have_the_gradients_of_sdpa(
    packages: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packages[name]
    model, tokens = package.build().cuda(), rows(0, 5).cuda()
    packed = package.submodule("packed")
    found = results(model, package, tokens)
    monkeypatch.setattr(packed, "BlockLayer", packed.PackedLayer)
    for one, other in zip(found, results(model, package, tokens), strict=True):
        assert_close(one, other, atol=1e-3 * other.abs().max().item(), rtol=1e-3)


@joined_designs
def test_windows_give_the_logits_and_gradients_of_sdpa(
    joined: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = joined[name]
    model, tokens = package.build(window=30), rows(0, 5)
    expected = with_gradients(model, model(tokens))
    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)
    masks: list[Any] = []
    monkeypatch.setattr(package.submodule("blocks"), "compiled", counting(masks))
    module = package.submodule("rows")
    given = module.block_rows(model.config, N_TOKENS, tokens.device)
    assert module.block_rows(model.config, N_TOKENS, tokens.device) is given
    found = with_gradients(model, model(tokens, given))
    assert len(masks) == 2  # one call in each layer
    assert len({id(mask) for mask in masks}) == (2 if name == "pattern" else 1)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, atol=1e-4 * other.abs().max().item(), rtol=1e-4)


@joined_designs
@torch.no_grad()
def test_other_rows_need_no_other_graph(
    joined: Packages, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = joined[name]
    model = package.build(window=30)
    batches = [rows(seed, 1 + 4 * seed) for seed in range(3)]
    expected = [model(tokens) for tokens in batches]
    monkeypatch.setattr(package.submodule("blocks"), "compiled", lambda function: function)
    given = package.submodule("rows").BlockRows(model.config, N_TOKENS, batches[0].device)
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend="eager")
    model(batches[0], given)
    with torch.compiler.set_stance("fail_on_recompile"):
        for tokens, logits in zip(batches, expected, strict=True):
            found = model(tokens, given)
            assert_close(found, logits, atol=1e-5 * logits.abs().max().item(), rtol=1e-4)


@torch.no_grad()
def test_the_compiled_kernel_of_a_window_gives_the_same(joined: Packages) -> None:
    package = joined["window"]
    model, tokens = package.build(window=30), rows(0, 5)
    expected = model(tokens)
    given = package.submodule("rows").BlockRows(model.config, N_TOKENS, tokens.device)
    found = model(tokens, given)
    assert_close(found, expected, atol=1e-5 * expected.abs().max().item(), rtol=1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@joined_designs
def test_the_compiled_kernels_of_windows_have_the_gradients_of_sdpa(
    joined: Packages, name: str
) -> None:
    package = joined[name]
    model, tokens = package.build(window=30), rows(0, 5)
    expected = with_gradients(model, model(tokens))
    on_gpu = model.cuda()
    found = with_gradients(on_gpu, on_gpu(tokens.cuda()))
    for one, other in zip(found, expected, strict=True):
        assert_close(one.cpu(), other, atol=1e-3 * other.abs().max().item(), rtol=1e-3)
