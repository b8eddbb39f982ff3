"""Weights whose precision is that of what is computed with them."""

from dataclasses import replace


def shard(policy):
    # {% macro exceptions() %}
    # Decays and states are computed in the precision of their weights: it must be float32.
    policy = replace(policy, param_dtype=None, output_dtype=None)
    # {% endmacro %}
    return policy
