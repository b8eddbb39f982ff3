"""A decoder-only transformer: its shape, its layers from the inside out, and how it is built.

- Pre-norm residual blocks: the residual stream itself is never normalized (arXiv:2002.04745).
- Multi-head attention: every head has queries, keys and values of its own (arXiv:1706.03762).
- Causal attention: every token sees itself and all tokens before it.
- Rotary position embedding of queries and keys (arXiv:2104.09864).
- RMSNorm (arXiv:1910.07467).
- SwiGLU feed-forward network (arXiv:2002.05202).
- Tied embeddings: logits are inner products with the token embeddings (arXiv:1608.05859).
- No biases (PaLM, arXiv:2204.02311).
"""

from .hyperparameters import ModelConfig
from .transformer import Transformer, build_model

Model = Transformer

__all__ = ["Model", "ModelConfig", "Transformer", "build_model"]
