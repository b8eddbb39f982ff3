"""Continue texts with a trained model.

python -m pydoc_lm.generate "To be, or not" [more texts] [--run runs/default] [--tokens 300]
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from .checkpoint import Checkpoints
from .config import ConfigError, load_config
from .console import exit_code_of
from .device import select_device
from .model import ModelConfig, Transformer, build_model
from .tokenizer import Tokenizer, load_tokenizer

BETWEEN_TEXTS = "-" * 72


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen; raises ``ValueError`` if that is impossible."""

    temperature: float  # below 1 the likely tokens gain; 0 always takes the likeliest
    top_k: int  # draw among this many of the likeliest tokens
    top_p: float  # and among the fewest of them that have this probability together
    seed: int

    def __post_init__(self) -> None:
        if not self.temperature >= 0:
            raise ValueError(f"temperature = {self.temperature}: must be 0 (greedy) or more")
        if self.top_k < 1:
            raise ValueError(
                f"top_k = {self.top_k}: must be at least 1; the vocabulary size is all"
            )
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p = {self.top_p}: must be above 0 and at most 1, which is all")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed = {self.seed}: must be at least 0 and below 2**63")


def next_token_probabilities(logits: Tensor, sampling: Sampling) -> Tensor:
    """From logits (B, V), the probabilities (B, V) in float64 with which a token is drawn.

    First the temperature, then the ``top_k`` likeliest, then the nucleus of them: the fewest with
    at least ``top_p`` of their probability (https://arxiv.org/abs/1904.09751).
    """
    if sampling.temperature == 0:
        return torch.zeros_like(logits, dtype=torch.float64).scatter_(
            -1, logits.argmax(dim=-1, keepdim=True), 1.0
        )
    # The highest becomes 0, so that no temperature is small enough to make two infinities.
    below = logits.double() - logits.double().amax(dim=-1, keepdim=True)
    scores, tokens = (below / sampling.temperature).topk(min(sampling.top_k, logits.size(-1)))
    likeliest = torch.softmax(scores, dim=-1)
    likelier = likeliest.cumsum(dim=-1) - likeliest  # all that come before; 0 for the first
    nucleus = likeliest.masked_fill(likelier >= sampling.top_p, 0.0)
    nucleus /= nucleus.sum(dim=-1, keepdim=True)
    return torch.zeros_like(logits, dtype=torch.float64).scatter_(-1, tokens, nucleus)


@torch.no_grad()
def generate(
    model: Transformer,
    prompts: Sequence[Sequence[int]],
    n_tokens: int,
    sampling: Sampling,
    is_complete: Callable[[Sequence[int]], bool],
) -> list[list[int]]:
    """What follows each of ``prompts``: up to ``n_tokens`` tokens, fewer if they are complete.

    All texts start at position 0 and go through the model together, a token at a time from the end
    of the shortest prompt on: where a longer one has a token, that one counts and nothing is drawn.
    So there is no padding that a mask or a position would have to know of, and a text becomes what
    it would become alone. The i-th of them draws with the seed ``sampling.seed`` + i.
    """
    if n_tokens < 1:
        raise ValueError(f"tokens = {n_tokens}: must be at least 1")
    if not all(prompts):
        raise ValueError("a prompt is empty: give the model at least one token to continue")
    device = model.tok_embeddings.weight.device
    generators = [torch.Generator().manual_seed(sampling.seed + i) for i in range(len(prompts))]
    texts = [list(prompt) for prompt in prompts]
    complete: dict[int, list[int]] = {}  # the continuations of some texts; these run on unread
    length = min(len(text) for text in texts)  # tokens of each text that the next one follows
    start, cache = 0, model.new_cache(len(texts))
    while len(complete) < len(texts):
        if start < context_start(length, model.config.max_seq_len):
            start = context_start(length, model.config.max_seq_len)
            cache = model.new_cache(len(texts))
        unseen = [text[start + cache.length : length] for text in texts]
        logits = model(torch.tensor(unseen, device=device), cache)[:, -1]
        # Host-device sync, once a token: drawn on the CPU, a seed means the same on every device.
        probabilities = next_token_probabilities(logits.float().cpu(), sampling)
        for i, text in enumerate(texts):
            if len(text) == length:
                drawn = torch.multinomial(probabilities[i], 1, generator=generators[i])
                text.append(int(drawn))
                made = text[len(prompts[i]) :]
                if i not in complete and (len(made) == n_tokens or is_complete(made)):
                    complete[i] = made
        length += 1
    return [complete[i] for i in range(len(texts))]


def context_start(length: int, max_seq_len: int) -> int:
    """The first of ``length`` tokens that the model is given to predict the next one.

    When the context is full, its first half is dropped. It depends on nothing but the length, so
    that a text goes on in the same way whatever it is generated with.
    """
    step = max(1, max_seq_len // 2)
    return -(-max(0, length - max_seq_len) // step) * step


def text_before(stops: Sequence[str], text: str) -> str:
    """The text up to the first of ``stops`` in it."""
    return text[: min((text.index(stop) for stop in stops if stop in text), default=len(text))]


def read_prompts(prompts: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    """The tokens of the prompts; raises ``ValueError`` naming one that cannot be encoded."""
    encoded = []
    for prompt in prompts:
        try:
            prompt.encode("utf-8")  # bytes of the command line that are no UTF-8 come as surrogates
            encoded.append(tokenizer.encode(prompt))
        except UnicodeEncodeError as error:
            raise ValueError(f"prompt {prompt!r}: is not UTF-8 text") from error
        except ValueError as error:
            raise ValueError(f"prompt {prompt!r}: {error}") from error
    return encoded


def main(argv: Sequence[str] | None = None) -> int:
    """Print each prompt and its continuation; exit code 2 if what was asked cannot be."""
    return exit_code_of(lambda: _continue(argv))


def _continue(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(description="Continue texts with a trained model.")
    parser.add_argument("prompts", nargs="*", default=["\n"], help="what to continue")
    parser.add_argument("--run", type=Path, help="folder of the run (default: train.run_dir)")
    parser.add_argument("--config", default="configs/train.yaml", help="what the run was made with")
    parser.add_argument("--checkpoint", choices=("best", "latest"), default="best")
    parser.add_argument("--tokens", type=int, default=300, help="how many to generate at most")
    parser.add_argument("--temperature", type=float, default=0.8, help="0: always the likeliest")
    parser.add_argument("--top-k", type=int, default=50, help="choose among this many tokens")
    parser.add_argument("--top-p", type=float, default=1.0, help="and among this probability")
    parser.add_argument("--stop", action="append", default=[], help="a text to end before")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu")
    options = parser.parse_args(argv)
    try:
        if "" in options.stop:
            raise ValueError("stop: must not be empty, which every text holds")
        config = load_config(["--config", options.config])
        device = select_device(options.device)
        run_dir = options.run or Path(config.train.run_dir)
        checkpoints = Checkpoints(run_dir / "checkpoints", config.train.keep_last)
        model = build_model(ModelConfig(), device, seed=0)
        weights = checkpoints.load_model(options.checkpoint, asdict(model.config), device)
        model.load_state_dict(weights)
        tokenizer = load_tokenizer(run_dir, config.data)

        def is_complete(tokens: Sequence[int]) -> bool:
            return tokens[-1] == tokenizer.end_of_text or any(
                stop in tokenizer.decode(tokens) for stop in options.stop
            )

        continuations = generate(
            model.eval(),
            read_prompts(options.prompts, tokenizer),
            options.tokens,
            Sampling(options.temperature, options.top_k, options.top_p, options.seed),
            is_complete,
        )
    except ValueError as error:
        raise ConfigError([str(error)]) from error
    texts = []
    for prompt, tokens in zip(options.prompts, continuations, strict=True):
        if tokens[-1] == tokenizer.end_of_text:
            tokens.pop()
        texts.append(prompt + text_before(options.stop, tokenizer.decode(tokens)))
    # A model writes any character, and the encoding of a pipe may not have them all.
    encoding = sys.stdout.encoding
    print(f"\n{BETWEEN_TEXTS}\n".join(texts).encode(encoding, "replace").decode(encoding))
    return 0


if __name__ == "__main__":
    sys.exit(main())
