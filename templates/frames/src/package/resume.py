"""Where a run begins: at its newest checkpoint, or at the start."""

from dataclasses import asdict

from .checkpoint import Checkpoints
from .config import Config, ConfigError, TrainConfig
from .state import Progress, TrainState


# {# Slots: load reads checkpoints and state, binds saved; imported reads state and data, may rebind
#    saved; resumed reads state; complete reads progress and values, may return. #}
def resume(state: TrainState, checkpoints: Checkpoints, data: str, config: Config) -> list[str]:
    """Continue from the newest checkpoint, if there is one; returns a line for each changed value.

    Raises ``ConfigError`` if it was trained on other data: its position there would mean nothing.
    """
    values = {
        f"{group}.{name}": value
        for group, entries in asdict(config).items()
        for name, value in entries.items()
        if name != "run_dir"  # a run that was moved is the same run
    }
    # {% print parallelism.load() %}
    # {% print each.imported() %}
    if saved is not None:
        state.load_state_dict(saved)
        if state.progress.data != data:
            raise ConfigError(
                [
                    f"the checkpoint was trained on other data: {state.progress.data}; here it is"
                    f" {data}; set train.run_dir to a new directory, or undo the change"
                ]
            )
    # {% print each.resumed() %}
    before = state.progress.values
    state.progress.data, state.progress.values = data, values
    return [
        f"{name} = {values[name]}, which was {before[name]} until here"
        for name in values
        if name in before and values[name] != before[name]
    ]


def describe_start(progress: Progress, values: TrainConfig) -> str:
    """Where the run begins this time."""
    if progress.is_finished(values) and progress.evaluated_step == progress.step:
        # {% print each.complete() %}
        return (
            f"{values.run_dir} is complete after step {progress.step}; raise train.steps, or give"
            " another train.run_dir"
        )
    if progress.step > 0:
        return f"continuing {values.run_dir} after step {progress.step} of {values.steps}"
    return f"starting {values.run_dir}, {values.steps} steps"
