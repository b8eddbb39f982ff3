"""Mixtures of experts against Mixtral and DeepSeek-V3 of transformers, and their estimates."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from model_package import CPU, ModelPackage, import_model
from torch import Tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers import DeepseekV3Config, MixtralConfig, Qwen3MoeConfig
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE
from transformers.models.mixtral.modeling_mixtral import (
    MixtralSparseMoeBlock,
    load_balancing_loss_func,
)
from transformers.models.qwen3_moe.modeling_qwen3_moe import Qwen3MoeSparseMoeBlock

from scaffold.catalogue import Catalogue
from scaffold.design import Value

ROUTERS = ("sigmoid", "sigmoid-scaled", "softmax-normalized", "softmax")
BALANCES = ("bias", "auxiliary-loss")
LEADING = ("experts", "dense")
DESIGNS = [(router, balance) for router in ROUTERS for balance in BALANCES]
SIZES: Mapping[str, Value] = {
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "feed_forward.n_experts": 8,
    "feed_forward.top_k": 3,
    "feed_forward.hidden_dim": 24,
}
Packages = Mapping[tuple[str, str], ModelPackage]
designs = pytest.mark.parametrize("design", DESIGNS, ids="-".join)


@pytest.fixture(scope="module")
def packages(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("experts")
    yield {
        (router, balance): import_model(
            catalogue,
            folder,
            f"experts_{number}",
            {
                "task": "language-model",
                "feed_forward": "mixture-of-experts",
                "feed_forward.n_shared_experts": number % 3,
                "router": router,
                "balance": balance,
                "leading_layers": LEADING[number % 2],
                **SIZES,
            },
        )
        for number, (router, balance) in enumerate(DESIGNS)
    }


def network_of(package: ModelPackage, n_shared_experts: int) -> Any:
    model = package.build(n_shared_experts=n_shared_experts)
    return model.layers[-1].feed_forward.eval()


def stream(n_tokens: int = 60) -> Tensor:
    return torch.randn(2, n_tokens // 2, 32, generator=torch.Generator().manual_seed(2))


def copy_experts(ours: Any, theirs: Any) -> None:
    """Give the experts of transformers, whose matrices are stacked, our weights."""
    gate_up = [torch.cat((expert.w1.weight, expert.w3.weight)) for expert in ours.experts]
    theirs.gate_up_proj.copy_(torch.stack(gate_up))
    theirs.down_proj.copy_(torch.stack([expert.w2.weight for expert in ours.experts]))


SHAPE = {"hidden_size": 32, "num_experts_per_tok": 3, "hidden_act": "silu"}


def mixtral(_: Any) -> Any:
    config: Any = MixtralConfig
    block: Any = MixtralSparseMoeBlock
    return block(
        config(**SHAPE, intermediate_size=24, num_local_experts=8, router_jitter_noise=0.0)
    )


def qwen(_: Any) -> Any:
    config: Any = Qwen3MoeConfig
    theirs: Any = Qwen3MoeSparseMoeBlock(
        config(**SHAPE, moe_intermediate_size=24, num_experts=8, norm_topk_prob=False)
    )
    return theirs


def deepseek(ours: Any) -> Any:
    config: Any = DeepseekV3Config
    theirs: Any = DeepseekV3MoE(
        config(
            **SHAPE,
            moe_intermediate_size=24,
            n_routed_experts=8,
            n_shared_experts=1,
            n_group=1,
            topk_group=1,
            norm_topk_prob=True,
            routed_scaling_factor=getattr(ours.router, "routed_scaling_factor", 1.0),
        )
    )
    theirs.gate.e_score_correction_bias.copy_(ours.router.bias)
    for name, other in (("gate_proj", "w1"), ("up_proj", "w3"), ("down_proj", "w2")):
        weight = getattr(ours.shared[0], other).weight
        getattr(theirs.shared_experts, name).weight.copy_(weight)
    return theirs


REFERENCES = {
    "sigmoid": (deepseek, "bias", 1),
    "sigmoid-scaled": (deepseek, "bias", 1),
    "softmax-normalized": (mixtral, "auxiliary-loss", 0),
    "softmax": (qwen, "auxiliary-loss", 0),
}


@pytest.mark.parametrize("router", ROUTERS)
def test_output_and_gradients_equal_those_of_transformers(packages: Packages, router: str) -> None:
    reference, balance, n_shared_experts = REFERENCES[router]
    ours = network_of(packages[router, balance], n_shared_experts)
    with torch.no_grad():
        if balance == "bias":
            ours.router.bias.copy_(torch.linspace(-0.2, 0.2, 8))
        theirs = reference(ours)
        theirs.gate.weight.copy_(ours.router.gate.weight)
        copy_experts(ours, theirs.experts)
    x = stream()
    outputs = [ours(x), theirs(x)]
    outputs = [output[0] if isinstance(output, tuple) else output for output in outputs]
    assert_close(outputs[0], outputs[1], atol=1e-5, rtol=1e-5)
    for output in outputs:
        output.square().sum().backward()
    pairs = [
        (ours.router.gate.weight.grad, theirs.gate.weight.grad),
        (
            torch.stack([expert.w2.weight.grad for expert in ours.experts]),
            theirs.experts.down_proj.grad,
        ),
    ]
    for found, expected in pairs:
        assert_close(found, expected, atol=1e-5 * expected.abs().max().item(), rtol=1e-4)


def test_the_auxiliary_loss_equals_that_of_transformers(packages: Packages) -> None:
    package = packages["softmax-normalized", "auxiliary-loss"]
    router = network_of(package, 0).router.train()
    tokens = stream().flatten(0, 1)
    router(tokens)
    logits = tokens @ router.gate.weight.mT
    theirs: Any = load_balancing_loss_func((logits,), num_experts=8, top_k=3)
    # Transformers adds up the shares of the top_k choices, which are 1 together in our definition.
    expected = package.config().balance_weight * theirs / 3
    assert_close(router.balance_loss, expected)


@designs
@torch.no_grad()
def test_half_precision_chooses_what_float64_does(
    packages: Packages, design: tuple[str, str]
) -> None:
    router = network_of(packages[design], 0).router
    tokens = stream(1000).flatten(0, 1)
    expected = (tokens.double() @ router.gate.weight.double().mT).topk(3).indices
    with torch.autocast("cpu", torch.bfloat16):
        routing = router(tokens)
    assert torch.equal(routing.experts, expected)
    assert routing.weights.dtype == torch.float32


@designs
def test_estimates_are_exact(packages: Packages, design: tuple[str, str]) -> None:
    module, estimates = packages[design].module, packages[design].estimates
    with torch.device("meta"):
        model = module.Model(module.ModelConfig())
        tokens = torch.zeros(2, model.config.max_seq_len, dtype=torch.int64)
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    assert sum(sizes.values()) == estimates.parameters
    idle = [f".experts.{i}." for i in range(3, 8)]
    active = sum(n for name, n in sizes.items() if not any(part in name for part in idle))
    assert active == estimates.active_parameters
    assert model.flops_per_token() == estimates.flops_per_token
    with FlopCounterMode(display=False) as counter:
        model(tokens).sum().backward()
    assert counter.get_total_flops() == model.flops_per_token() * tokens.numel()


@designs
@torch.no_grad()
def test_a_cache_changes_no_logits(packages: Packages, design: tuple[str, str]) -> None:
    model = packages[design].build()
    generator = torch.Generator().manual_seed(0)
    tokens: Any = torch.randint(model.config.vocab_size, (3, 32), generator=generator)
    expected = model(tokens)
    for lengths in ((1,) * 32, (3, 9, 1, 17, 2)):
        cache = model.new_cache(len(tokens))
        logits = [model(chunk, cache) for chunk in tokens.split(lengths, dim=1)]
        assert_close(torch.cat(logits, dim=1), expected, atol=1e-4, rtol=1e-4)


@designs
def test_weights_and_buffers_are_the_same_however_the_model_is_made(
    packages: Packages, design: tuple[str, str]
) -> None:
    package = packages[design]
    materialized = package.module.build_model(package.config(), CPU, 5)
    direct = package.module.Model(package.config())
    direct.init_weights(5)
    known = {**dict(direct.named_parameters()), **dict(direct.named_buffers())}
    for name, tensor in (*materialized.named_parameters(), *materialized.named_buffers()):
        assert torch.equal(tensor, known[name]), name


@designs
def test_grouped_products_equal_the_loop(packages: Packages, design: tuple[str, str]) -> None:
    """The path of a GPU on the CPU, where the grouped product is a loop inside."""
    layers = packages[design].submodule("feed_forward")
    experts = network_of(packages[design], 0).experts.bfloat16()
    rows = stream().flatten(0, 1).bfloat16()
    counts = torch.tensor([7, 0, 1, 22, 0, 8, 16, 6])
    looped = layers.looped_products(experts, rows, counts)
    grouped = layers.grouped_products(experts, rows, counts)
    scale = looped.abs().max().item()
    assert_close(grouped, looped, atol=0.01 * scale, rtol=0)
