"""The shape of the model, which is code and no run-time value: another shape is another model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the vision transformer; raises ``ValueError`` if they do not go together."""

    image_size: int = 8  # height and width of an image, in pixels
    n_channels: int = 1  # values of a pixel: one, the brightness
    n_classes: int = 10  # the digits
    patch_size: int = 2  # height and width of a patch, in pixels
    dim: int = 64  # width of the residual stream
    n_layers: int = 4
    n_heads: int = 4  # attention heads in each layer
    hidden_dim: int = 192  # inner width of the feed-forward network
    norm_eps: float = 1e-6  # under the root, so that no norm divides by 0

    def __post_init__(self) -> None:
        if self.dim % self.n_heads != 0:
            raise ValueError(
                f"dim = {self.dim}: must be a multiple of n_heads = {self.n_heads};"
                f" the next one is {self.n_heads * (self.dim // self.n_heads + 1)}"
            )
        if self.image_size % self.patch_size != 0:
            raise ValueError(
                f"image_size = {self.image_size}: must be a multiple of patch_size ="
                f" {self.patch_size}, since every pixel belongs to one patch"
            )

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.dim // self.n_heads

    @property
    def grid_size(self) -> int:
        """Patches in each row and in each column of an image."""
        return self.image_size // self.patch_size

    @property
    def tokens_per_sample(self) -> int:
        """Patches of one image."""
        return self.grid_size**2
