"""A decoder-only hybrid of Mamba-2 and attention: its shape, its layers, and how it is built.

- One layer in ``attention_every`` has attention, the others have Mamba-2 (Jamba, arXiv:2403.19887);
  ``ModelConfig.has_attention`` says which.
- Every layer ends with a feed-forward network, and each of its two halves reads the normalized
  residual stream and adds to it (pre-norm, arXiv:2002.04745).
# {% print state_space.summary() %}
# {% print attention.summary() %}
# {% print span.summary() %}
# {% print position.summary() %}
# {% print normalization.summary() %}
# {% print feed_forward.summary() %}
# {% print embedding.summary() %}
# {% print projection_bias.summary() %}
"""

from .hyperparameters import ModelConfig
from .transformer import Transformer, build_model

# {# Slots: each summary is a bullet of the docstring. #}
Model = Transformer

__all__ = ["Model", "ModelConfig", "Transformer", "build_model"]
