"""From the hardware of a design to the recommended parallelism, in every place that shows it."""

import ast

import pytest
from rendering import Given, Rendering, parse, render_answers

from scaffold.accelerators import accelerators
from scaffold.answers import Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.explanation import explain
from scaffold.presets import find_preset, presets_root
from scaffold.questions import next_question
from scaffold.recommend import advice_for, demand_of

EIGHT: Given = {"hardware": "accelerators", "hardware.accelerators_per_node": 8}
PRECISIONS = ("bfloat16", "float16", "float32")


def answers(given: Given) -> Answers:
    return {key: Answer(value, "flag") for key, value in given.items()}


def llama(**more: object) -> Given:
    preset = find_preset(presets_root(), "llama3-8b").answers
    kept = {key: value for key, value in preset.items() if not key.startswith("parallelism")}
    return {**kept, **{key.replace("__", "."): str(value) for key, value in more.items()}}


def test_nothing_is_recommended_where_nothing_is_known(catalogue: Catalogue) -> None:
    design = parse(catalogue, {})
    assert design["hardware"].variant == "unknown"
    assert advice_for(catalogue, design) is None
    assert "## Devices" not in render_answers(catalogue, {}).texts()["DESIGN.md"]


def test_several_devices_get_a_replica_each(catalogue: Catalogue) -> None:
    design = parse(catalogue, {**EIGHT, "hardware.nodes": 4})
    assert design["parallelism"].variant == "ddp"
    options = design["parallelism"].options
    assert (options["n_devices"], options["n_nodes"]) == (32, 4)
    assert design.origins["parallelism"] == "default"
    assert parse(catalogue, {"hardware": "accelerators"})["parallelism"].variant == "one-device"


@pytest.mark.parametrize("given", [{"parallelism": "one-device"}, {"parallelism.n_devices": 4}])
def test_an_answer_stands_above_the_advice(catalogue: Catalogue, given: Given) -> None:
    design = parse(catalogue, {**EIGHT, **given})
    expected = given.get("parallelism", "ddp")
    assert design["parallelism"].variant == expected
    because = {item.name: item.because for item in decide(catalogue, design)}["parallelism"]
    assert ("instead of ddp, which is recommended" in because) == (expected == "one-device")


def test_it_is_recommended_in_the_questions(catalogue: Catalogue) -> None:
    given = dict(answers({"task": "language-model", **EIGHT}))
    while (question := next_question(catalogue, given)) is not None:
        if question.key == "parallelism":
            break
        given[question.key] = Answer(question.recommended, "asked")
    assert question is not None and question.recommended == "ddp"
    assert question.because.startswith("DDP: ")


def test_it_is_explained(catalogue: Catalogue) -> None:
    given = llama(hardware__accelerator="H100", hardware__accelerators_per_node=8)
    design = parse(catalogue, given)
    facts = explain(catalogue, design, answers(given), "parallelism").facts
    assert facts["level 1"].startswith("DDP: ")
    assert "That is more than the 67.06 GiB" in facts["level 1"]
    text = render_answers(catalogue, given).texts()["DESIGN.md"]
    assert "over 8 x H100" in text
    assert f"- {facts['level 1']}" in text


def test_the_numbers_are_those_of_the_design(catalogue: Catalogue) -> None:
    """Of one device, and of replicas; what is in layers is told from what is not."""
    given = llama(hardware__accelerator="MI300X", activation_checkpointing="none")
    design = parse(catalogue, given)
    estimates = estimate(catalogue, design)
    advice = advice_for(catalogue, design)
    assert advice is not None
    assert advice.levels[0].memory.total == estimates.training_bytes
    demand = demand_of(design, estimates)
    assert demand.heads == (32, 8)
    assert demand.outer_parameters == 2 * 128256 * 4096
    assert demand.n_layers == 32
    deeper = parse(catalogue, {**given, "task.n_layers": 64})
    twice = demand_of(deeper, estimate(catalogue, deeper))
    assert twice.outer_activations == pytest.approx(demand.outer_activations, rel=1e-2)
    assert twice.layer_activations == pytest.approx(2 * demand.layer_activations, rel=1e-2)


def test_the_question_offers_what_the_table_has(catalogue: Catalogue) -> None:
    option = catalogue.axes["hardware"].parts["accelerators"].options["accelerator"]
    assert list(option.choices) == list(accelerators())


@pytest.mark.parametrize("precision", PRECISIONS)
def test_projects_know_the_peaks_of_the_table(catalogue: Catalogue, precision: str) -> None:
    rendering: Rendering = render_answers(catalogue, {"precision": precision})
    tree = ast.parse(rendering.texts()[f"{rendering.source}peak.py"])
    (written,) = [
        ast.literal_eval(statement.value)
        for statement in tree.body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "PEAK_FLOPS"
    ]
    assert written == {
        name: each.peaks[precision]
        for each in accelerators().values()
        for name in each.device_names
        if precision in each.peaks
    }


def test_the_table_is_plausible() -> None:
    for each in accelerators().values():
        assert each.source.startswith("https://"), each.name
        assert 10e9 < each.memory < 300e9
        assert 100e9 < each.memory_bandwidth < 10e12
        assert each.link in ("nvlink", "infinity-fabric", "pcie")
        assert each.has_fast_link == (each.link_bandwidth > 200e9)
        assert each.peaks.get("bfloat16", each.peaks["float16"]) == each.peaks["float16"]
        assert each.peaks.get("float32", 0) < each.peaks["float16"]
