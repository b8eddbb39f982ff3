"""Mamba-2: tokens exchange information through a state of fixed size, without attention.

https://arxiv.org/abs/2405.21060, section 7; names as in the authors' code.

Shapes: B batch, T tokens, D width, N heads, H head width, C channels of the convolution, K its
width.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig
from .mamba_cache import MambaCache
from .ssd import chunked_scan, into_chunks


class CausalConv(nn.Module):
    """Each channel is a weighted sum over a token and the ``width - 1`` tokens before it."""

    def __init__(self, n_channels: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, n_channels))
        self.bias = nn.Parameter(torch.empty(n_channels))

    def forward(self, x: Tensor) -> Tensor:
        """x (B, K - 1 + T, C), which begins before the first token -> (B, T, C)."""
        n_tokens = x.size(1) - len(self.weight) + 1
        y = self.bias.expand(x.size(0), n_tokens, -1)
        for tap, weight in enumerate(self.weight):
            y = y + x[:, tap : tap + n_tokens] * weight
        return y


class GatedNorm(nn.Module):
    """RMSNorm of a gated vector; the features of each group have a root mean square of their own.

    So a group needs nothing of the others, which may be on another device (section 8.1).
    """

    def __init__(self, width: int, n_groups: int, eps: float) -> None:
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, x: Tensor, gate: Tensor) -> Tensor:
        """x and gate (..., width) -> (..., width)."""
        groups = (x * F.silu(gate.type_as(x))).unflatten(-1, (self.n_groups, -1))
        return F.rms_norm(groups, groups.shape[-1:], eps=self.eps).flatten(-2) * self.weight


class Mamba2(nn.Module):
    """A gated recurrence: every head decays its state and adds to it, by what the token says."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.d_inner % config.ssm_head_dim != 0:
            raise ValueError(
                f"ssm_head_dim = {config.ssm_head_dim}: must divide expand * dim ="
                f" {config.d_inner}, since all heads have the same width"
            )
        if config.n_ssm_heads % config.n_ssm_groups != 0:
            raise ValueError(
                f"n_ssm_groups = {config.n_ssm_groups}: must divide the {config.n_ssm_heads} heads,"
                " since all groups have as many"
            )
        self.chunk_len = config.chunk_len
        self.head_dim = config.ssm_head_dim
        self.state_shape = (config.n_ssm_heads, config.ssm_head_dim, config.d_state)
        state_width = config.n_ssm_groups * config.d_state
        self.widths = (config.d_inner, config.conv_dim, config.n_ssm_heads)
        self.conv_widths = (config.d_inner, state_width, state_width)
        self.n_groups = config.n_ssm_groups
        self.in_proj = nn.Linear(config.dim, sum(self.widths), bias=False)
        self.conv = CausalConv(config.conv_dim, config.conv_width)
        self.dt_bias = nn.Parameter(torch.empty(config.n_ssm_heads))
        self.A_log = nn.Parameter(torch.empty(config.n_ssm_heads))
        self.D = nn.Parameter(torch.empty(config.n_ssm_heads))
        self.norm = GatedNorm(config.d_inner, config.n_ssm_groups, config.norm_eps)
        self.out_proj = nn.Linear(config.d_inner, config.dim, bias=False)

    def forward(self, x: Tensor, cache: MambaCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        # Under autocast the products are in its type; what has weights of float32, and with it the
        # decays and the states, is in float32.
        z, xbc, dt = self.in_proj(x).split(self.widths, dim=-1)
        n_before = len(self.conv.weight) - 1
        if cache is None:
            window = xbc.new_zeros(len(x), n_before, xbc.size(-1))
            state = self.A_log.new_zeros(len(x), *self.state_shape)
        else:
            window, state = cache.window, cache.state
        xbc = torch.cat((window, xbc), dim=1)
        inner, b, c = F.silu(self.conv(xbc)).split(self.conv_widths, dim=-1)
        inner = inner.unflatten(-1, (-1, self.head_dim))  # (B, T, N, H)
        b, c = (values.unflatten(-1, (self.n_groups, -1)) for values in (b, c))
        dt = F.softplus(dt + self.dt_bias)
        scanned = (inner * dt[..., None], -self.A_log.exp() * dt, b, c)
        u, steps, b, c = (into_chunks(values, self.chunk_len) for values in scanned)
        y, state = chunked_scan(u, steps, b, c, state)
        if cache is not None:
            cache.window = xbc[:, xbc.size(1) - n_before :].clone()  # no view of a long prompt
            cache.state = state
            cache.length += x.size(1)
        y = (y[:, : x.size(1)] + self.D[:, None] * inner).flatten(2)
        out: Tensor = self.out_proj(self.norm(y, z))
        return out

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw what is no matrix, as the authors do.

        =====================  ===========================================
        dt_bias                softplus gives steps of 0.001 to 0.1, log-uniform
        A_log                  logarithm of a uniform number from 1 to 16
        D, weights of norm     1
        weights of conv        uniform, up to 1 / sqrt(K) on either side
        bias of conv           0
        =====================  ===========================================
        """
        shape = self.A_log.shape
        dt = torch.empty(shape).uniform_(math.log(1e-3), math.log(0.1), generator=generator).exp()
        self.dt_bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # where softplus is dt
        self.A_log.copy_(torch.empty(shape).uniform_(1.0, 16.0, generator=generator).log())
        self.D.fill_(1.0)
        self.norm.weight.fill_(1.0)
        bound = 1 / math.sqrt(len(self.conv.weight))
        taps = torch.empty(self.conv.weight.shape)
        self.conv.weight.copy_(taps.uniform_(-bound, bound, generator=generator))
        self.conv.bias.zero_()

    def scan_flops_per_token(self) -> int:
        """FLOPs of the recurrence in forward per token, of a text that fills its chunks."""
        n_heads, head_dim, d_state = self.state_shape
        inner = n_heads * head_dim
        pairs = self.chunk_len * (self.n_groups * d_state + inner)
        return 2 * (pairs + 2 * inner * d_state)
