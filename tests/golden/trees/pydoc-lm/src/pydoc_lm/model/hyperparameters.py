"""The shape of the model, which is code and no run-time value: another shape is another model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the transformer."""

    vocab_size: int = 256  # every byte is a token
    max_seq_len: int = 128  # tokens the model can see at once
    dim: int = 128  # width of the residual stream
    n_layers: int = 4
    n_heads: int = 4  # query heads in each layer
    rope_theta: float = 10000.0  # base of the angles of rotation
    hidden_dim: int = 352  # inner width of the feed-forward network
    norm_eps: float = 1e-6  # under the root, so that no norm divides by 0

    def __post_init__(self) -> None:
        """Raises ``ValueError`` if the heads do not divide the width."""
        if self.dim % self.n_heads != 0:
            raise ValueError(
                f"dim = {self.dim}: must be a multiple of n_heads = {self.n_heads};"
                f" the next one is {self.n_heads * (self.dim // self.n_heads + 1)}"
            )

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.dim // self.n_heads

    @property
    def tokens_per_sample(self) -> int:
        """Tokens that one training sample has."""
        return self.max_seq_len
