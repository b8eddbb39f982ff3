"""A decoder-only transformer: its shape, its layers from the inside out, and how it is built.

# {% print norm_placement.summary() %}
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
