"""Probabilities."""

import math


def expected(logits, scores, chosen):
    # {% macro score() %}
    scores = [math.exp(logit) for logit in logits]
    scores = [score / sum(scores) for score in scores]
    # {% endmacro %}
    # {% macro weigh() %}
    weights = [scores[expert] for expert in chosen]
    # {% endmacro %}
    return weights
