"""Each expert has a score of its own."""

import math


def expected(logits, scores, chosen):
    # {% macro score() %}
    scores = [1 / (1 + math.exp(-logit)) for logit in logits]
    # {% endmacro %}
    # {% macro weigh() %}
    weights = [scores[expert] for expert in chosen]
    weights = [weight / sum(weights) for weight in weights]
    # {% endmacro %}
    return weights
