"""Groups of ranks with a copy each."""

from .mesh import build_mesh


def build_sharded(device, values):
    # {% macro mesh() %}
    mesh = build_mesh(device, values.shard_ranks)
    # {% print pipeline.model() %}
    # {% endmacro %}
    return mesh


def shard(mesh):
    # {% macro dimensions() %}
    mesh = mesh["replicate", "shard"]
    # {% endmacro %}
    return mesh


def before_backward(model, is_last):
    # {% macro last_backward() %}
    model.set_is_last_backward(is_last)
    model.set_requires_all_reduce(is_last)  # between the groups once a step
    # {% endmacro %}
