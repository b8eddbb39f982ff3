"""The marks that git leaves in a text where two sides changed the same lines."""

import re

MARKS = re.compile(rb"^<{7} [^\n]*\n(?:[^\n]*\n)*?={7}\r?\n(?:[^\n]*\n)*?>{7} ", re.MULTILINE)


def has_marks(content: bytes) -> bool:
    """Whether a text holds a whole conflict, from its first mark to its last."""
    return b"<<<<<<< " in content and MARKS.search(content) is not None
