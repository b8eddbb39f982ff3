"""The optimizer keeps its state under the numbers of its parameters."""


class TrainState:
    def state_dict(self):
        return {
            # {% macro save() %}
            "optimizer": self.optimizer.state_dict(),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro share() %}
        # {% print each.own_part() %}
        # {% print parallelism.share() %}
        # {% endmacro %}
        # {% macro load() %}
        # The moments are the checkpoint's; learning rates, decays and the like are this run's.
        values = [
            {name: value for name, value in group.items() if name not in ("params", "lr")}
            for group in self.optimizer.param_groups
        ]
        self.optimizer.load_state_dict(state["optimizer"])
        for group, own in zip(self.optimizer.param_groups, values, strict=True):
            group.update(own)
        # {% endmacro %}
