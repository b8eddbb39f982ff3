"""Rows that no token has are zero, as they come back."""

import torch


def model(built, shape):
    # {% macro as_imported() %}
    with torch.no_grad():
        for weight in built.parameters():
            if len(weight) == shape.padded_vocab_size:
                weight[shape.vocab_size :] = 0  # as rows that no token has come back
    # {% endmacro %}
    return built
