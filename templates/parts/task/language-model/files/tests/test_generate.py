"""Generation against the model without a cache, and its command."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from package import generate as command
from package.checkpoint import Checkpoints
from package.config import Config
from package.generate import (
    Sampling,
    context_start,
    generate,
    next_token_probabilities,
    text_before,
)
from package.model import ModelConfig, Transformer, build_model
from package.state import TrainState
from package.tokenizer import load_tokenizer

# {# Slot: saved reads checkpoints. #}
GREEDY = Sampling(temperature=0.0, top_k=1, top_p=1.0, seed=0)
RANDOM = Sampling(temperature=1.0, top_k=256, top_p=1.0, seed=0)
# Of unlike lengths; the last is longer than the context of 32 tokens, over which the others grow.
PROMPTS = [[5, 3, 8, 1], [7], list(range(40, 60)), list(range(100, 140))]


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    """With weights so large that what is likely depends on all tokens before."""
    model = build_model(model_config, torch.device("cpu"), seed=0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(5.0)
    return model


def never(_tokens: Sequence[int]) -> bool:
    return False


@torch.no_grad()
def likeliest_tokens(model: Transformer, prompt: list[int], n_tokens: int) -> list[int]:
    """Without a cache, alone."""
    tokens = list(prompt)
    for _ in range(n_tokens):
        start = context_start(len(tokens), model.config.max_seq_len)
        tokens.append(int(model(torch.tensor([tokens[start:]]))[0, -1].argmax()))
    return tokens[len(prompt) :]


def test_each_text_becomes_what_it_would_alone(model: Transformer) -> None:
    found = generate(model, PROMPTS, 30, GREEDY, never)
    assert found == [likeliest_tokens(model, prompt, 30) for prompt in PROMPTS]
    assert len({tuple(tokens) for tokens in found}) > 1  # or texts could have been mixed up


def test_what_is_drawn_depends_on_no_other_text(model: Transformer) -> None:
    together = generate(model, PROMPTS, 20, RANDOM, never)
    for i, prompt in enumerate(PROMPTS):
        alone = Sampling(RANDOM.temperature, RANDOM.top_k, RANDOM.top_p, RANDOM.seed + i)
        assert generate(model, [prompt], 20, alone, never) == [together[i]]
    # So hot that all tokens are about equally likely, whatever the model is.
    hot = [Sampling(1e4, RANDOM.top_k, RANDOM.top_p, seed) for seed in (0, 9)]
    first, other = (generate(model, PROMPTS[:1], 20, sampling, never) for sampling in hot)
    assert first != other


@pytest.mark.parametrize("max_seq_len", [2, 3, 32])
def test_the_context_is_never_too_long_and_never_less_than_half(max_seq_len: int) -> None:
    starts = [context_start(length, max_seq_len) for length in range(1, 100)]
    assert starts == sorted(starts)
    sizes = [length - start for length, start in enumerate(starts, start=1)]
    assert sizes[:max_seq_len] == list(range(1, max_seq_len + 1))
    assert max(sizes) == max_seq_len
    assert min(sizes[max_seq_len:]) > max_seq_len // 2


def test_a_complete_text_ends_and_the_others_go_on(model: Transformer) -> None:
    free = generate(model, PROMPTS, 12, GREEDY, never)
    last = free[0][4]
    first = free[0].index(last) + 1
    found = generate(model, PROMPTS, 12, GREEDY, lambda tokens: tokens == free[0][:first])
    assert found == [free[0][:first], *free[1:]]


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    logits = torch.tensor([[1.0, 3.0, 2.0, 0.0]])
    (found,) = next_token_probabilities(logits, Sampling(2.0, top_k=3, top_p=1.0, seed=0))
    expected = torch.softmax(torch.tensor([0.5, 1.5, 1.0, -torch.inf]).double(), dim=0)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(("top_p", "kept"), [(1e-6, 1), (0.49, 1), (0.51, 2), (0.81, 3), (1, 4)])
def test_the_nucleus_is_the_smallest_of_that_probability(top_p: float, kept: int) -> None:
    chances = torch.tensor([0.3, 0.5, 0.05, 0.15], dtype=torch.float64)
    (found,) = next_token_probabilities(chances.log()[None], Sampling(1.0, 4, top_p, seed=0))
    expected = torch.zeros(4).double()
    for token in (1, 0, 3, 2)[:kept]:
        expected[token] = chances[token]
    torch.testing.assert_close(found, expected / expected.sum())


def test_impossible_requests_are_refused(model: Transformer) -> None:
    for sampling, name in [
        ((-0.1, 5, 1.0, 0), "temperature"),
        ((float("nan"), 5, 1.0, 0), "temperature"),
        ((1.0, 0, 1.0, 0), "top_k"),
        ((1.0, 5, 0.0, 0), "top_p"),
        ((1.0, 5, 1.1, 0), "top_p"),
        ((1.0, 5, 1.0, -1), "seed"),
    ]:
        with pytest.raises(ValueError, match=name):
            Sampling(*sampling)
    with pytest.raises(ValueError, match="prompt is empty"):
        generate(model, [[1], []], 5, GREEDY, never)
    with pytest.raises(ValueError, match="tokens = 0"):
        generate(model, [[1]], 0, GREEDY, never)


def test_a_text_ends_before_the_first_stop() -> None:
    assert text_before([], "one two") == "one two"
    assert text_before(["three"], "one two") == "one two"
    assert text_before([" t", "e"], "one two") == "on"


def test_the_command_continues_the_prompts(
    state: TrainState,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "ModelConfig", lambda: state.model.config)
    monkeypatch.setattr(command, "load_config", lambda _: config)
    arguments = ["The", "A text", "--tokens", "5", "--device", "cpu"]
    assert command.main(arguments) == 2
    assert "no best checkpoint" in capsys.readouterr().err
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    checkpoints.save(1, state.state_dict(), best=True)
    # {% print each.saved() %}
    assert command.main(arguments) == 0
    texts = capsys.readouterr().out.split(f"\n{command.BETWEEN_TEXTS}\n")
    assert [text[: len(prompt)] for text, prompt in zip(texts, arguments, strict=False)] == [
        "The",
        "A text",
    ]
    assert command.main([*arguments, "--stop", ""]) == 2


def test_the_command_ends_texts_where_they_are_complete(
    state: TrainState,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tokenizer = load_tokenizer(Path(config.train.run_dir), config.data)
    made = [tokenizer.encode("a b. c d."), [*tokenizer.encode("e"), tokenizer.end_of_text]]

    def fake(*arguments: Any) -> list[list[int]]:
        is_complete = arguments[-1]
        assert is_complete(made[0])
        assert is_complete(made[1])
        assert not is_complete(made[1][:-1])
        return made

    monkeypatch.setattr(command, "generate", fake)
    monkeypatch.setattr(command, "ModelConfig", lambda: state.model.config)
    monkeypatch.setattr(command, "load_config", lambda _: config)
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    checkpoints.save(1, state.state_dict(), best=True)
    # {% print each.saved() %}
    assert command.main(["1 ", "2 ", "--stop", ". c", "--device", "cpu"]) == 0
    assert capsys.readouterr().out == f"1 a b\n{command.BETWEEN_TEXTS}\n2 e\n"
