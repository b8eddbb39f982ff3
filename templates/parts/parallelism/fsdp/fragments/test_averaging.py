"""Weights are shards."""

from package.shards import whole


def copied(weights):
    # {% macro copied() %}
    return {name: whole(weight).detach().clone() for name, weight in weights.items()}
    # {% endmacro %}
