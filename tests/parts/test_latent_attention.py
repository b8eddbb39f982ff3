"""Latent attention against DeepSeek-V3 of transformers, without its cache, and its estimates."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from model_package import CPU, ModelPackage, import_model
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

from scaffold.catalogue import Catalogue
from scaffold.design import Value

QUERIES = ("direct", "compressed")
SPANS = ("causal", "sliding-window", "alternating")
DESIGNS = [(queries, span) for queries in QUERIES for span in SPANS]
SIZES: Mapping[str, Value] = {
    "task.dim": 40,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "attention.kv_lora_rank": 20,
    "attention.qk_nope_head_dim": 10,
    "attention.qk_rope_head_dim": 6,
    "attention.v_head_dim": 14,
}
WINDOW: Mapping[str, Mapping[str, Value]] = {
    "causal": {},
    "sliding-window": {"span.window": 8},
    "alternating": {"span.window": 8, "span.global_every": 2},
}
RANK: Mapping[str, Mapping[str, Value]] = {"direct": {}, "compressed": {"queries.q_lora_rank": 12}}
Packages = Mapping[tuple[str, str], ModelPackage]
designs = pytest.mark.parametrize("design", DESIGNS, ids="-".join)


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("latent")
    yield {
        (queries, span): import_model(
            catalogue,
            folder,
            f"latent_{number}",
            {
                "task": "language-model",
                "attention": "latent",
                "queries": queries,
                "span": span,
                **SIZES,
                **WINDOW[span],
                **RANK[queries],
            },
        )
        for number, (queries, span) in enumerate(DESIGNS)
    }


def tokens_for(config: Any) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(config.vocab_size, (3, config.max_seq_len), generator=generator)


def deepseek_for(model: Any) -> Any:
    """DeepSeek-V3 of transformers with our weights, and a feed-forward network in every layer."""
    config = model.config
    make_config: Any = DeepseekV3Config
    theirs = make_config(
        vocab_size=config.vocab_size,
        hidden_size=config.dim,
        intermediate_size=config.hidden_dim,
        num_hidden_layers=config.n_layers,
        first_k_dense_replace=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=config.n_heads,
        q_lora_rank=getattr(config, "q_lora_rank", None),
        kv_lora_rank=config.kv_lora_rank,
        qk_nope_head_dim=config.qk_nope_head_dim,
        qk_rope_head_dim=config.qk_rope_head_dim,
        v_head_dim=config.v_head_dim,
        rms_norm_eps=config.norm_eps,
        max_position_embeddings=config.max_seq_len,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        rope_interleave=False,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    names = {
        "tok_embeddings": "model.embed_tokens",
        "layers": "model.layers",
        "norm": "model.norm",
        "attention_norm": "input_layernorm",
        "ffn_norm": "post_attention_layernorm",
        "attention": "self_attn",
        "wq": "q_proj",
        "wq_a": "q_a_proj",
        "q_norm": "q_a_layernorm",
        "wq_b": "q_b_proj",
        "wkv_a": "kv_a_proj_with_mqa",
        "kv_norm": "kv_a_layernorm",
        "wkv_b": "kv_b_proj",
        "wo": "o_proj",
        "feed_forward": "mlp",
        "w1": "gate_proj",
        "w2": "down_proj",
        "w3": "up_proj",
    }
    weights = {
        ".".join(
            names.get(piece, piece)
            for piece in name.replace("wq.wq", "wq").replace("wq.q", "q").split(".")
        ): weight.detach()
        for name, weight in model.named_parameters()
    }
    deepseek: Any = DeepseekV3ForCausalLM(theirs)
    missing, unexpected = deepseek.load_state_dict(weights, strict=False)
    assert not unexpected
    assert missing == ["lm_head.weight"]
    return deepseek


@pytest.mark.parametrize("queries", QUERIES)
def test_logits_and_gradients_equal_those_of_transformers(packages: Packages, queries: str) -> None:
    model = packages[queries, "causal"].build()
    deepseek = deepseek_for(model)
    tokens = tokens_for(model.config)
    logits, theirs = model(tokens), deepseek(tokens).logits
    assert_close(logits, theirs, atol=1e-5 * theirs.abs().max().item(), rtol=1e-5)
    for output in (logits, theirs):
        loss: Any = F.cross_entropy(output[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
    attention, other = model.layers[0].attention, deepseek.model.layers[0].self_attn
    for ours, reference in (
        (attention.wkv_a, other.kv_a_proj_with_mqa),
        (attention.wkv_b, other.kv_b_proj),
        (attention.kv_norm, other.kv_a_layernorm),
        (attention.wo, other.o_proj),
    ):
        scale = reference.weight.grad.abs().max().item()
        assert_close(ours.weight.grad, reference.weight.grad, atol=1e-4 * scale, rtol=0)


@torch.no_grad()
def test_the_window_hides_what_lies_before_it(packages: Packages) -> None:
    """Token by token in float64: the window of sliding attention on the heads of the other."""
    model = packages["direct", "sliding-window"].build().double()
    attention, config = model.layers[0].attention, model.config
    x = torch.randn(1, 20, config.dim, dtype=torch.float64)
    n_heads, content = config.n_heads, config.qk_nope_head_dim
    width = content + config.qk_rope_head_dim
    queries = attention.wq(x).view(1, 20, n_heads, width)
    compressed = attention.wkv_a(x)
    latent = compressed[..., : config.kv_lora_rank]
    rotated = compressed[..., config.kv_lora_rank :]
    latent = latent / (latent.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    made = F.linear(latent * attention.kv_norm.weight, attention.wkv_b.weight)
    made = made.view(1, 20, n_heads, content + config.v_head_dim)
    turned = attention.rope(queries[..., content:], 0)
    rotated = attention.rope(rotated[:, :, None], 0)
    rows = []
    for t in range(20):
        seen = range(max(0, t - config.window + 1), t + 1)
        heads = []
        for head in range(n_heads):
            scores = [
                queries[0, t, head, :content] @ made[0, s, head, :content]
                + turned[0, t, head] @ rotated[0, s, 0]
                for s in seen
            ]
            shares = torch.softmax(torch.stack(scores) / math.sqrt(width), dim=0)
            heads.append(shares @ made[0, seen.start : seen.stop, head, content:])
        rows.append(attention.wo(torch.cat(heads)))
    assert_close(attention(x)[0], torch.stack(rows), atol=1e-6, rtol=1e-6)


@designs
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, design: tuple[str, str]) -> None:
    model = packages[design].build().double()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    scale = expected.abs().max().item()
    for lengths in ((32,), (1,) * 32, (24, 1, 1, 1, 1, 1, 1, 1, 1), (3, 9, 1, 17, 2)):
        cache = model.new_cache(len(tokens))
        logits = [model(chunk, cache) for chunk in tokens.split(lengths, dim=1)]
        assert_close(torch.cat(logits, dim=1), expected, atol=1e-6 * scale, rtol=1e-5)


@designs
def test_estimates_are_exact(packages: Packages, design: tuple[str, str]) -> None:
    module, estimates = packages[design].module, packages[design].estimates
    with torch.device("meta"):
        model = module.Model(module.ModelConfig())
        tokens = torch.zeros(2, model.config.max_seq_len, dtype=torch.int64)
    assert sum(weight.numel() for weight in model.parameters()) == estimates.parameters
    assert model.flops_per_token() == estimates.flops_per_token
    with FlopCounterMode(display=False) as counter:
        model(tokens).sum().backward()
    assert counter.get_total_flops() == model.flops_per_token() * tokens.numel()


@designs
def test_the_cache_is_as_large_as_estimated(packages: Packages, design: tuple[str, str]) -> None:
    model = packages[design].build()
    cache = model.new_cache(1)
    held = 32 if design[1] == "alternating" else 10  # of which the estimate tells a full context
    model(torch.zeros(1, held, dtype=torch.int64), cache)
    tensors = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    n_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    slots = [layer.keys.size(2) for layer in cache.layers]
    assert n_bytes == sum(slots) * (20 + 6) * 4
    assert packages[design].estimates.cache_bytes_per_token == round(n_bytes / slots[-1])


@pytest.mark.parametrize("queries", QUERIES)
def test_every_layer_compiles_as_one_graph(packages: Packages, queries: str) -> None:
    model = packages[queries, "causal"].build()
    tokens = tokens_for(model.config)
    expected = model(tokens)
    for layer in model.layers:
        layer.compile(fullgraph=True, backend="eager")
    assert_close(model(tokens), expected, atol=1e-4, rtol=1e-4)


def test_weights_are_the_same_however_the_model_is_made(packages: Packages) -> None:
    package = packages["compressed", "causal"]
    materialized = package.module.build_model(package.config(), CPU, 5)
    direct = package.module.Model(package.config())
    package.module.initialization.init_weights(direct, package.config(), 5)
    for name, tensor in materialized.state_dict().items():
        assert torch.equal(tensor, direct.state_dict()[name]), name
