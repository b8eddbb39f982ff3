"""Generation against the model without a cache, and its command."""

from pathlib import Path

import pytest
import torch
from package import generate as command
from package.checkpoint import Checkpoints
from package.config import Config
from package.generate import Sampling, generate, sample
from package.model import ModelConfig, Transformer, build_model

GREEDY = Sampling(temperature=0.0, top_k=1, seed=0)
NO_STOP = -1


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    return build_model(model_config, torch.device("cpu"), seed=0)


def test_greedy_tokens_are_the_likeliest_ones(model: Transformer) -> None:
    tokens = torch.tensor([[5, 3, 8, 1], [7, 7, 2, 9]])
    generated = generate(model, tokens, 20, GREEDY, NO_STOP)
    for _ in range(20):
        tokens = torch.cat((tokens, model(tokens)[:, -1:].argmax(dim=-1)), dim=1)
    assert torch.equal(generated, tokens)


def test_a_text_longer_than_the_context_goes_on(model: Transformer) -> None:
    prompt = torch.randint(256, (1, 70), generator=torch.Generator().manual_seed(0))
    generated = generate(model, prompt, 50, GREEDY, NO_STOP)
    assert generated.shape == (1, 120)
    assert torch.equal(generated[:, :70], prompt)
    assert generated[0, 70] == model(prompt[:, -16:])[0, -1].argmax()


def test_a_finished_row_is_filled_up(model: Transformer) -> None:
    prompt = torch.tensor([[5, 3, 8, 1], [7, 7, 2, 9]])
    stop = int(generate(model, prompt, 1, GREEDY, NO_STOP)[0, 4])
    rows = generate(model, prompt, 10, GREEDY, stop)
    assert (rows[0, 4:] == stop).all()
    assert generate(model, prompt[:1], 10, GREEDY, stop).tolist() == [[5, 3, 8, 1, stop]]


def test_the_seed_decides_what_is_drawn(model: Transformer) -> None:
    prompt = torch.tensor([[1, 2, 3]])
    first, again, other = (
        generate(model, prompt, 20, Sampling(1.0, 256, seed), NO_STOP) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    logits = torch.tensor([1.0, 3.0, 2.0, 0.0]).expand(20_000, 4)
    generator = torch.Generator().manual_seed(0)
    drawn = sample(logits, Sampling(temperature=2.0, top_k=3, seed=0), generator)
    frequencies = drawn.flatten().bincount(minlength=4) / len(logits)
    expected = torch.softmax(torch.tensor([0.5, 1.5, 1.0, -torch.inf]), dim=0)
    torch.testing.assert_close(frequencies, expected, atol=0.02, rtol=0)


def test_impossible_requests_are_refused(model: Transformer) -> None:
    with pytest.raises(ValueError, match="temperature"):
        Sampling(temperature=-0.1, top_k=5, seed=0)
    with pytest.raises(ValueError, match="temperature"):
        Sampling(temperature=float("nan"), top_k=5, seed=0)
    with pytest.raises(ValueError, match="top_k"):
        Sampling(temperature=1.0, top_k=0, seed=0)
    with pytest.raises(ValueError, match="prompt is empty"):
        generate(model, torch.zeros(1, 0, dtype=torch.int64), 5, GREEDY, NO_STOP)
    with pytest.raises(ValueError, match="tokens = 0"):
        generate(model, torch.zeros(1, 1, dtype=torch.int64), 0, GREEDY, NO_STOP)


def test_the_command_continues_the_prompt(
    model: Transformer,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "ModelConfig", lambda: model.config)
    monkeypatch.setattr(command, "load_config", lambda _: config)
    arguments = ["The", "--tokens", "5", "--device", "cpu"]
    assert command.main(arguments) == 2
    assert "no best checkpoint" in capsys.readouterr().err
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    checkpoints.save(1, {"model": model.state_dict()}, best=True)
    assert command.main(arguments) == 0
    assert capsys.readouterr().out.startswith("The")
