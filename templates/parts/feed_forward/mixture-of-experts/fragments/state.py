"""The load of the experts, for the log."""

import torch


class TrainState:
    def __init__(self):
        # {% macro attributes() %}
        self.loads = torch.zeros(0, 0)  # of the experts in the last step, of all layers
        # {% endmacro %}
