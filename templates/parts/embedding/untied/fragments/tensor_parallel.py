"""The output matrix is another than that of the embeddings."""

from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import ColwiseParallel


def spread():
    return {
        # {% macro styles() %}
        "output": ColwiseParallel(
            input_layouts=TOKENS, output_layouts=Shard(-1), use_local_output=False
        ),
        # {% endmacro %}
    }
