"""How the layers are compiled."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    compile_backend: str  # inductor; aot_eager or eager find graph breaks in a second
    # {% endmacro %}
