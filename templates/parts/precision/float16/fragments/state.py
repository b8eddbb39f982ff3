"""The scale of the loss survives a restart: a fresh one would overflow first."""

import torch


class TrainState:
    def __init__(self, device):
        # {% macro attributes() %}
        self.scaler = torch.amp.GradScaler(device.type)
        # {% endmacro %}

    def state_dict(self):
        return {
            # {% macro save() %}
            "scaler": self.scaler.state_dict(),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro load() %}
        self.scaler.load_state_dict(state["scaler"])
        # {% endmacro %}
