"""A row holds several texts."""

from .model.documents import positions_in_documents
from .tokenizer import Tokenizer


def summed_loss(model, batch):
    # {% macro logits() %}
    positions = positions_in_documents(batch.inputs, Tokenizer.end_of_text)
    logits = model(batch.inputs, positions=positions)
    # {% endmacro %}
    return logits
