"""Matrices are spread over devices first of all."""

from .tensor_parallel import spread


def parallelize(model, mesh):
    # {% macro prepare() %}
    spread(model, mesh["tensor"])
    # {% endmacro %}


def shard(mesh):
    # {% macro exceptions() %}
    # {% print parallelism.dimensions() %}
    # {% endmacro %}
    return mesh


def sharded_copy(copy, mesh):
    # {% macro copy() %}
    spread(copy, mesh["tensor"])
    # {% endmacro %}
