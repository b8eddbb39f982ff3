"""A scaler, which would read from the gradients whether one has overflown."""

from contextlib import ExitStack
from unittest import mock

from torch.amp import GradScaler


def dry_run():
    with ExitStack() as modes:
        # {% macro assumptions() %}
        # No gradient overflows.
        always = mock.patch.object(GradScaler, "step", lambda _, optimizer: optimizer.step())
        modes.enter_context(always)
        # {% endmacro %}
