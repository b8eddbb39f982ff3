"""The average follows each step that counts, and is what is evaluated."""

from .averaging import update_average
from .evaluate import evaluate


def train(state, model, validation, values, device, stop, progress, log):
    with RunLog():
        log.say(
            # {% macro notes() %}
            f"evaluated and saved as the model: the averaged weights, decay {values.ema_decay}",
            # {% endmacro %}
        )
        while True:
            if True:
                # {% macro evaluate() %}
                metrics = evaluate(state.average, validation, values, device, stop)
                # {% endmacro %}
            if metrics:
                # {% macro update() %}
                update_average(state.average, model, progress.step, values.ema_decay)
                # {% endmacro %}
