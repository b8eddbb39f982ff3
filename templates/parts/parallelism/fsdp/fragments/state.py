"""Shards, and the generators of every rank."""

import warnings

from .parallel import sharded_copy
from .ranks import gather_objects, rank, world_size
from .rng import load_rng_state, rng_state
from .shards import scatter


class TrainState:
    def __init__(self, model, device):
        # {% macro average() %}
        self.average = sharded_copy(model, device).requires_grad_(False)  # evaluated and used
        # {% endmacro %}

    def state_dict(self):
        return {
            # {% macro save() %}
            "rng": gather_objects(rng_state(self.device)),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro share() %}
        state = scatter(state, self.model, self.optimizer)
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
