"""Texts."""

import torch

from .data import Batch


def dry_run(values, model_config):
    # {% macro batch() %}
    shape = (values.micro_batch_size, model_config.max_seq_len)
    tokens = torch.zeros(shape, dtype=torch.int64)
    batch = Batch(tokens, tokens)
    # {% endmacro %}
    return batch
