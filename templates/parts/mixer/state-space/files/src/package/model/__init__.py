"""A language model without attention: its shape, its layers from the inside out, how it is built.

- Every layer is one mixer of tokens, without attention and without a feed-forward network: it reads
  the normalized residual stream and adds to it (pre-norm, arXiv:2002.04745).
# {% print state_space.summary() %}
- No position embedding: a recurrence knows the order of what it reads.
# {% print normalization.summary() %}
# {% print embedding.summary() %}
"""

from .hyperparameters import ModelConfig
from .transformer import Transformer, build_model

# {# Slots: each summary is a bullet of the docstring. #}
Model = Transformer

__all__ = ["Model", "ModelConfig", "Transformer", "build_model"]
