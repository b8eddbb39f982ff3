"""Positions are added to the embeddings of the tokens that a device has."""

from torch.distributed.tensor import distribute_module
from torch.distributed.tensor.parallel import (
    PrepareModuleInput,
    PrepareModuleOutput,
    parallelize_module,
)


def spread(model, mesh):
    # {% macro spread() %}
    # Positions are of all tokens; their sum with embeddings of some is one of distributed tensors.
    distribute_module(model.pos_embeddings, mesh)
    as_distributed = PrepareModuleOutput(
        output_layouts=TOKENS, desired_output_layouts=TOKENS, use_local_output=False
    )
    parallelize_module(model.tok_embeddings, mesh, as_distributed)
    as_local = PrepareModuleInput(
        input_layouts=(TOKENS, None), desired_input_layouts=(TOKENS, None), use_local_output=True
    )
    parallelize_module(model.layers[0], mesh, as_local)
    # {% endmacro %}
