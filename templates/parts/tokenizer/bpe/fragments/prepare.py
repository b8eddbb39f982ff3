"""The vocabulary is trained on the training text alone."""

import sys

from .tokenizer import Tokenizer


def prepare(split, pieces, model, folder):
    documents, lengths, cut = split
    # {% macro fit() %}
    # Only the training text: a vocabulary that knows the validation text would flatter its loss.
    training_text = (piece.text for piece in pieces(documents, lengths, 0, cut))
    tokenizer = Tokenizer.train(training_text, model.vocab_size)
    tokenizer.save(folder)
    if tokenizer.vocab_size < model.vocab_size:
        print(
            f"learned {tokenizer.vocab_size:,} of {model.vocab_size:,} tokens, since the text holds"
            " no more that occur together: the embeddings of the others are never trained",
            file=sys.stderr,
        )
    # {% endmacro %}
    return tokenizer
