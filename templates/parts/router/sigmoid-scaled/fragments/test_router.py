"""Each expert has a score of its own; what is added up is made larger."""

import math


def expected(logits, scores, chosen, config):
    # {% macro score() %}
    scores = [1 / (1 + math.exp(-logit)) for logit in logits]
    # {% endmacro %}
    # {% macro weigh() %}
    weights = [scores[expert] for expert in chosen]
    weights = [2.446 * weight / sum(weights) for weight in weights]
    # {% endmacro %}
    return weights
