"""The vocabulary is trained on the training text alone."""

from .tokenizer import Tokenizer


def prepare(split, pieces, model, folder):
    documents, lengths, cut = split
    # {% macro fit() %}
    # Only the training text: a vocabulary that knows the validation text would flatter its loss.
    training_text = (piece.text for piece in pieces(documents, lengths, 0, cut))
    tokenizer = Tokenizer.train(training_text, model.vocab_size)
    tokenizer.save(folder)
    # {% endmacro %}
    return tokenizer
