"""A replica to step with, and the generators of every rank."""

import copy
import warnings

from .parallel import replicate
from .ranks import gather_objects, rank, world_size
from .rng import load_rng_state, rng_state


class TrainState:
    def __init__(self, model, device):
        # {% macro average() %}
        self.average = copy.deepcopy(model).requires_grad_(False)  # evaluated and used
        # {% endmacro %}
        # {% macro attributes() %}
        self.replica = replicate(model, device)
        # {% endmacro %}

    def state_dict(self):
        return {
            # {% macro save() %}
            "rng": gather_objects(rng_state(self.device)),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro share() %}
        # {% endmacro %}
        # {% macro load() %}
        if len(state["rng"]) == world_size():
            load_rng_state(state["rng"][rank()], self.device)
        else:
            warnings.warn(
                f"saved by {len(state['rng'])} ranks, continued by {world_size()}: the random"
                " number generators start anew; weights, moments and data position are exact",
                stacklevel=2,
            )
        # {% endmacro %}
