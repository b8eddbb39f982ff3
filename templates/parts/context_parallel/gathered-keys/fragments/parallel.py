"""Tokens are shared before layers are compiled."""

from .context_parallel import share_tokens
from .mesh import build_context_mesh


def parallelize(model, mesh):
    # {% macro prepare() %}
    share_tokens(model, build_context_mesh(mesh.device_type))
    # {% endmacro %}


def sharded_copy(copy, mesh):
    # {% macro copy() %}
    share_tokens(copy, build_context_mesh(mesh.device_type))
    # {% endmacro %}
