"""Packs in installed packages: found by the records of the installer, without an import."""

import importlib.metadata
import importlib.util
from pathlib import Path

from scaffold.errors import PackError
from scaffold.packs.reference import PackageReference
from scaffold.packs.tree import PACK_FILE


def find_installed(reference: PackageReference) -> Path:
    """The folder of the pack in an installed distribution; raises PackError.

    It is the one that holds pack.yaml in the distribution's records. One that is installed for
    editing has no such record: there the pack lies in the package of the same name.
    """
    try:
        distribution = importlib.metadata.distribution(reference.name)
    except importlib.metadata.PackageNotFoundError:
        rule = "there is no such folder, and no package of that name is installed"
        raise PackError([f"--pack {reference.text}: {rule}"]) from None
    files = [file for file in distribution.files or () if file.name == PACK_FILE]
    folders = [Path(str(distribution.locate_file(file))).parent for file in files]
    if not folders:
        # For a name without a point, this runs nothing of the package.
        spec = importlib.util.find_spec(reference.name.replace("-", "_").replace(".", "_"))
        places = [] if spec is None else list(spec.submodule_search_locations or ())
        folders = [Path(place) for place in places if (Path(place) / PACK_FILE).is_file()]
    if len(folders) != 1:
        found = "no" if not folders else "more than one"
        raise PackError([f"--pack {reference.text}: the package holds {found} {PACK_FILE}"])
    return folders[0]
