"""A row holds several texts."""

from torch import Tensor


# {% macro visibility() %}
def in_document(positions: Tensor, window: int) -> Visibility:
    """As in a window, but none before the start of its document, ``positions`` (B, T) away."""
    is_near = in_window(window)

    def is_visible(row: Tensor, head: Tensor, place: Tensor, other: Tensor) -> Tensor:
        return is_near(row, head, place, other) & (place - other <= positions[row, place])

    return is_visible


# {% endmacro %}
