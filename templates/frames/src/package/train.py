"""Train the model: set up, resume, then step, evaluate and save until it is done.

    python -m {{package}}.train [--config FILE] [group.key=value ...]

Exit codes: 0 the run is complete; 1 it failed; 2 a value or the data is wrong, nothing was done;
75 it was asked to stop (SIGTERM or SIGUSR1) and saved: the same command continues it; 130 Ctrl-C.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from .checkpoint import Checkpoints
from .config import Config, ConfigError, TrainConfig, load_config
from .data import TrainSet, ValidationSet
from .loader import Loader
from .metrics import RunLog
from .model import ModelConfig
from .optim import build_optimizer, describe_groups
from .resume import describe_start, resume
from .rng import seed_everything
from .schedule import lr_factor
from .signals import EXIT_STOPPED, StopSignal
from .state import Progress, TrainState
from .step import StepResult, train_step


# {# Slots: set_up reads values, binds device. build reads device and values, binds model. notes are lines
#    to say at the start. evaluate reads model, state and its own arguments, binds metrics. evaluated
#    reads metrics, progress, values, log. update reads state, progress, values. metrics reads state,
#    adds to what is logged of a step. finish reads complete, values; it ends what set_up began. #}
def train(config: Config) -> int:
    """Run or continue the run in ``config.train.run_dir``; returns the exit code.

    Raises ``FloatingPointError`` if more steps than allowed have a loss or gradient not finite.
    """
    values = config.train
    stop = StopSignal()
    # {% print parallelism.set_up() %}
    seed_everything(values.seed, values.deterministic)
    train_set = TrainSet(config.data, ModelConfig(), values.seed)
    validation = ValidationSet(config.data, ModelConfig())
    # {% print parallelism.build() %}
    state = TrainState(model, build_optimizer(model, config.optimizer), device)
    checkpoints = Checkpoints(Path(values.run_dir) / "checkpoints", values.keep_last)
    changes = resume(state, checkpoints, train_set.identity, config)
    progress = state.progress
    with (
        Loader(
            train_set, progress.samples_seen, values.batch_size, values.micro_batch_size, device
        ) as loader,
        RunLog(config, model, progress.step, device) as log,
    ):
        log.say(
            *describe_groups(state.optimizer),
            log.describe_mfu(),
            # {% print each.notes() %}
            describe_start(progress, values),
            *changes,
        )
        while not stop.requested():
            if progress.needs_evaluation(values):
                # {% print averaging.evaluate() %}
                if metrics is None:
                    break
                progress.record_evaluation(metrics["val_loss"])
                log.validation(progress.step, metrics)
                # {% print each.evaluated() %}
                if progress.is_finished(values) or (
                    progress.step > 0 and progress.step % values.checkpoint_every == 0
                ):
                    is_best = progress.record_checkpoint()
                    checkpoints.save(progress.step, state.state_dict(), best=is_best)
            if progress.is_finished(values):
                break

            log.start_step()
            state.set_learning_rate(lr_factor(progress.step, values.steps, config.schedule))
            result = train_step(state, loader.next_step(), values.max_grad_norm)
            progress.samples_seen += values.batch_size
            if result.finite:
                progress.step += 1
                # {% print each.update() %}
                if log.end_step(progress.step):
                    log.step(
                        progress.step,
                        {
                            "loss": result.loss,
                            "grad_norm": result.grad_norm,
                            # {% print each.metrics() %}
                            "lr": state.optimizer.param_groups[0]["lr"],
                        },
                        loader.wait_seconds,
                    )
            else:
                log.skip(progress.step, _skip(progress, result, values))

        complete = progress.is_finished(values) and progress.evaluated_step == progress.step
        if not complete:
            checkpoints.save(progress.step, state.state_dict(), best=False)
        log.stop(progress.step, complete)
    # {% print parallelism.finish() %}
    return 0 if complete else EXIT_STOPPED


def _skip(progress: Progress, result: StepResult, values: TrainConfig) -> str:
    """Count a step that was not applied; returns what to say about it.

    The samples are named in place of being dumped: ``TrainSet.samples`` gives the very batch again.
    Raises ``FloatingPointError`` if that was one too many.
    """
    progress.skipped_steps += 1
    first = progress.samples_seen - values.batch_size
    fault = (
        f"step {progress.step + 1} was not applied: loss {result.loss}, gradient norm"
        f" {result.grad_norm}, on the training samples {first} to {progress.samples_seen - 1}"
    )
    if progress.skipped_steps > values.max_skipped_steps:
        raise FloatingPointError(f"{fault}; train.max_skipped_steps = {values.max_skipped_steps}")
    return fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the configuration and train; what is wrong with it is printed, one problem a line."""
    try:
        return train(load_config(sys.argv[1:] if arguments is None else arguments))
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    except (FloatingPointError, OSError) as error:  # a loss that is not finite, a full disk
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command continues from the last checkpoint", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
