"""What is gathered in float16."""

import torch
from torch.distributed.fsdp import MixedPrecisionPolicy


def parallelize():
    # {% macro policy() %}
    # Weights are gathered as the products want them; gradients are added up in float32.
    policy = MixedPrecisionPolicy(param_dtype=torch.float16, reduce_dtype=torch.float32)
    # {% endmacro %}
    return policy
