"""The load of the experts goes into the log."""

from .expert_load import load_metrics


def train(log, state):
    with log:
        while True:
            if True:
                if True:
                    log.step(
                        {
                            # {% macro metrics() %}
                            **load_metrics(state.loads),
                            # {% endmacro %}
                        },
                    )
