"""This process evaluates every sample."""


def evaluate(n_samples, batch_size):
    # {% macro starts() %}
    starts = range(0, n_samples, batch_size)
    # {% endmacro %}
    # {% macro reduce() %}
    # {% endmacro %}
    return starts
