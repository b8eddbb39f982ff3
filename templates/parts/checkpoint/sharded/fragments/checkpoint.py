"""All ranks write and read, and do nothing before they have agreed on it."""

from collections.abc import Mapping
from typing import Any

import torch

from .agreement import on_first_rank
from .storage import find_fault_anywhere, read, write


class Checkpoints:
    def __init__(self):
        # {% macro attributes() %}
        # {% endmacro %}
        pass

    # {% macro save() %}
    def save(self, step: int, state: Mapping[str, Any], best: bool) -> None:
        """Write ``state`` as the checkpoint of ``step``; ``best`` says that none was better.

        Every rank must call it. Once all have written their parts, and they are durable, older ones
        are deleted but for the last ``keep_last`` and the best. Raises ``OSError`` on all ranks if
        one cannot write, as on a full disk; what was there before stays usable.
        """
        final, partial = on_first_rank(lambda: self._place(step, state.get("progress")))
        if partial is not None:
            manifest = write(partial, state)
            on_first_rank(lambda: self._commit(partial, final, manifest))
        on_first_rank(lambda: self._keep(final, best))

    # {% endmacro %}

    # {% macro load_latest() %}
    def load_latest(
        self, device: torch.device, like: Mapping[str, torch.Tensor] | None = None
    ) -> dict[str, Any] | None:
        """The newest state that is whole; None if there is none. Every rank must call it.

        Weights and moments of the parameters that ``like`` names are spread as those are; all else
        is on ``device``.
        """
        path = self._newest()
        return None if path is None else read(path, device, like)

    # {% endmacro %}

    def _newest(self):
        # {% macro steps() %}
        steps = on_first_rank(self._steps)
        # {% endmacro %}
        for path in steps:
            # {% macro fault() %}
            fault = find_fault_anywhere(path)
            # {% endmacro %}
        return fault
