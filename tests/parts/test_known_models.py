"""Presets of published models: as many parameters as published, and tiny twins that learn."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import transformers
from model_package import CPU, ModelPackage, import_model
from rendering import parse, preset_answers
from torch.utils.flop_counter import FlopCounterMode
from twins import OWN, twin_answers

from scaffold.catalogue import Catalogue
from scaffold.estimates import estimate
from scaffold.presets import find_preset, presets_root

# What the authors' weights hold, padding of the vocabulary included.
PUBLISHED: Mapping[str, int] = {
    "gemma-2b": 2_506_172_416,
    "gpt2-124m": 124_439_808,
    "llama3-8b": 8_030_261_248,
    "mistral-7b": 7_241_732_096,
    "mixtral-8x7b": 46_702_792_704,
    "moonlight-16b-a3b": 15_960_108_544,
    "olmo2-1b": 1_484_916_736,
    "qwen3-0.6b": 596_049_920,
}
LLAMA: Mapping[str, Any] = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "tie_word_embeddings": False,
}
# The published configurations, by transformers' names.
CONFIGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "gemma-2b": (
        "Gemma",
        {
            "vocab_size": 256000,
            "hidden_size": 2048,
            "intermediate_size": 16384,
            "num_hidden_layers": 18,
            "num_attention_heads": 8,
            "num_key_value_heads": 1,
            "head_dim": 256,
        },
    ),
    "gpt2-124m": ("GPT2", {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768}),
    "llama3-8b": ("Llama", {**LLAMA, "vocab_size": 128256}),
    "mistral-7b": ("Mistral", {**LLAMA, "vocab_size": 32000}),
    "mixtral-8x7b": (
        "Mixtral",
        {**LLAMA, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2},
    ),
    "moonlight-16b-a3b": (
        "DeepseekV3",
        {
            "vocab_size": 163840,
            "hidden_size": 2048,
            "intermediate_size": 11264,
            "moe_intermediate_size": 1408,
            "num_hidden_layers": 27,
            "first_k_dense_replace": 1,
            "num_attention_heads": 16,
            "num_key_value_heads": 16,
            "n_routed_experts": 64,
            "n_shared_experts": 2,
            "num_experts_per_tok": 6,
            "n_group": 1,
            "topk_group": 1,
            "q_lora_rank": None,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "tie_word_embeddings": False,
        },
    ),
    "olmo2-1b": (
        "Olmo2",
        {
            "vocab_size": 100352,
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_attention_heads": 16,
            "num_key_value_heads": 16,
            "tie_word_embeddings": False,
        },
    ),
    "qwen3-0.6b": (
        "Qwen3",
        {
            "vocab_size": 151936,
            "hidden_size": 1024,
            "intermediate_size": 3072,
            "num_hidden_layers": 28,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "tie_word_embeddings": True,
        },
    ),
}
# Where transformers joins what we keep apart.
JOINED = {"gpt2-124m", "mixtral-8x7b", "moonlight-16b-a3b"}
Import = Callable[[str, bool], ModelPackage]
presets = pytest.mark.parametrize("preset", PUBLISHED)


@pytest.fixture(scope="module")
def package_of(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Import]:
    """The model package of a preset, or of its twin, rendered when it is first asked for."""
    folder = tmp_path_factory.mktemp("known")
    found: dict[str, ModelPackage] = {}

    def package_of(preset: str, tiny: bool) -> ModelPackage:
        name = ("twin_" if tiny else "known_") + re.sub(r"\W", "_", preset)
        if name not in found:
            answers = twin_answers(preset) if tiny else preset_answers(preset)
            found[name] = import_model(catalogue, folder, name, answers)
        return found[name]

    yield package_of


def theirs_on_meta(preset: str) -> Any:
    family, values = CONFIGS[preset]
    suffix = "LMHeadModel" if family == "GPT2" else "ForCausalLM"
    config = getattr(transformers, f"{family}Config")(**values)
    with torch.device("meta"):
        return getattr(transformers, f"{family}{suffix}")(config)


@presets
def test_parameters_are_as_many_as_published(package_of: Import, preset: str) -> None:
    package = package_of(preset, False)
    with torch.device("meta"):
        model = package.module.Model(package.module.ModelConfig())
    theirs = theirs_on_meta(preset)
    assert sum(weight.numel() for weight in model.parameters()) == PUBLISHED[preset]
    assert sum(weight.numel() for weight in theirs.parameters()) == PUBLISHED[preset]
    assert package.estimates.parameters == PUBLISHED[preset]
    assert model.flops_per_token() == package.estimates.flops_per_token
    if preset not in JOINED:
        ours, other = (
            Counter(tuple(weight.shape) for weight in each.parameters()) for each in (model, theirs)
        )
        assert ours == other


@presets
def test_the_optimizer_keeps_as_much_as_estimated(
    catalogue: Catalogue, package_of: Import, preset: str
) -> None:
    """Two float32 moments a parameter (AdamW), but one for the matrices of the layers with Muon."""
    package = package_of(preset, False)
    with torch.device("meta"):
        model = package.module.Model(package.module.ModelConfig())
    n_bytes = 8 * sum(weight.numel() for weight in model.parameters())
    if preset_answers(preset).get("optimizer") == "muon":
        linear = (m for m in model.layers.modules() if isinstance(m, torch.nn.Linear))
        n_bytes -= 4 * sum(matrix.weight.numel() for matrix in linear)
    n_bytes //= parse(catalogue, preset_answers(preset)).values.get("shard_degree", 1)
    assert package.estimates.optimizer_bytes == pytest.approx(n_bytes, rel=1e-3)


@pytest.mark.parametrize(
    ("preset", "billions"), [("mixtral-8x7b", 12.9), ("moonlight-16b-a3b", 2.9)]
)
def test_a_token_uses_as_many_parameters_as_published(
    package_of: Import, preset: str, billions: float
) -> None:
    active = package_of(preset, False).estimates.active_parameters
    assert active is not None
    assert round(active / 1e9, 1) == billions


@presets
def test_a_token_of_the_context_takes_as_much_cache_as_estimated(
    package_of: Import, preset: str
) -> None:
    package = package_of(preset, False)
    with torch.device("meta"):
        model = package.module.Model(package.module.ModelConfig())
    cache = model.new_cache(1)
    tokens: Any = torch.zeros(1, 3, dtype=torch.int64, device="meta")
    model(tokens, cache)
    slots = cache.layers[0].keys.size(2)
    tensors = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
    n_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    assert n_bytes == package.estimates.cache_bytes_per_token * slots


def test_every_preset_of_a_known_model_has_a_twin() -> None:
    assert OWN.keys() == PUBLISHED.keys() == CONFIGS.keys()
    names = {path.stem for path in presets_root().glob("*.yaml")}
    assert names >= PUBLISHED.keys()


@presets
def test_a_twin_makes_the_same_choices(catalogue: Catalogue, preset: str) -> None:
    real, twin = (parse(catalogue, answers(preset)) for answers in (preset_answers, twin_answers))
    for choice in real:
        of_many_devices = "parallelism" in catalogue.axes[choice.axis].when
        if choice.axis not in ("parallelism", "checkpoint") and not of_many_devices:
            assert twin[choice.axis].variant == choice.variant, choice.axis


@presets
def test_a_twin_costs_what_is_estimated_and_learns(package_of: Import, preset: str) -> None:
    package = package_of(preset, True)
    module = package.module
    config = module.ModelConfig()
    with torch.device("meta"):
        model = module.Model(config)
        tokens: Any = torch.zeros(2, config.max_seq_len, dtype=torch.int64)
    assert sum(weight.numel() for weight in model.parameters()) == package.estimates.parameters
    with FlopCounterMode(display=False) as counter:
        model(tokens).sum().backward()
    assert counter.get_total_flops() == model.flops_per_token() * tokens.numel()
    assert model.flops_per_token() == package.estimates.flops_per_token

    model = module.build_model(config, CPU, 0)
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(config.vocab_size, (4, 33), generator=generator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        logits = model(tokens[:, :-1])
        loss: Any = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(math.log(config.vocab_size), abs=0.6)
    assert losses[-1] < losses[0] - 0.3


@presets
def test_the_help_says_what_the_design_takes(catalogue: Catalogue, preset: str) -> None:
    """Memory on a device, number of devices, and tokens, as the design has them."""
    text = find_preset(presets_root(), preset).help
    design = parse(catalogue, preset_answers(preset))
    gigabytes = re.search(r"takes (\d+) GB on each", text)
    assert gigabytes, text
    assert int(gigabytes[1]) == round(estimate(catalogue, design).training_bytes / 1e9)
    values = design.values
    devices = re.search(r"on each of (\w+) GPUs", text)
    if devices:
        assert {"eight": 8, "64": 64}[devices[1]] == values["world_size"]
    read = re.search(r"(\d+) billion tokens", text)
    if read:
        n_tokens = math.prod(int(values[key]) for key in ("steps", "batch_size", "max_seq_len"))
        assert int(read[1]) == round(n_tokens / 1e9)
    assert "data/text" in text
