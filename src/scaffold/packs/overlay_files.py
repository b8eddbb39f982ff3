"""The files of overlays, which are plain copier templates: what they may say."""

import re
from collections.abc import Iterator, Mapping

from scaffold.declarations import load_yaml
from scaffold.errors import TemplateError
from scaffold.packs.declaration import NO_CODE, Declaration, plain_yaml
from scaffold.packs.tree import OVERLAYS
from scaffold.sources import Source

CONFIGS = ("copier.yml", "copier.yaml")
# Settings of copier with which nothing is run, and nothing is read but the template.
SETTINGS = ("_subdirectory", "_templates_suffix", "_exclude", "_min_copier_version")
FOLDER = re.compile(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*")


def overlay_problems(files: Mapping[str, Source], declaration: Declaration) -> Iterator[str]:
    """What is wrong with the overlays of a pack before any is rendered."""
    names = {path.split("/")[1] for path in files if path.startswith(OVERLAYS)}
    declared = declaration.overlays
    for name in sorted(names - declared.keys()):
        yield f"{OVERLAYS}{name}: is not named under `overlays` of pack.yaml"
    for name in declared:
        own = files_of(files, name)
        configs = [own[config] for config in CONFIGS if config in own]
        if len(configs) != 1:
            yield f"{OVERLAYS}{name}: holds no copier.yml, or two"
        else:
            yield from _config_problems(configs[0])


def files_of(files: Mapping[str, Source], name: str) -> dict[str, Source]:
    """The files of an overlay, by their path in its folder."""
    start = f"{OVERLAYS}{name}/"
    return {
        path.removeprefix(start): source for path, source in files.items() if path.startswith(start)
    }


def _config_problems(source: Source) -> Iterator[str]:
    """What a copier.yml says that an overlay may not."""
    rule = plain_yaml(source)
    if rule is not None:
        yield rule
        return
    try:
        config = load_yaml(source)
    except TemplateError as error:
        yield str(error)
        return
    if not isinstance(config, dict):
        yield f"{source.path}: must be a mapping"
        return
    for key in config:
        if str(key).startswith("_") and key not in SETTINGS:
            yield f"{source.path}: {key}: {NO_CODE}; only {', '.join(SETTINGS)} may be set"
    folder = config.get("_subdirectory", "template")
    if not isinstance(folder, str) or not FOLDER.fullmatch(folder):
        yield f"{source.path}: _subdirectory: {folder!r} is no folder of the overlay"
