"""A small catalogue with the shape of the real one: options, rules, conditions and estimates."""

from collections.abc import Mapping
from pathlib import Path

from scaffold.answers import Answer
from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.design import Design, Value
from scaffold.errors import DesignError, Problem
from scaffold.parse import parse_design

FILES = {
    "parts/task/axis.yaml": "title: Task\nquestion: What is to be learned?\norder: 10\n",
    "parts/task/words/part.yaml": """\
title: words
help: Predicts the next word.
reason: Needs no labels.
source: https://example.org/words
order: 10
options:
  dim: {type: int, default: 384, minimum: 8, maximum: 4096, ask: true, help: width, reason: wide}
  n_heads: {type: int, default: 6, minimum: 1, ask: true, help: heads, reason: 64 each}
  length: {type: int, default: 256, minimum: 2, help: context}
derived: {head_dim: dim // n_heads, tokens_per_sample: length}
rules:
  - id: heads-divide
    check: dim % n_heads == 0
    keys: [task.dim, task.n_heads]
    reason: "{dim} features do not divide into {n_heads} heads"
    fix: choose n_heads that divides {dim}
estimates:
  parameters: dim * dim
  flops_per_token: 2 * dim * dim
  activation_bytes_per_token: 4 * dim
  cache_bytes_per_token: 8 * dim
""",
    "parts/task/pictures/part.yaml": """\
title: pictures
help: Classifies pictures.
order: 20
options:
  dim: {type: int, default: 64, minimum: 8, help: width}
  n_heads: {type: int, default: 4, minimum: 1, help: heads}
derived: {head_dim: dim // n_heads, tokens_per_sample: "16"}
estimates: {parameters: 10 * dim, flops_per_token: 20 * dim, activation_bytes_per_token: dim}
""",
    "parts/mixer/axis.yaml": "title: Mixer\nquestion: How do tokens mix?\norder: 20\n",
    "parts/mixer/shared/part.yaml": """\
title: shared heads
help: Heads share keys.
reason: A smaller cache.
order: 10
requires: {task: [words]}
because: pictures have no cache
options:
  n_groups:
    type: int
    default: "= n_heads // 3 if n_heads % 3 == 0 else 1"
    minimum: 1
    ask: true
    help: groups of heads
rules:
  - id: groups-divide
    check: n_heads % n_groups == 0
    keys: [mixer.n_groups, task.n_heads]
    reason: "{n_heads} heads do not divide into {n_groups} groups"
    fix: choose n_groups that divides {n_heads}
estimates: {parameters: dim * n_groups}
""",
    "parts/mixer/shared/files/src/package/mixer.py": '"""Shares keys."""\n\nSHARES = True\n',
    "parts/mixer/full/part.yaml": "title: full heads\nhelp: Each its own.\norder: 20\n"
    "reason: Simple.\n",
    "parts/mixer/full/files/src/package/full.py": '"""Shares nothing."""\n\nSHARES = False\n',
    "parts/reach/axis.yaml": "title: Reach\nquestion: What may a token see?\norder: 30\n",
    "parts/reach/past/part.yaml": "title: the past\nhelp: What came before.\norder: 10\n"
    "requires: {task: [words]}\n",
    "parts/reach/all/part.yaml": "title: everything\nhelp: Both sides.\norder: 20\n"
    "requires: {task: [pictures]}\n",
    "parts/vocabulary/axis.yaml": "title: Vocabulary\nquestion: What is a token?\norder: 40\n"
    "when: {task: [words]}\n",
    "parts/vocabulary/bytes/part.yaml": "title: bytes\nhelp: One byte.\norder: 10\n"
    "reason: Nothing to learn.\n",
    "parts/vocabulary/learned/part.yaml": """\
title: learned
help: Frequent pieces.
order: 20
options:
  size: {type: int, default: 4096, minimum: 256, ask: true, help: pieces}
""",
    "parts/devices/axis.yaml": "title: Devices\nquestion: How many devices?\norder: 50\n",
    "parts/devices/one/part.yaml": "title: one\nhelp: A single one.\norder: 10\n"
    'derived: {world: "1"}\n'
    "reason: Least to go wrong.\n",
    "parts/devices/many/part.yaml": """\
title: many
help: A copy on each.
order: 20
options:
  n_devices: {type: int, default: 2, minimum: 2, maximum: 1000, help: how many}
derived: {world: n_devices}
provides: {run_command: "torchrun --nproc={{design.devices.n_devices}} -m {{package}}.train"}
""",
    "parts/training/axis.yaml": "title: Training\nquestion: How long?\norder: 60\n",
    "parts/training/steps/part.yaml": """\
title: steps
help: So many steps.
reason: Comparable runs.
order: 10
dependencies: [torch>=2.11, scikit-learn]
options:
  steps: {type: int, default: 1000, minimum: 1, ask: true, help: steps, config: train.steps}
  batch_size: {type: int, default: 32, minimum: 1, help: samples, config: train.batch_size}
  micro_batch_size:
    type: int
    default: "= batch_size // world if batch_size % world == 0 else 1"
    minimum: 1
    help: samples at once
    config: train.micro_batch_size
  rate: {type: float, default: 0.1, minimum: 0.0, maximum: 1.0, help: rate, config: train.rate}
  shuffle: {type: bool, default: true, ask: true, help: shuffle, config: train.shuffle}
  order: {type: choice, default: fast, choices: [fast, slow, 'no'], help: order}
  folder: {type: str, default: runs/one, help: where, config: train.folder}
rules:
  - id: batches-divide
    check: batch_size % (micro_batch_size * world) == 0
    keys: [training.batch_size, training.micro_batch_size]
    reason: "{batch_size} samples do not divide by {micro_batch_size} on {world} devices"
    fix: choose batch_size as a multiple
estimates: {optimizer_bytes_per_parameter: "8"}
provides:
  prepare_commands: [{run: "python -m {{package}}.prepare", does: prepare}]
""",
    "parts/launch/axis.yaml": "title: Launch\nquestion: Where?\norder: 70\n",
    "parts/launch/here/part.yaml": "title: here\nhelp: On this machine.\norder: 10\n",
    "parts/launch/cluster/part.yaml": "title: cluster\nhelp: In a queue.\norder: 20\n"
    "requires: {devices: [many]}\nconflicts: {vocabulary: [learned]}\n",
    "parts/launch/cloud/part.yaml": "title: cloud\nhelp: Rented.\norder: 30\n",
    "frames/src/package/train.py": '"""Trains."""\n\nprint("step")\n',
    "data/README.md.jinja": "# {{ project.name }}\n\n{% for item in decisions %}\n"
    "{{ item.name }} = {{ item.value }}: {{ item.because }}\n{% endfor %}\n",
}


def toy_templates(root: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Writes the tree to a folder."""
    for name, text in {**FILES, **(changes or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def toy_catalogue(root: Path, changes: Mapping[str, str] | None = None) -> Catalogue:
    """The catalogue of the tree."""
    return read_catalogue(toy_templates(root, changes))


def answered(values: Mapping[str, Value], origin: str = "flag") -> dict[str, Answer]:
    """Answers that all have one origin."""
    return {key: Answer(value, origin) for key, value in values.items()}


def design_of(catalogue: Catalogue, **values: Value) -> Design:
    """The design of some answers; ``task__dim=8`` answers ``task.dim``."""
    return parse_design(catalogue, answered(keyed(values)))


def problems_of(catalogue: Catalogue, **values: Value) -> dict[str, Problem]:
    """The problems of some answers, by key; empty if there are none."""
    try:
        design_of(catalogue, **values)
    except DesignError as error:
        return {problem.key: problem for problem in error.problems}
    return {}


def keyed(values: Mapping[str, Value]) -> dict[str, Value]:
    """Keywords as keys: ``task__dim`` is ``task.dim``."""
    return {key.replace("__", "."): value for key, value in values.items()}
