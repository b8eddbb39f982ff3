"""What is gathered is float32."""

from torch.distributed.fsdp import MixedPrecisionPolicy


def parallelize():
    # {% macro policy() %}
    policy = MixedPrecisionPolicy()
    # {% endmacro %}
    return policy
