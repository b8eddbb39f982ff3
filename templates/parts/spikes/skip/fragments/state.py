"""What steps are compared with continues with the run."""

from dataclasses import dataclass, field


@dataclass
class Progress:
    # {% macro progress_fields() %}
    recent: list[list[float]] = field(default_factory=list)  # loss and gradient norm of steps
    # {% endmacro %}
    pass
