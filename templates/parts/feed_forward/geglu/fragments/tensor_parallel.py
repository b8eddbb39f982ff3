"""One projection gates the other."""

from torch.distributed.tensor.parallel import ColwiseParallel


def layer_styles():
    return {
        # {% macro layer_styles() %}
        "feed_forward.w3": ColwiseParallel(),
        # {% endmacro %}
    }
