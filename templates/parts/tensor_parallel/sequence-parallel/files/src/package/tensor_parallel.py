"""Tensor and sequence parallelism: each matrix is spread over the devices of a group.

Within a layer a device has some of the heads and of the features between the two feed-forward
matrices (Megatron-LM, https://arxiv.org/abs/1909.08053). Between them, where nothing mixes tokens,
it has some of the tokens (https://arxiv.org/abs/2205.05198, section 4.2.2), so that no activation
is kept twice: tokens are gathered before a sublayer, and its sums are scattered after it.
"""

from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

from .config import ConfigError
from .model import Model

TOKENS = Shard(1)  # of activations (B, T, D): each device has some of the tokens


# {# Slots: classes are what the others need; sizes are entries of a dictionary, styles of modules of the
#    model, layer_styles of those of a layer, key_value_styles of keys and values; spread reads model and mesh. #}
# {% print each.classes() %}
def spread(model: Model, mesh: DeviceMesh) -> None:
    """Spread the parameters of the model over ``mesh``, which has one dimension.

    Called first of all that is done to a model, before layers are compiled and sharded. Every
    parameter is a ``DTensor`` then, also those that each device has whole, such as norms. The
    logits are one too, with some of the vocabulary on each device.
    Raises ``ConfigError`` naming all sizes of the model that do not divide over the devices.
    """
    sizes = {
        "n_heads": model.config.n_heads,
        "hidden_dim": model.config.hidden_dim,
        "max_seq_len": model.config.max_seq_len,
        "rows of the embeddings": model.tok_embeddings.num_embeddings,
        # {% print each.sizes() %}
    }
    problems = [
        f"{name} = {size}: must be a multiple of {mesh.size()}, the devices that share each matrix"
        for name, size in sizes.items()
        if size % mesh.size()
    ]
    if problems:
        raise ConfigError(problems)
    styles: dict[str, ParallelStyle] = {
        # Each device looks up the tokens that it has rows for.
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=TOKENS),
        "norm": SequenceParallel(),
        # {% print each.styles() %}
    }
    parallelize_module(model, mesh, styles)
    for layer in model.layers:
        parallelize_module(layer, mesh, layer_styles())
    # {% print each.spread() %}


def layer_styles() -> dict[str, ParallelStyle]:
    """How each module of a layer is spread."""
    return {
        "attention_norm": SequenceParallel(use_local_output=True),
        "attention": PrepareModuleInput(
            input_layouts=(TOKENS, None), desired_input_layouts=(Replicate(), None)
        ),
        "attention.wq": ColwiseParallel(),
        # {% print attention.key_value_styles() %}
        "attention.wo": RowwiseParallel(output_layouts=TOKENS),
        "ffn_norm": SequenceParallel(use_local_output=True),
        "feed_forward": PrepareModuleInput(input_layouts=TOKENS, desired_input_layouts=Replicate()),
        "feed_forward.w1": ColwiseParallel(),
        "feed_forward.w2": RowwiseParallel(output_layouts=TOKENS),
        # {% print each.layer_styles() %}
    }
