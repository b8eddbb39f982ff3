"""Ranks get as many tokens, as is assumed."""

from even_routing import choose_evenly


def measured(state, footprint):
    with footprint:
        # {% macro even() %}
        choose_evenly(state.model)
        # {% endmacro %}
