"""Each device has keys and values of its own."""

from torch.distributed.tensor.parallel import ColwiseParallel


def layer_styles():
    return {
        # {% macro key_value_styles() %}
        "attention.wk": ColwiseParallel(),
        "attention.wv": ColwiseParallel(),
        # {% endmacro %}
    }
