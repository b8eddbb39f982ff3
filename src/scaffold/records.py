"""Where a project keeps what was applied to it, and whether packs took part in that.

Whoever works out what packs say runs with limits, and so has to know before the lock is read.
"""

import os
import stat

DESIGN_PATH = "scaffold.yaml"
LOCK_PATH = ".scaffold/lock.yaml"
BASE_PATH = ".scaffold/base.tar.bz2"
NO_PACKS = b"\npacks: {}\n"  # in a lock as it is written; one in which a key is twice is refused


def has_packs(project: str | os.PathLike[str]) -> bool:
    """Whether the lock of a project names packs; False where there is none that can be read."""
    try:
        # What is no file, such as a pipe that nobody writes to, is for the command to refuse.
        path = os.path.join(project, *LOCK_PATH.split("/"))
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as lock:
            return stat.S_ISREG(os.fstat(descriptor).st_mode) and NO_PACKS not in lock.read()
    except OSError:
        return False
