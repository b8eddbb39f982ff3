"""The same metrics for TensorBoard."""

from torch.utils.tensorboard import SummaryWriter


class RunLog:
    def __init__(self, run_dir, step, metrics):
        # {% macro open() %}
        # After a resume, TensorBoard hides the points of steps that are taken again.
        self._tensorboard = SummaryWriter(run_dir / "tensorboard", purge_step=step + 1)
        self._open.callback(self._tensorboard.close)
        # {% endmacro %}
        # {% macro write() %}
        for name, value in metrics.items():
            if value is not None:
                self._tensorboard.add_scalar(name, value, step)
        # {% endmacro %}
