"""Experts are sharded first, over fewer ranks."""

from .expert_parallel import shard_experts


def shard(model, mesh, options):
    # {% macro experts() %}
    options["ignored_params"] = shard_experts(model, mesh, options)
    # {% endmacro %}
