"""Trains one model for a few steps and prints time and memory: python one_step.py WHOSE NAME STEPS.

WHOSE is ours, a generated project's on PYTHONPATH, or theirs, of transformers; NAME is a variant.
"""

import importlib
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM

PACKAGE = "same_shape"
BATCH, TOKENS, VOCABULARY = 4, 256, 256
KIBIBYTE, MEBIBYTE = 2**10, 2**20
SHAPE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "max_position_embeddings": TOKENS,
    "intermediate_size": 704,
    "tie_word_embeddings": False,
    "use_cache": False,
}
LATENT = {
    "num_key_value_heads": 8,
    "q_lora_rank": None,
    "kv_lora_rank": 128,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "v_head_dim": 32,
    "first_k_dense_replace": 4,
}
EXPERTS = {"intermediate_size": 352, "num_local_experts": 8, "num_experts_per_tok": 2}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "multi-head": ("llama", {"num_key_value_heads": 8}),
    "grouped-query": ("llama", {}),
    "multi-query": ("llama", {"num_key_value_heads": 1}),
    "sliding-window": ("mistral", {"sliding_window": 64}),
    "latent": ("deepseek_v3", LATENT),
    "mixture-of-experts": ("mixtral", EXPERTS),
}


def theirs(name: str) -> nn.Module:
    """The model of transformers with the shape of a variant."""
    family, values = FAMILIES[name]
    config = AutoConfig.for_model(family, **{**SHAPE, **values})
    make: Callable[..., nn.Module] = AutoModelForCausalLM.from_config  # which has no types
    return make(config, attn_implementation="sdpa")


def prepared(
    whose: str, name: str, device: torch.device
) -> tuple[nn.Module, Callable[..., Tensor]]:
    """A model in training, and what gives its logits for tokens."""
    if whose == "ours":
        module = importlib.import_module(f"{PACKAGE}.model")
        model: nn.Module = module.build_model(module.ModelConfig(), device, seed=0)
        return model.train(), model
    other = theirs(name).to(device).train()
    return other, lambda tokens: other(input_ids=tokens).logits


def measure(whose: str, name: str, steps: int) -> dict[str, float]:
    """Median seconds of a step after the first two, and the most memory above that of an empty run.

    On a GPU the memory is what torch had allocated at most, on a CPU that of the process.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    tokens = torch.randint(VOCABULARY, (BATCH, TOKENS + 1), device=device)
    before = peak_bytes(device)
    model, logits_of = prepared(whose, name, device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    seconds: list[float] = []
    for _ in range(steps + 2):
        synchronize(device)
        start = time.perf_counter()
        logits = logits_of(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        synchronize(device)
        seconds.append(time.perf_counter() - start)
    return {
        "seconds": statistics.median(seconds[2:]),
        "mebibytes": (peak_bytes(device) - before) / MEBIBYTE,
        "parameters": sum(weight.numel() for weight in model.parameters()),
    }


def peak_bytes(device: torch.device) -> int:
    """The most memory that was in use so far."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIBIBYTE


def synchronize(device: torch.device) -> None:
    """Wait for what the device has been given to do."""
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
