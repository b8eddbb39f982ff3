"""One group of ranks."""

from .mesh import build_mesh


def build_sharded(device):
    # {% macro mesh() %}
    mesh = build_mesh(device)
    # {% print pipeline.model() %}
    # {% endmacro %}
    return mesh


def shard(mesh):
    # {% macro dimensions() %}
    mesh = mesh["shard"]
    # {% endmacro %}
    return mesh


def before_backward(model, is_last):
    # {% macro last_backward() %}
    model.set_is_last_backward(is_last)
    # {% endmacro %}
