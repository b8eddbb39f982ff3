"""Records projects of today's templates: every later version must be able to update them.

Run it before the first change of the templates that needs a new migration::

    python tests/update/record_version.py tests/update/versions/1

It makes the projects with the scaffold on the path, which may be one of before.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

DESIGNS: Mapping[str, tuple[str, ...]] = {
    "image": (
        "task=image-classification",
        "task.dim=96",
        "task.patch_size=4",
        "feed_forward=gelu",
        "optimizer.weight_decay=0.05",
        "tracking=tensorboard",
    ),
    "language": (
        "attention=multi-head",
        "span=sliding-window",
        "span.window=48",
        "position=learned",
        "normalization=layer-norm",
        "tokenizer=bpe",
        "parallelism=ddp",
        "optimizer=muon",
        "schedule=wsd",
        "precision=float16",
        "graph_mode=eager",
        "launch=slurm",
    ),
}
RECORDED = ("scaffold.yaml", ".scaffold/lock.yaml", ".scaffold/base.tar.bz2")


def record(folder: Path) -> None:
    """Writes of each project what an update reads: its design, its lock, its pristine files."""
    for name, sets in DESIGNS.items():
        with tempfile.TemporaryDirectory() as temporary:
            project = Path(temporary) / name
            flags = [word for text in sets for word in ("--set", text)]
            command = [sys.executable, "-m", "scaffold.cli", "new", str(project), "--defaults"]
            subprocess.run([*command, *flags], check=True, stdout=subprocess.DEVNULL)
            for path in RECORDED:
                target = folder / name / Path(path).name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(project / path, target)


if __name__ == "__main__":
    record(Path(sys.argv[1]))
