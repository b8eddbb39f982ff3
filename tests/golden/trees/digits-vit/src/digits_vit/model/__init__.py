"""The model: its shape, its layers from the inside out, and how it is built."""

from .hyperparameters import ModelConfig
from .vit import VisionTransformer, build_model

Model = VisionTransformer

__all__ = ["Model", "ModelConfig", "VisionTransformer", "build_model"]
