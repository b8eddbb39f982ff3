"""The marks that a merge leaves in a text where two sides changed the same lines.

They name the sides as we do: those that a document shows as an example are no conflict.
"""

YOURS, THEIRS = "yours", "theirs"
BEGIN, MIDDLE, END = f"<<<<<<< {YOURS}".encode(), b"=======", f">>>>>>> {THEIRS}".encode()


def has_marks(content: bytes) -> bool:
    """Whether a text holds a whole conflict, from its first mark to its last."""
    if BEGIN not in content:
        return False
    is_begun = is_halved = False
    for line in content.split(b"\n"):
        if line.startswith(BEGIN):
            is_begun = True
        elif is_begun and line.rstrip(b"\r") == MIDDLE:
            is_halved = True
        elif is_halved and line.startswith(END):
            return True
    return False
