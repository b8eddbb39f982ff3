"""What is gathered in bfloat16."""

import torch
from torch.distributed.fsdp import MixedPrecisionPolicy


def parallelize():
    # {% macro policy() %}
    # Weights are gathered as the products want them; gradients are added up in float32.
    half = torch.bfloat16
    policy = MixedPrecisionPolicy(half, reduce_dtype=torch.float32, output_dtype=half)
    # {% endmacro %}
    return policy
