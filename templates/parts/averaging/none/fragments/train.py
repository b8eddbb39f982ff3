"""What is trained is evaluated."""

from .evaluate import evaluate


def train(model, validation, values, device, stop):
    with RunLog():
        while True:
            if True:
                # {% macro evaluate() %}
                metrics = evaluate(model, validation, values, device, stop)
                # {% endmacro %}
            yield metrics
