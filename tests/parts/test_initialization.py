"""Initial weights: what is measured equals what the table in the docstring says."""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from model_package import CPU, ModelPackage, import_model

from scaffold.catalogue import Catalogue
from scaffold.design import Value

MODELS: Mapping[str, Mapping[str, Value]] = {
    "dense": {"projection_bias": "qkv", "position": "learned", "embedding": "untied"},
    "experts": {
        "attention": "latent",
        "attention.kv_lora_rank": 48,
        "attention.qk_nope_head_dim": 32,
        "attention.qk_rope_head_dim": 16,
        "attention.v_head_dim": 32,
        "feed_forward": "mixture-of-experts",
        "feed_forward.n_shared_experts": 1,
        "feed_forward.n_experts": 4,
        "leading_layers": "dense",
    },
    "padded": {
        "tokenizer": "bpe",
        "tokenizer.vocab_size": 1000,
        "vocabulary_padding": "multiple",
        "embedding": "tied",
    },
}
SCHEMES: Mapping[str, Mapping[str, Value]] = {
    "depth-scaled": {},
    "width-scaled": {},
    "constant-std": {"initialization.init_std": 0.006},
}
SIZES: Mapping[str, Value] = {
    "task.dim": 192,
    "task.n_layers": 3,
    "task.n_heads": 6,
    "task.max_seq_len": 64,
}
CUT_AT_3 = 0.98658  # the std of a standard normal of which nothing lies beyond 3
Packages = Mapping[tuple[str, str], ModelPackage]
designs = pytest.mark.parametrize("design", list(product(SCHEMES, MODELS)), ids="-".join)


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("initial")
    yield {
        (scheme, model): import_model(
            catalogue,
            folder,
            f"initial_{scheme.replace('-', '_')}_{model}",
            {
                "task": "language-model",
                "initialization": scheme,
                **SIZES,
                **MODELS[model],
                **SCHEMES[scheme],
            },
        )
        for scheme, model in product(SCHEMES, MODELS)
    }


def table_of(model: Any) -> dict[str, str]:
    """The rows between the rules: what is drawn, and how."""
    text = model.init_weights.__doc__
    return {
        row[0].strip(): row[1].strip()
        for row in re.findall(r"^ {8}(?!=)(\S.{0,20}?) {2,}(\S.*)$", text, re.MULTILINE)
    }


def row_for(name: str, table: Mapping[str, str]) -> str:
    """The row of the table that a weight belongs to."""
    if name.endswith("bias"):
        return table["biases"]
    if "norm" in name:
        return table["norms"]
    if "embeddings" in name:
        return table["embeddings"]
    if name.endswith(("wo.weight", "w2.weight")):
        return table.get("wo and w2", table["every other matrix"])
    return table["every other matrix"]


def said_std(row: str, name: str, model: Any, inputs: int) -> float:
    """The number that a row names, for one weight."""
    term = row.removeprefix("normal, std ").replace("``", "").replace(" x ", " * ")
    term = re.sub(r"(\d) (?=[a-z])", r"\1 * ", term)
    known = {**vars(model.config), "sqrt": math.sqrt, "inputs": inputs}
    found = re.match(r"layers\.(\d+)\.", name)
    if found:
        known["layer"] = int(found[1]) + 1
    return float(eval(term, {"__builtins__": {}}, known))


@designs
@torch.no_grad()
def test_every_weight_is_drawn_as_the_table_says(
    packages: Packages, design: tuple[str, str]
) -> None:
    module = packages[design].module
    model = module.build_model(module.ModelConfig(), CPU, 0)
    table = table_of(model)
    assert {"embeddings", "every other matrix", "norms"} <= table.keys()
    is_cut = "farther than 3 std" in model.init_weights.__doc__
    for name, weight in model.named_parameters():
        row = row_for(name, table)
        if row in ("0", "1"):
            assert (weight == int(row)).all(), name
            continue
        std = said_std(row, name, model, weight.size(1))
        if is_cut:
            assert 2.5 * std < weight.abs().max() <= 3 * std, name
            std *= CUT_AT_3
        error = 5 * std / math.sqrt(weight.numel())
        assert weight.mean().item() == pytest.approx(0, abs=error), name
        assert weight.std().item() == pytest.approx(std, abs=error), name


@torch.no_grad()
def test_a_matrix_scaled_by_width_keeps_the_size_of_what_it_reads(packages: Packages) -> None:
    module = packages["width-scaled", "dense"].module
    model = module.build_model(module.ModelConfig(), CPU, 0)
    x = torch.randn(200, model.config.dim, generator=torch.Generator().manual_seed(0))
    for matrix in (model.layers[0].attention.wq, model.layers[2].feed_forward.w1, model.output):
        size = x @ matrix.weight.mT
        assert size.std().item() == pytest.approx(1, abs=0.1)
    sizes = [(x @ layer.attention.wo.weight.mT).std().item() for layer in model.layers]
    assert sizes == pytest.approx([1 / math.sqrt(2 * layer) for layer in (1, 2, 3)], rel=0.1)


def test_padding_is_recorded_with_both_sizes(catalogue: Catalogue, tmp_path: Path) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "tokenizer": "bpe",
        "tokenizer.vocab_size": 50257,
        "vocabulary_padding": "multiple",
        **SIZES,
    }
    package = import_model(catalogue, tmp_path, "recorded", answers)
    config = package.module.ModelConfig()
    assert (config.vocab_size, config.padded_vocab_size) == (50257, 50304)
    assert "padded_vocab_size" in package.estimates.formulas["parameters"]


def test_a_scale_of_embeddings_is_that_of_gemma(catalogue: Catalogue, tmp_path: Path) -> None:
    answers: dict[str, Value] = {
        "task": "language-model",
        "embedding_scale": "sqrt-width",
        **SIZES,
    }
    package = import_model(catalogue, tmp_path, "scaled", answers)
    model = package.build()
    read: list[Any] = []
    model.layers[0].register_forward_pre_hook(lambda _layer, inputs: read.append(inputs[0]))
    tokens: Any = torch.tensor([[1, 2, 3]])
    model(tokens)
    torch.testing.assert_close(read[0], model.tok_embeddings(tokens) * math.sqrt(192))
