"""Each rank takes its tokens of the samples."""

from .context_parallel import own_tokens


def evaluate(batches, evaluation_mode):
    with evaluation_mode:
        for batch in batches:
            # {% macro own_tokens() %}
            batch = own_tokens(batch)
            # {% endmacro %}
            yield batch
