"""Training ends when the validation loss no longer falls."""


def train(progress, values, metrics):
    with RunLog() as log:
        log.say(
            # {% macro notes() %}
            f"ends early after {values.patience} evaluations in which the validation loss has not"
            f" fallen by more than {values.min_delta}; so far {progress.evaluations_without_gain}",
            # {% endmacro %}
        )
        while True:
            if metrics:
                # {% macro evaluated() %}
                log.say(progress.record_gain(values.patience, values.min_delta))
                # {% endmacro %}
