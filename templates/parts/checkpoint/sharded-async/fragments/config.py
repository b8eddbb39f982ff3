"""The checkpoint before the newest stays."""


class TrainConfig:
    def problems(self):
        # {% macro train_problems() %}
        if self.keep_last == 1:
            yield (
                "train.keep_last = 1: must be at least 2; one that is being read would be deleted"
                " when the next has been written in the background"
            )
        # {% endmacro %}
