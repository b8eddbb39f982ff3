"""Experts."""

from contextlib import ExitStack
from unittest import mock

from .model import feed_forward


def dry_run():
    with ExitStack() as modes:
        # {% macro assumptions() %}
        # Which experts the tokens would choose is not known: each gets as many.
        even = mock.patch.object(feed_forward, "group_sizes", feed_forward.even_sizes)
        modes.enter_context(even)
        # {% endmacro %}
