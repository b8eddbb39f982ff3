"""The output matrix is that of the embeddings."""

from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import PrepareModuleOutput, parallelize_module


def spread(model, mesh):
    # {% macro spread() %}
    # The output matrix is spread by its rows, so every device needs all tokens.
    gather = PrepareModuleOutput(
        output_layouts=TOKENS, desired_output_layouts=Replicate(), use_local_output=False
    )
    parallelize_module(model.norm, mesh, gather)
    # {% endmacro %}
