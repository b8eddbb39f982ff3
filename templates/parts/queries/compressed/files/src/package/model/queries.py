"""The queries of latent attention (https://arxiv.org/abs/2405.04434, section 2.1.2)."""

from torch import Tensor, nn

from .hyperparameters import ModelConfig


class Queries(nn.Module):
    """The queries of all heads, by way of a narrow vector that is normalized."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.qk_nope_head_dim + config.qk_rope_head_dim
        self.wq_a = nn.Linear(config.dim, config.q_lora_rank, bias=False)
        # An epsilon of 1e-6 in DeepSeek-V3, whatever that of other norms is.
        self.q_norm = nn.RMSNorm(config.q_lora_rank, eps=1e-6)
        self.wq_b = nn.Linear(config.q_lora_rank, config.n_heads * width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., dim) -> (..., n_heads x width), one head after the other."""
        narrow = self.wq_a(x).type_as(self.q_norm.weight)
        out: Tensor = self.wq_b(self.q_norm(narrow))
        return out
