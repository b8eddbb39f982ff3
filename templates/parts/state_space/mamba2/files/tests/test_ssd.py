"""The scan in chunks against the recurrence, token by token in float64."""

import pytest
import torch
from package.model.ssd import chunked_scan, into_chunks
from torch import Tensor
from torch.testing import assert_close

N_TOKENS, N_HEADS, HEAD_DIM, N_GROUPS, D_STATE = 21, 4, 3, 2, 5
CHUNKS = pytest.mark.parametrize("chunk_len", [1, 4, 7, 21, 64])  # some leave tokens over


def random_inputs() -> list[Tensor]:
    """u, steps, b, c and a first state."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    u, steps = draw(2, N_TOKENS, N_HEADS, HEAD_DIM), -draw(2, N_TOKENS, N_HEADS).exp()
    b, c = draw(2, N_TOKENS, N_GROUPS, D_STATE), draw(2, N_TOKENS, N_GROUPS, D_STATE)
    return [u, steps, b, c, draw(2, N_HEADS, HEAD_DIM, D_STATE)]


def recurrence(u: Tensor, steps: Tensor, b: Tensor, c: Tensor, state: Tensor) -> Tensor:
    """y, and the last state as the D_STATE last tokens of it, so that both have gradients."""
    b, c = (values.repeat_interleave(N_HEADS // N_GROUPS, dim=2) for values in (b, c))
    rows = []
    for t in range(N_TOKENS):
        decay = steps[:, t].exp()[..., None, None]
        state = decay * state + u[:, t, :, :, None] * b[:, t, :, None]
        rows.append(torch.einsum("bnhs,bns->bnh", state, c[:, t]))
    return torch.cat((torch.stack(rows, dim=1), state.permute(0, 3, 1, 2)), dim=1)


def scanned(chunk_len: int, inputs: list[Tensor]) -> Tensor:
    *sequences, state = inputs
    u, steps, b, c = (into_chunks(values, chunk_len) for values in sequences)
    y, last = chunked_scan(u, steps, b, c, state)
    return torch.cat((y[:, :N_TOKENS], last.permute(0, 3, 1, 2)), dim=1)


@CHUNKS
def test_the_scan_equals_the_recurrence(chunk_len: int) -> None:
    inputs = random_inputs()
    assert_close(scanned(chunk_len, inputs), recurrence(*inputs), atol=1e-12, rtol=1e-10)


@CHUNKS
def test_gradients_equal_those_of_the_recurrence(chunk_len: int) -> None:
    ours, theirs = random_inputs(), random_inputs()
    for values in (*ours, *theirs):
        values.requires_grad_()
    output, expected = scanned(chunk_len, ours), recurrence(*theirs)
    weights = torch.arange(output.numel(), dtype=torch.float64).view_as(output).sin()
    (output * weights).sum().backward()
    (expected * weights).sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        assert_close(mine.grad, other.grad, atol=1e-11, rtol=1e-9)


def test_small_decays_survive_beside_large_ones() -> None:
    """In float32, after a step that decays everything, as exact as without it."""
    u, steps, b, c, state = random_inputs()
    steps = steps.clamp(min=-0.01)
    steps[:, 3] = -1e4  # a running sum is large from here on, and the steps after it are small
    exact = scanned(21, [u, steps, b, c, state])
    rounded = scanned(21, [values.float() for values in (u, steps, b, c, state)])
    scale = exact[:, 4:].abs().max().item()
    assert_close(rounded.double()[:, 4:], exact[:, 4:], atol=1e-6 * scale, rtol=0)


def test_a_decay_beyond_all_numbers_gives_no_nan() -> None:
    inputs = [values.float() for values in random_inputs()]
    inputs[1] = inputs[1] * 1e30
    for values in inputs:
        values.requires_grad_()
    scanned(7, inputs).sum().backward()
    for values in inputs:
        assert values.grad is not None
        assert not values.grad.isnan().any()
