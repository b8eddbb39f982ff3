"""The modes that a file of a project may have: those that git knows."""

PLAIN, EXECUTABLE = 0o644, 0o755
LINK = 0o120000  # a symbolic link, whose content is what it points to
ORDINARY = 0o100000  # what git adds to the permissions of an ordinary file


def git_mode(mode: int) -> int:
    """The mode of a file as git writes it."""
    return mode if mode == LINK else ORDINARY | mode
