"""Where the text is."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class DataConfig:
    """Which text to train on, and where its tokens are."""

    text: str
    file_patterns: str
    prepared_dir: str
    val_fraction: float

    def problems(self) -> Iterator[str]:
        """Every value that cannot work: field, value, limit and remedy."""
        if not self.text:
            yield "data.text: empty; give the path of a file or folder, or builtin"
        if not self.file_patterns.split():
            yield "data.file_patterns: empty; give at least one pattern, such as *.txt"
        if not self.prepared_dir:
            yield "data.prepared_dir: empty; give a folder, such as data/prepared"
        if not 0 < self.val_fraction < 1:
            yield f"data.val_fraction = {self.val_fraction}: must lie between 0 and 1, such as 0.1"


# {% endmacro %}
