"""One group of ranks."""

from .mesh import build_mesh


def dry_run():
    # {% macro mesh() %}
    mesh = build_mesh(CPU)
    # {% endmacro %}
    return mesh
