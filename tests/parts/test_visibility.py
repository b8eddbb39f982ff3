"""Which tokens a token sees, over all attentions, positions and spans.

What a model may look at is told apart from what it does with it: the reach of a token is the
product of the masks of all layers, written down here by their definition.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from covering import pairwise_designs
from hypothesis import given, settings
from hypothesis import strategies as st
from model_package import ModelPackage, import_model
from torch import Tensor
from torch.testing import assert_close

from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.design import Value

AXES = (
    "task",
    "attention",
    "span",
    "position",
    "normalization",
    "feed_forward",
    "documents",
    "scores",
)
FIXED = {"task": "language-model", "documents": "masked"}
CATALOGUE = read_catalogue()
N_TOKENS = 20
END = 0
SIZES: Mapping[str, Value] = {"task.dim": 32, "task.n_heads": 4, "task.n_layers": 4}
SMALL = {"dim": 16, "n_heads": 4, "n_kv_heads": 2, "max_seq_len": N_TOKENS, "hidden_dim": 16}
SMALL |= {
    "kv_lora_rank": 6,
    "qk_nope_head_dim": 4,
    "qk_rope_head_dim": 2,
    "v_head_dim": 4,
    "score_cap": 3,
}


def designs() -> list[dict[str, str]]:
    """Models with documents apart in which every two variants of the axes above stand together."""
    axes = {name: CATALOGUE.axes[name] for name in AXES}
    for name, variant in FIXED.items():
        axes[name] = replace(axes[name], parts={variant: axes[name].parts[variant]})
    # Those that belong to only some of the variants have their default.
    return pairwise_designs(replace(CATALOGUE, axes=axes))


DESIGNS = designs()
Packages = list[ModelPackage]


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder: Path = tmp_path_factory.mktemp("visibility")
    yield [
        import_model(catalogue, folder, f"visible_{number}", {**variants, **SIZES})
        for number, variants in enumerate(DESIGNS)
    ]


def lengths_of(total: int) -> st.SearchStrategy[list[int]]:
    """Numbers that sum up to a total."""
    cuts = st.sets(st.integers(1, total - 1)).map(lambda found: [0, *sorted(found), total])
    return cuts.map(lambda places: [end - start for start, end in pairwise(places)])


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """The number of a design, sizes of its model, and the lengths of pieces of a row."""
    return {
        "design": draw(st.integers(0, len(DESIGNS) - 1)),
        "n_layers": draw(st.integers(1, 3)),
        "window": draw(st.integers(1, N_TOKENS - 1)),
        "global_every": draw(st.integers(2, 3)),
        "nope_every": draw(st.integers(2, 3)),
        "lengths": draw(lengths_of(N_TOKENS)),
    }


def model_of(packages: Packages, case: dict[str, Any]) -> Any:
    package = packages[case["design"]]
    config = package.module.ModelConfig()
    sizes = {name: size for name, size in {**SMALL, **case}.items() if hasattr(config, name)}
    sizes.pop("head_dim", None)
    return package.build(**sizes).double()


def row(case: dict[str, Any]) -> Tensor:
    """Documents of the given lengths, each closed by an end of text, (1, N_TOKENS)."""
    generator = torch.Generator().manual_seed(sum(case["lengths"][:2]))
    tokens = torch.randint(1, 60, (1, N_TOKENS), generator=generator)
    tokens[0, torch.tensor(case["lengths"]).cumsum(dim=0) - 1] = END
    return tokens


def reach(variants: Mapping[str, str], case: dict[str, Any], lengths: list[int]) -> Tensor:
    """Which token (column) can change the output of which token (row), of documents so long."""
    document = [number for number, length in enumerate(lengths) for _ in range(length)]
    reached = torch.eye(N_TOKENS, dtype=torch.float64)
    for layer in range(case["n_layers"]):
        is_global = variants["span"] == "alternating" and (layer + 1) % case["global_every"] == 0
        sees_all = variants["span"] == "causal" or is_global
        window = N_TOKENS if sees_all else case["window"]
        mask = [
            [0 <= t - s < window and document[t] == document[s] for s in range(N_TOKENS)]
            for t in range(N_TOKENS)
        ]
        reached = torch.tensor(mask, dtype=torch.float64) @ reached
    return reached > 0


@settings(max_examples=60, deadline=None)
@given(case=cases(), place=st.integers(0, N_TOKENS - 1), packed=st.booleans())
@torch.no_grad()
def test_a_token_changes_what_it_is_seen_by_and_nothing_else(
    packages: Packages, case: dict[str, Any], place: int, packed: bool
) -> None:
    model = model_of(packages, case)
    documents = packages[case["design"]].submodule("documents")
    tokens = row(case)
    positions = documents.positions_in_documents(tokens, END) if packed else None
    changed = tokens.clone()
    changed[0, place] = 60  # positions stay, although it may have been an end of text
    before, after = (model(each, positions=positions)[0] for each in (tokens, changed))
    difference = (after - before).abs().amax(dim=-1)
    expected = reach(DESIGNS[case["design"]], case, case["lengths"] if packed else [N_TOKENS])
    assert (difference[~expected[:, place]] < 1e-12).all()
    assert (difference[expected[:, place]] > 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(case=cases())
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, case: dict[str, Any]) -> None:
    model = model_of(packages, case)
    tokens = row(case)
    cache = model.new_cache(1)
    logits = [model(chunk, cache) for chunk in tokens.split_with_sizes(case["lengths"], dim=1)]
    assert_close(torch.cat(logits, dim=1), model(tokens), atol=1e-6, rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_documents_in_a_row_are_as_each_alone(packages: Packages, case: dict[str, Any]) -> None:
    model = model_of(packages, case)
    documents = packages[case["design"]].submodule("documents")
    tokens = row(case)
    packed = model(tokens, positions=documents.positions_in_documents(tokens, END))
    alone = torch.cat(
        [model(each) for each in tokens.split_with_sizes(case["lengths"], dim=1)], dim=1
    )
    scale = alone.abs().max().item()
    assert_close(packed, alone, atol=1e-5 * scale, rtol=1e-5)  # routers compute in float32
    weights = list(model.parameters())
    direction = torch.randn(packed.shape, generator=torch.Generator().manual_seed(0))
    ours, theirs = (
        torch.autograd.grad((logits * direction).sum(), weights) for logits in (packed, alone)
    )
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other, atol=1e-4 * max(other.abs().max().item(), 1e-9), rtol=1e-4)


@pytest.mark.parametrize("number", range(len(DESIGNS)), ids=lambda n: "+".join(DESIGNS[n].values()))
def test_other_documents_need_no_other_graph(packages: Packages, number: int) -> None:
    if DESIGNS[number]["feed_forward"] == "mixture-of-experts":
        return  # how many tokens an expert gets is known only while a layer runs
    case = {"design": number, "n_layers": 2, "window": 8, "global_every": 2, "nope_every": 2}
    model = model_of(packages, case)
    documents = packages[number].submodule("documents")
    rows = [row({"lengths": lengths}) for lengths in ([4, 16], [9, 3, 8], [20])]
    all_positions = [documents.positions_in_documents(tokens, END) for tokens in rows]
    pairs = list(zip(rows, all_positions, strict=True))
    expected = [model(tokens, positions=positions) for tokens, positions in pairs]
    for layer in model.layers:
        layer.compile(fullgraph=True, dynamic=False, backend="eager")
    model(rows[0], positions=all_positions[0])
    with torch.compiler.set_stance("fail_on_recompile"):
        for (tokens, positions), logits in zip(pairs, expected, strict=True):
            assert_close(model(tokens, positions=positions), logits, atol=1e-6, rtol=1e-6)
