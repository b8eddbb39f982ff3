"""A vision transformer for image classification (ViT, https://arxiv.org/abs/2010.11929).

- Every patch of the image is a token; there is no class token: the mean of all tokens is
  classified (arXiv:2205.01580).
- Pre-norm residual blocks: the residual stream itself is never normalized (arXiv:2002.04745).
- Multi-head attention: every head has queries, keys and values of its own (arXiv:1706.03762).
- Axial rotary position embedding of queries and keys, by row and column (arXiv:2403.13298).
- RMSNorm (arXiv:1910.07467).
- SwiGLU feed-forward network (arXiv:2002.05202).
- No biases inside the blocks (PaLM, arXiv:2204.02311).

Shapes: B batch, C channels, I image height and width, T patches in rows, D width.
"""

import math

import torch
from torch import Tensor, nn

from .block import Block
from .hyperparameters import ModelConfig

POSITION_STD = 0.02  # as the authors, https://github.com/google-research/vision_transformer


class VisionTransformer(nn.Module):
    """Patch embeddings, ``n_layers`` blocks, a final norm, and the logits of the classes."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = nn.Conv2d(
            config.n_channels, config.dim, kernel_size=config.patch_size, stride=config.patch_size
        )
        self.layers = nn.ModuleList(Block(config) for _ in range(config.n_layers))
        self.norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.head = nn.Linear(config.dim, config.n_classes)

    def forward(self, images: Tensor) -> Tensor:
        """Logits (B, n_classes) of ``images`` (B, C, I, I), float32."""
        patches = self.patch_embed(images).flatten(2).transpose(1, 2)  # (B, T, D)
        x = patches.to(images.dtype)  # autocast leaves half precision, too little for the stream
        for layer in self.layers:
            x = layer(x)
        logits: Tensor = self.head(self.norm(x).mean(dim=1))
        return logits

    @torch.no_grad()
    def init_weights(self, seed: int) -> None:
        """Draw every weight anew; a seed gives the same values on every device.

        =====================  ======================================================
        position embeddings    normal, std 0.02
        head                   0: all classes are equally likely at first
        wo and w2              normal, std 1 / sqrt(inputs) / sqrt(2 n_layers)
        every other matrix     normal, std 1 / sqrt(inputs) (LeCun)
        norms                  1
        biases                 0
        =====================  ======================================================

        ``wo`` and ``w2`` write into the residual stream: the 2 n_layers of them together add to it
        as much variance as one matrix without that factor (GPT-2, section 2.3).
        """
        generator = torch.Generator().manual_seed(seed)
        for name, weight in self.named_parameters():
            if name.endswith("bias") or name == "head.weight":
                weight.zero_()
            elif weight.ndim == 1:
                weight.fill_(1.0)
            else:
                std = self._init_std(name, weight)
                drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
                weight.copy_(drawn)

    def _init_std(self, name: str, weight: Tensor) -> float:
        if name == "pos_embeddings.weight":
            return POSITION_STD
        std = 1 / math.sqrt(weight[0].numel())
        is_residual = name.endswith(("wo.weight", "w2.weight"))
        return std / math.sqrt(2 * self.config.n_layers) if is_residual else std

    def flops_per_token(self) -> int:
        """FLOPs of forward and backward per patch, rounded down.

        A product of (m, k) and (k, n) takes 2 m k n, and backward is counted as twice forward (the
        images need no gradient, so that of the patch embedding takes only once as much).
        """
        patches = self.config.tokens_per_sample
        matrices = [m.weight for m in self.layers.modules() if isinstance(m, nn.Linear)]
        products = 2 * sum(weight.numel() for weight in (*matrices, self.patch_embed.weight))
        # Scores and weighted sum: 2 FLOPs each for every pair of patches and feature.
        attention = 4 * self.config.n_layers * patches * self.config.dim
        head = 2 * self.head.weight.numel() // patches  # once an image
        return 3 * (products + attention + head)


def build_model(config: ModelConfig, device: torch.device, seed: int) -> VisionTransformer:
    """A model with new weights on ``device``; memory for them is taken there and nowhere else."""
    with torch.device("meta"):
        model = VisionTransformer(config)
    model.to_empty(device=device)
    model.init_weights(seed)
    return model
