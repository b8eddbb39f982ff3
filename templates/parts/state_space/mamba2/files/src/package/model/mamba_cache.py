"""What a layer of Mamba-2 keeps of the tokens seen so far, so that generation computes each once.

Shapes: B batch, K width of the convolution, C its channels, N heads, H head width, S state width.
"""

import torch

from .hyperparameters import ModelConfig


class MambaCache:
    """The inputs that the convolution can still see, and the state: as large for any text."""

    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        window = (batch_size, config.conv_width - 1, config.conv_dim)
        state = (batch_size, config.n_ssm_heads, config.ssm_head_dim, config.d_state)
        self.window = torch.zeros(window, device=device, dtype=dtype)  # (B, K - 1, C)
        self.state = torch.zeros(state, device=device, dtype=dtype)  # (B, N, H, S)
        self.length = 0  # tokens seen
