"""A whole DeepSeek-V3 against that of transformers: latent attention, dense layers, experts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from model_package import import_model
from torch.testing import assert_close
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value

ANSWERS: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 40,
    "task.n_layers": 3,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "attention": "latent",
    "attention.kv_lora_rank": 20,
    "attention.qk_nope_head_dim": 10,
    "attention.qk_rope_head_dim": 6,
    "attention.v_head_dim": 14,
    "queries": "compressed",
    "queries.q_lora_rank": 12,
    "feed_forward": "mixture-of-experts",
    "feed_forward.n_experts": 8,
    "feed_forward.top_k": 3,
    "feed_forward.n_shared_experts": 2,
    "feed_forward.hidden_dim": 24,
    "router": "sigmoid-scaled",
    "balance": "bias",
    "leading_layers": "dense",
    "leading_layers.n_dense_layers": 1,
    "leading_layers.dense_hidden_dim": 56,
    "embedding": "untied",
}
NAMES = {
    "tok_embeddings": "model.embed_tokens",
    "layers": "model.layers",
    "norm": "model.norm",
    "output": "lm_head",
    "attention_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attention": "self_attn",
    "wq_a": "q_a_proj",
    "q_norm": "q_a_layernorm",
    "wq_b": "q_b_proj",
    "wkv_a": "kv_a_proj_with_mqa",
    "kv_norm": "kv_a_layernorm",
    "wkv_b": "kv_b_proj",
    "wo": "o_proj",
    "feed_forward": "mlp",
    "router": "",
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
}


# With a base of 100 the three pairs of a key are short, middling and long waves in 32 tokens.
YARN: Mapping[str, Value] = {
    "position.rope_theta": 100.0,
    "rope_scaling": "yarn-latent",
    "rope_scaling.original_max_seq_len": 8,
    "rope_scaling.rope_factor": 40.0,
    "rope_scaling.beta_fast": 2.0,
    "rope_scaling.beta_slow": 0.2,
}
THEIR_YARN: Mapping[str, Any] = {
    "rope_type": "yarn",
    "original_max_position_embeddings": 8,
    "factor": 40.0,
    "beta_fast": 2.0,
    "beta_slow": 0.2,
}
# What DeepSeek-V3 and V2 have.
MSCALES = (1.0, 0.707)


def deepseek_for(model: Any, scaling: Mapping[str, Any] | None = None) -> Any:
    """DeepSeek-V3 of transformers with our shape and weights."""
    config = model.config
    make_config: Any = DeepseekV3Config
    theirs: Any = DeepseekV3ForCausalLM(
        make_config(
            vocab_size=config.vocab_size,
            hidden_size=config.dim,
            intermediate_size=config.dense_hidden_dim,
            moe_intermediate_size=config.hidden_dim,
            num_hidden_layers=config.n_layers,
            first_k_dense_replace=config.n_dense_layers,
            num_attention_heads=config.n_heads,
            num_key_value_heads=config.n_heads,
            n_routed_experts=config.n_experts,
            n_shared_experts=config.n_shared_experts,
            num_experts_per_tok=config.top_k,
            n_group=1,
            topk_group=1,
            norm_topk_prob=True,
            routed_scaling_factor=config.routed_scaling_factor,
            q_lora_rank=config.q_lora_rank,
            kv_lora_rank=config.kv_lora_rank,
            qk_nope_head_dim=config.qk_nope_head_dim,
            qk_rope_head_dim=config.qk_rope_head_dim,
            v_head_dim=config.v_head_dim,
            rms_norm_eps=config.norm_eps,
            max_position_embeddings=config.max_seq_len,
            rope_parameters={
                "rope_theta": config.rope_theta,
                **(scaling or {"rope_type": "default"}),
            },
            rope_interleave=False,
            tie_word_embeddings=False,
            attn_implementation="eager",
        )
    )
    weights = {name: weight.detach() for name, weight in theirs_by_name(model).items()}
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected
    assert {name.rpartition(".")[2] for name in missing} <= {"e_score_correction_bias"}
    return theirs


def theirs_by_name(model: Any) -> dict[str, torch.Tensor]:
    """Our weights under the names of transformers, which stacks experts and joins shared ones."""
    renamed = {}
    for name, weight in model.named_parameters():
        if ".experts." not in name and ".shared." not in name:
            pieces = [NAMES.get(piece, piece) for piece in name.replace("wq.", "").split(".")]
            renamed[".".join(piece for piece in pieces if piece)] = weight
    for number, layer in enumerate(model.layers):
        if not hasattr(layer.feed_forward, "experts"):
            continue
        experts, shared = layer.feed_forward.experts, layer.feed_forward.shared
        at = f"model.layers.{number}.mlp."
        gate_up = [torch.cat((expert.w1.weight, expert.w3.weight)) for expert in experts]
        renamed[f"{at}experts.gate_up_proj"] = torch.stack(gate_up)
        renamed[f"{at}experts.down_proj"] = torch.stack([each.w2.weight for each in experts])
        for ours, other, dim in (
            ("w1", "gate_proj", 0),
            ("w3", "up_proj", 0),
            ("w2", "down_proj", 1),
        ):
            joined = torch.cat([getattr(expert, ours).weight for expert in shared], dim=dim)
            renamed[f"{at}shared_experts.{other}.weight"] = joined
    return renamed


def test_logits_and_gradients_equal_those_of_transformers(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    model = import_model(catalogue, tmp_path, "whole_deepseek", ANSWERS).build()
    deepseek = deepseek_for(model)
    generator = torch.Generator().manual_seed(0)
    tokens: Any = torch.randint(model.config.vocab_size, (3, 32), generator=generator)
    logits, theirs = model(tokens), deepseek(tokens).logits
    assert_close(logits, theirs, atol=1e-4 * theirs.abs().max().item(), rtol=1e-4)
    for output in (logits, theirs):
        loss: Any = F.cross_entropy(output[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
    for ours, other in (
        (model.tok_embeddings, deepseek.model.embed_tokens),
        (model.layers[0].feed_forward.w1, deepseek.model.layers[0].mlp.gate_proj),
        (model.layers[1].feed_forward.router.gate, deepseek.model.layers[1].mlp.gate),
        (model.layers[2].attention.wkv_b, deepseek.model.layers[2].self_attn.kv_b_proj),
    ):
        scale = other.weight.grad.abs().max().item()
        assert_close(ours.weight.grad, other.weight.grad, atol=1e-4 * scale, rtol=0)


@pytest.mark.parametrize("mscale", MSCALES)
@torch.no_grad()
def test_logits_in_an_extended_context_equal_those_of_transformers(
    catalogue: Catalogue, tmp_path: Path, mscale: float
) -> None:
    answers = {**ANSWERS, **YARN, "rope_scaling.mscale_all_dim": mscale}
    model = import_model(catalogue, tmp_path, f"yarn_{int(1000 * mscale)}", answers).build()
    generator = torch.Generator().manual_seed(0)
    tokens: Any = torch.randint(model.config.vocab_size, (3, 32), generator=generator)
    mscales = {"mscale": mscale, "mscale_all_dim": mscale}
    expected = deepseek_for(model, {**THEIR_YARN, **mscales})(tokens).logits
    scale = expected.abs().max().item()
    assert_close(model(tokens), expected, atol=1e-4 * scale, rtol=1e-4)
    # Both halves of the scaling show: the angles, and the sharpness of the scores.
    for other in (None, {**THEIR_YARN, "mscale": 1e-9, "mscale_all_dim": 1e-9}):
        assert (deepseek_for(model, other)(tokens).logits - expected).abs().max() > 1e-2 * scale
    cache = model.new_cache(3)
    logits = [model(chunk, cache) for chunk in tokens.split((20, 1, 11), dim=1)]
    assert_close(torch.cat(logits, dim=1), model(tokens), atol=1e-4 * scale, rtol=1e-4)


def test_a_checkpoint_has_as_many_parameters(catalogue: Catalogue, tmp_path: Path) -> None:
    package = import_model(catalogue, tmp_path, "counted_deepseek", ANSWERS)
    model = package.build()
    theirs = deepseek_for(model)
    assert package.estimates.parameters == sum(weight.numel() for weight in theirs.parameters())
