"""Each device has some of the heads, and the weights that all heads share."""

from torch.distributed.tensor.parallel import SequenceParallel


def layer_styles():
    return {
        # {% macro layer_styles() %}
        # Of queries and keys (B, T, N, H): each device has some of the heads, as of tokens above.
        "attention.q_norm": SequenceParallel(sequence_dim=2, use_local_output=True),
        "attention.k_norm": SequenceParallel(sequence_dim=2, use_local_output=True),
        # {% endmacro %}
    }
