"""Evaluation in the precision of training."""

from .objective import evaluate_batch


def evaluate(model, batches, device):
    with evaluation_mode(model):
        for batch in batches:
            # {% macro evaluate() %}
            sums = evaluate_batch(model, batch)
            # {% endmacro %}
            yield sums
