"""Continue a text with a trained model.

python -m pydoc_lm.generate "To be, or not" [--run runs/default] [--tokens 300]
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .checkpoint import Checkpoints
from .config import load_config
from .device import select_device
from .model import ModelConfig, Transformer, build_model
from .tokenizer import load_tokenizer


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen; raises ``ValueError`` if that is impossible."""

    temperature: float  # below 1 the likely tokens gain; 0 always takes the likeliest
    top_k: int  # draw among this many of the likeliest tokens
    seed: int

    def __post_init__(self) -> None:
        if not self.temperature >= 0:
            raise ValueError(f"temperature = {self.temperature}: must be 0 (greedy) or more")
        if self.top_k < 1:
            raise ValueError(
                f"top_k = {self.top_k}: must be at least 1; the vocabulary size is all"
            )


def sample(logits: Tensor, sampling: Sampling, generator: torch.Generator) -> Tensor:
    """One token for each row of ``logits`` (B, V), as (B, 1)."""
    if sampling.temperature == 0:
        return logits.argmax(dim=-1, keepdim=True)
    likeliest, tokens = logits.topk(min(sampling.top_k, logits.size(-1)))
    probabilities = torch.softmax(likeliest / sampling.temperature, dim=-1)
    return tokens.gather(-1, torch.multinomial(probabilities, 1, generator=generator))


@torch.no_grad()
def generate(
    model: Transformer, prompt: Tensor, n_tokens: int, sampling: Sampling, stop_token: int
) -> Tensor:
    """Append up to ``n_tokens`` tokens to each row of ``prompt`` (B, T).

    A row that has reached ``stop_token`` is filled up with it; when all have, generation ends. When
    ``max_seq_len`` tokens are reached, the model goes on from the last half of them.
    """
    if n_tokens < 1:
        raise ValueError(f"tokens = {n_tokens}: must be at least 1")
    if prompt.size(1) == 0:
        raise ValueError("the prompt is empty: give the model at least one token to continue")
    generator = torch.Generator().manual_seed(sampling.seed)
    stopped = torch.zeros(len(prompt), 1, dtype=torch.bool)
    tokens = unseen = prompt
    cache = model.new_cache(len(prompt))
    for _ in range(n_tokens):
        if cache.length + unseen.size(1) > model.config.max_seq_len:
            unseen = tokens[:, -max(1, model.config.max_seq_len // 2) :]
            cache = model.new_cache(len(prompt))
        logits = model(unseen, cache)[:, -1].float()
        # Host-device sync, once a token: drawn on the CPU, a seed means the same on every device.
        drawn = sample(logits.cpu(), sampling, generator).masked_fill(stopped, stop_token)
        stopped |= drawn == stop_token
        unseen = drawn.to(prompt.device)
        tokens = torch.cat((tokens, unseen), dim=1)
        if bool(stopped.all()):
            break
    return tokens


def main(argv: Sequence[str] | None = None) -> int:
    """Print the prompt and its continuation; exit code 2 if what was asked cannot be."""
    parser = argparse.ArgumentParser(description="Continue a text with a trained model.")
    parser.add_argument("prompt", nargs="?", default="\n", help="what to continue")
    parser.add_argument("--run", type=Path, help="folder of the run (default: train.run_dir)")
    parser.add_argument("--config", default="configs/train.yaml", help="what the run was made with")
    parser.add_argument("--checkpoint", choices=("best", "latest"), default="best")
    parser.add_argument("--tokens", type=int, default=300, help="how many to generate at most")
    parser.add_argument("--temperature", type=float, default=0.8, help="0: always the likeliest")
    parser.add_argument("--top-k", type=int, default=50, help="choose among this many tokens")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu")
    options = parser.parse_args(argv)
    try:
        config = load_config(["--config", options.config])
        device = select_device(options.device)
        run_dir = options.run or Path(config.train.run_dir)
        checkpoints = Checkpoints(run_dir / "checkpoints", config.train.keep_last)
        model = build_model(ModelConfig(), device, seed=0)
        model.load_state_dict(checkpoints.load_model(options.checkpoint, device))
        tokenizer = load_tokenizer(config.data)
        prompt = torch.tensor([tokenizer.encode(options.prompt)], device=device, dtype=torch.int64)
        sampling = Sampling(options.temperature, options.top_k, options.seed)
        tokens = generate(model.eval(), prompt, options.tokens, sampling, tokenizer.end_of_text)
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    text = tokens[0].tolist()
    if text[-1] == tokenizer.end_of_text:
        text.pop()
    # A model writes any character, and the encoding of a pipe may not have them all.
    encoding = sys.stdout.encoding
    print(tokenizer.decode(text).encode(encoding, "replace").decode(encoding))
    return 0


if __name__ == "__main__":
    sys.exit(main())
