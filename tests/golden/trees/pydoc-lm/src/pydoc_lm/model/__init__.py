"""The model: its shape, its layers from the inside out, and how it is built."""

from .hyperparameters import ModelConfig
from .transformer import Transformer, build_model

Model = Transformer

__all__ = ["Model", "ModelConfig", "Transformer", "build_model"]
