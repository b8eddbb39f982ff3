"""Documents in one row against each of them alone."""

import pytest
import torch
from package.data import IGNORE_INDEX, Batch
from package.model import ModelConfig, Transformer, build_model
from package.model.documents import document_mask, positions_in_documents
from package.objective import summed_loss
from package.tokenizer import Tokenizer
from torch import Tensor
from torch.testing import assert_close

END = Tokenizer.end_of_text
LENGTHS = (13, 11, 8)


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    return build_model(model_config, torch.device("cpu"), seed=0)


@pytest.fixture
def row() -> Tensor:
    """Three documents in a row (1, 32); the last one is cut off."""
    tokens = torch.randint(1, 200, (1, 32), generator=torch.Generator().manual_seed(0))
    tokens[0, 12] = tokens[0, 23] = END
    return tokens


def test_positions_start_anew_after_an_end_of_text() -> None:
    tokens = torch.tensor([[5, END, 6, 7, 8], [END, END, 5, END, 6]])
    assert positions_in_documents(tokens, END).tolist() == [[0, 1, 0, 1, 2], [0, 0, 0, 1, 0]]


def test_a_token_sees_its_own_document_within_the_window() -> None:
    mask = document_mask(torch.tensor([[0, 1, 2, 0, 1]]), window=2)
    seen = [[0], [0, 1], [1, 2], [3], [3, 4]]
    assert [row.nonzero().flatten().tolist() for row in mask[0, 0]] == seen


def test_logits_and_gradients_are_those_of_each_document_alone(
    model: Transformer, row: Tensor
) -> None:
    packed = model(row, positions=positions_in_documents(row, END))
    alone = torch.cat([model(document) for document in row.split(LENGTHS, dim=1)], dim=1)
    assert_close(packed, alone, atol=1e-5, rtol=1e-5)
    weights = list(model.parameters())
    gradients = [torch.autograd.grad(logits.square().sum(), weights) for logits in (packed, alone)]
    for one, other in zip(*gradients, strict=True):
        scale = max(1e-3, other.abs().max().item())  # some are 0 but for rounding
        assert_close(one, other, atol=1e-4 * scale, rtol=0)


@torch.no_grad()
def test_another_document_before_it_changes_nothing(model: Transformer, row: Tensor) -> None:
    changed = row.clone()
    changed[0, :12] = row[0, :12].flip(0)
    positions = positions_in_documents(row, END)
    before, after = (model(tokens, positions=positions) for tokens in (row, changed))
    assert_close(before[:, 13:], after[:, 13:], atol=1e-6, rtol=1e-6)
    assert (before[:, :13] - after[:, :13]).abs().max() > 1e-4
    without_mask = (model(row) - model(changed))[:, 13:]
    assert without_mask.abs().max() > 1e-4


def test_the_loss_is_that_of_the_documents(model: Transformer, row: Tensor) -> None:
    targets = row.roll(-1, dims=1)
    targets[row == END] = targets[:, -1] = IGNORE_INDEX
    total = sum(
        summed_loss(model, Batch(*pieces)).item()
        for pieces in zip(row.split(LENGTHS, dim=1), targets.split(LENGTHS, dim=1), strict=True)
    )
    assert summed_loss(model, Batch(row, targets)).item() == pytest.approx(total, rel=1e-5)


def test_there_is_no_cache_before_documents(model: Transformer, row: Tensor) -> None:
    with pytest.raises(ValueError, match="leave them out, or the cache"):
        model(row, model.new_cache(1), positions_in_documents(row, END))
