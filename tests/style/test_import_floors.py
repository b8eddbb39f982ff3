"""Imports go down, never up: every module stands on a floor and builds on lower ones only."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rendering import Rendering
from syntax import imported_modules, loaded_by_name

# Ground first. A new module belongs on the floor above the highest one that it imports.
PROJECT = (
    ("config", "footprint", "peak", "rng", "rendezvous", "spikes", "durable", "agreement"),
    ("console", "model", "device", "run_dir", "corpus", "tokenizer", "schedule"),
    ("ranks", "data", "hub_format", "status", "storage"),
    ("mesh", "shards", "clipping", "tensor_parallel", "vocabulary_parallel"),
    ("context_parallel", "expert_parallel", "stage", "stage_state"),
    ("parallel", "optim", "expert_load", "loss", "checkpoint"),
    ("moments",),
    ("averaging", "balance", "recomputation"),
    ("signals", "metrics", "loader", "objective", "state", "prepare"),
    ("pipeline",),
    ("plot", "resume", "step", "evaluate"),
    ("train", "generate", "predict", "hub", "launcher", "dryrun"),
)
MODEL = (
    ("hyperparameters", "rope_scaling", "alibi", "documents", "ssd", "soft_cap", "expert_exchange"),
    ("rope", "window", "mamba_cache", "queries", "router"),
    ("cache", "mamba", "blocks", "local_rope", "context"),
    ("packed", "rows", "attention", "feed_forward"),
    ("block",),
    ("initialization",),
    ("transformer", "vit"),
    ("__init__",),
)
TOOL = (
    (
        *("__init__", "conflict_marks", "design", "errors", "exit_codes", "imports"),
        *("modes", "records", "requirements", "streams"),
    ),
    ("git", "migrations", "rulings"),
    ("parts", "sources", "destination", "repository", "limits"),
    ("declarations", "expressions", "frames", "inheritance", "scalars"),
    ("migration_check", "migration_file"),
    ("accelerators", "catalogue"),
    ("estimates", "keys", "slots", "variants"),
    ("answer_file", "completion", "migrate", "naming", "rules", "units"),
    ("advice",),
    ("recommend",),
    ("decisions",),
    ("dead_ends", "policy", "covering"),
    ("answers", "formats", "plan", "presets", "values"),
    ("parse", "design_edit", "design_file", "next_steps", "render"),
    ("alternatives", "base", "design_names", "equivalent", "git_merge", "questions"),
    ("ask", "explanation", "lock", "merge", "snapshot", "staging"),
    ("applied", "journal", "report", "revision", "write", "packs"),
    ("migrated", "transaction"),
    ("findings", "update"),
    ("update_report",),
    ("cli",),
    ("commands", "__main__"),
)
# Who may know a library; everyone else sees plain values.
KNOWN_TO = {
    "jinja2": {"expressions", "render", "packs.overlays"},
    "copier": {"packs.overlays"},
    "jinja2_ansible_filters": {"packs.overlays"},  # which comes with copier
    "yaml": {"answer_file", "declarations", "design_edit", "design_names", "lock"},
    "omegaconf": {"answers"},
    "questionary": {"ask"},
    "prompt_toolkit": {"ask"},
    "shtab": {"commands.completion"},
    "subprocess": {"git", "packs.trial"},
}
# What a project may need at run time, beside Python itself.
PROJECT_LIBRARIES = {
    "torch",
    "numpy",
    "omegaconf",
    "yaml",
    "tqdm",
    "matplotlib",
    "sklearn",
    "tokenizers",
    "tensorboard",
    "safetensors",
    "transformers",
}


def upward(
    modules: Mapping[str, Iterable[str]], floors: Sequence[Sequence[str]], root: str
) -> list[str]:
    """Imports that do not go down, among (module -> dotted names that it imports) of a package."""
    level = {name: floor for floor, names in enumerate(floors) for name in names}
    found = []
    for module, imports in modules.items():
        name = _within(module, level)
        if name not in level:
            found.append(f"{module}: stands on no floor")
            continue
        for imported in imports:
            if imported.partition(".")[0] != root or imported == root:
                continue
            target = _within(imported.removeprefix(f"{root}."), level)
            if target == name and module.startswith(f"{name}."):
                continue  # between the modules of a folder
            if level.get(target, len(floors)) >= level[name]:
                found.append(f"{module} imports {imported}")
    return found


def _within(name: str, level: Mapping[str, int]) -> str:
    """The module or folder on a floor that a dotted name belongs to."""
    first = name.partition(".")[0]
    return first if first in level else "__init__" if first.startswith("__") else name


def test_the_modules_of_a_project_import_downwards(covering_set: Mapping[str, Rendering]) -> None:
    found: set[str] = set()
    for rendering in covering_set.values():
        package = rendering.design.project.package
        modules = _modules(rendering.texts(rendering.source, ".py"), "src/")
        outer = {
            module.removeprefix(f"{package}."): imports
            for module, imports in modules.items()
            if module != f"{package}.__init__"
        }
        found.update(upward(outer, PROJECT, package))
        inner = {
            module.removeprefix(f"{package}.model."): imports
            for module, imports in modules.items()
            if module.startswith(f"{package}.model.")
        }
        found.update(upward(inner, MODEL, f"{package}.model"))
    assert not found, "\n".join(sorted(found))


def test_the_model_knows_nothing_of_training(covering_set: Mapping[str, Rendering]) -> None:
    for rendering in covering_set.values():
        package = rendering.design.project.package
        start = f"{rendering.source}model/"
        for module, imports in _modules(rendering.texts(start, ".py"), "src/").items():
            for imported in imports:
                is_own = imported.startswith(f"{package}.model.")
                assert is_own or not imported.startswith(package), f"{module}: {imported}"


def test_a_project_imports_what_it_depends_on_and_never_the_tool(
    covering_set: Mapping[str, Rendering],
) -> None:
    allowed = PROJECT_LIBRARIES | sys.stdlib_module_names | {"pytest", "conftest", "many_ranks"}
    for title, rendering in covering_set.items():
        own = {rendering.design.project.package}
        for module, imports in _modules(rendering.texts("", ".py"), "src/").items():
            roots = {imported.partition(".")[0] for imported in imports}
            assert roots <= allowed | own, f"{title}: {module}: {roots - allowed - own}"


def test_the_modules_of_the_tool_import_downwards(repository: Path) -> None:
    assert upward(_tool(repository), TOOL, "scaffold") == []


def test_each_library_is_known_to_few_modules(repository: Path) -> None:
    for module, imports in _tool(repository).items():
        for imported in imports:
            library = imported.partition(".")[0]
            if library not in (*sys.stdlib_module_names, "scaffold") or library in KNOWN_TO:
                assert module in KNOWN_TO.get(library, ()), f"{module} imports {imported}"


def test_an_import_that_goes_up_is_found() -> None:
    floors = (("a",), ("b", "c"))
    modules = {"a": ["p.b.f"], "b": ["p.a.g", "os"], "c": ["p.b.f"], "d": []}
    expected = ["a imports p.b.f", "c imports p.b.f", "d: stands on no floor"]
    assert upward(modules, floors, "p") == expected


def _tool(repository: Path) -> dict[str, list[str]]:
    root = repository / "src"
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((root / "scaffold").rglob("*.py"))
    }
    modules = _modules(texts, "")
    return {module.removeprefix("scaffold."): imports for module, imports in modules.items()}


def _modules(texts: Mapping[str, str], prefix: str) -> dict[str, list[str]]:
    """Dotted names of all that each module imports."""
    modules = {}
    for path, text in texts.items():
        module = path.removeprefix(prefix).removesuffix(".py").replace("/", ".")
        modules[module] = [*imported_modules(text, module), *loaded_by_name(text)]
    return modules
