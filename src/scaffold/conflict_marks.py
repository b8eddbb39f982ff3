"""The marks that git leaves in a text where two sides changed the same lines."""

BEGIN, MIDDLE, END = b"<<<<<<< ", b"=======", b">>>>>>> "


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
