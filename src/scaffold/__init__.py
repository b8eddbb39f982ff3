"""Renders PyTorch training repositories from parts."""

__version__ = "0.1.0"
