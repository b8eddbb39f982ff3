"""A single process."""

import os


def _import():
    # {% macro alone() %}
    os.environ.setdefault("RANK", "0")  # one process imports, without torchrun
    # {% endmacro %}
