"""One process writes, and reads what it wrote."""

from collections.abc import Mapping
from typing import Any

import torch

from .durable import find_fault
from .storage import read, write


class Checkpoints:
    def __init__(self):
        # {% macro attributes() %}
        # {% endmacro %}
        pass

    # {% macro save() %}
    def save(self, step: int, state: Mapping[str, Any], best: bool) -> None:
        """Write ``state`` as the checkpoint of ``step``; ``best`` says that none was better.

        Once it is durable, older ones are deleted but for the last ``keep_last`` and the best.
        Raises ``OSError`` if it cannot be written, as on a full disk; what was there before stays
        usable.
        """
        # {% print each.gathered() %}
        # {% print parallelism.save_on_one_rank() %}
        final, partial = self._place(step, state.get("progress"))
        if partial is not None:
            self._commit(partial, final, write(partial, state))
        self._keep(final, best)

    # {% endmacro %}

    # {% macro load_latest() %}
    def load_latest(self, device: torch.device) -> dict[str, Any] | None:
        """The newest state that is whole, on ``device``; None if there is none."""
        path = self._newest()
        return None if path is None else read(path, device)

    # {% endmacro %}

    def _newest(self):
        # {% macro steps() %}
        steps = self._steps()
        # {% endmacro %}
        for path in steps:
            # {% macro fault() %}
            fault = find_fault(path)
            # {% endmacro %}
        return fault
