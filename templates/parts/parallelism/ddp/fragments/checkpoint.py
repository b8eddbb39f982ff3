"""Every rank has built its state; one writes."""

from .ranks import rank


class Checkpoints:
    def save(self):
        # {% macro save_on_one_rank() %}
        if rank() != 0:
            return
        # {% endmacro %}
