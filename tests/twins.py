"""Tiny twins of the presets: every choice of a preset at sizes that train in seconds.

What the command line takes as ``--preset llama3-8b --set task.dim=64 --set task.n_layers=2 ...``.
"""

from collections.abc import Mapping

from rendering import Given, preset_answers

from scaffold.design import Value

TEXT: Mapping[str, Value] = {
    "task.dim": 64,
    "task.n_layers": 3,
    "task.n_heads": 4,
    "task.max_seq_len": 64,
    "tokenizer.vocab_size": 500,
    "data.text": "builtin",
    "parallelism": "one-device",
    "checkpoint": "whole",
    "training.steps": 30,
    "training.batch_size": 8,
    "training.micro_batch_size": 4,
    "training.eval_every": 15,
    "training.eval_samples": 8,
    "training.log_every": 1,
    "schedule.warmup_steps": 3,
    "optimizer.learning_rate": 0.01,  # so small a model takes a high one
}
SMALL_LATENT: Mapping[str, Value] = {
    "attention.kv_lora_rank": 24,
    "attention.qk_nope_head_dim": 16,
    "attention.qk_rope_head_dim": 8,
    "attention.v_head_dim": 16,
}
OWN: Mapping[str, Mapping[str, Value]] = {
    "gemma-2b": {"head_width.head_dim": 32, "feed_forward.hidden_dim": 128},
    "gpt2-124m": {"feed_forward.hidden_dim": 256},
    "llama3-8b": {"attention.n_kv_heads": 2, "feed_forward.hidden_dim": 160},
    "mistral-7b": {
        "attention.n_kv_heads": 2,
        "feed_forward.hidden_dim": 160,
        "span.window": 16,
    },
    "mixtral-8x7b": {
        "attention.n_kv_heads": 2,
        "feed_forward.n_experts": 4,
        "feed_forward.hidden_dim": 80,
    },
    "moonlight-16b-a3b": {
        **SMALL_LATENT,
        "feed_forward.n_experts": 8,
        "feed_forward.top_k": 3,
        "feed_forward.hidden_dim": 32,
        "leading_layers.dense_hidden_dim": 160,
    },
    "olmo2-1b": {"feed_forward.hidden_dim": 160},
    "qwen3-0.6b": {
        "attention.n_kv_heads": 2,
        "head_width.head_dim": 24,
        "feed_forward.hidden_dim": 96,
    },
}


def twin_answers(preset: str) -> Given:
    """The answers of a preset at the sizes of its twin; variants stay, but for many devices."""
    kept = {
        key: value
        for key, value in preset_answers(preset).items()
        if not key.startswith("parallelism.")
    }
    return {**kept, **TEXT, **OWN[preset]}
