"""Two more norms, of what the sublayers give."""

from torch.distributed.tensor.parallel import SequenceParallel


def layer_styles():
    return {
        # {% macro layer_styles() %}
        "post_attention_norm": SequenceParallel(use_local_output=True),
        "post_ffn_norm": SequenceParallel(use_local_output=True),
        # {% endmacro %}
    }
