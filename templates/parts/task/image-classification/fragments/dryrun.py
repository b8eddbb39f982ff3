"""Images."""

import torch

from .data import Batch


def dry_run(values, model_config):
    # {% macro batch() %}
    size = model_config.image_size
    images = torch.zeros(values.micro_batch_size, model_config.n_channels, size, size)
    batch = Batch(images, torch.zeros(values.micro_batch_size, dtype=torch.int64))
    # {% endmacro %}
    return batch
