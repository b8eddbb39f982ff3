"""Tokens that are routed again are not counted again."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from torch import nn
from torch.utils.checkpoint import noop_context_fn

from .expert_load import routers_of


# {% macro uncounted() %}
def _uncounted(
    layer: nn.Module,
    contexts: Callable[[], tuple[AbstractContextManager[object], AbstractContextManager[object]]],
) -> tuple[AbstractContextManager[object], AbstractContextManager[object]]:
    """The contexts of computing a layer first and again, of which the second leaves no trace."""
    first, again = contexts()
    return first, _without_trace(layer, again)


@contextmanager
def _without_trace(layer: nn.Module, again: AbstractContextManager[object]) -> Iterator[None]:
    """Put back what the routers have noted: they noted the same tokens the first time."""
    routers = routers_of(layer)
    loads = [router.load.clone() for router in routers]
    try:
        with again:
            yield
    finally:
        for router, load in zip(routers, loads, strict=True):
            router.load.copy_(load)
            # {% print balance.forget() %}


# {% endmacro %}
def recompute_layers(layers):
    for layer in layers:
        contexts = None
        # {% macro selected_contexts() %}
        contexts = partial(_uncounted, layer, contexts)
        # {% endmacro %}
        layer.forward = contexts


def _recomputed(layer):
    return checkpoint(
        layer,
        # {% macro contexts() %}
        context_fn=partial(_uncounted, layer, noop_context_fn),
        # {% endmacro %}
    )
