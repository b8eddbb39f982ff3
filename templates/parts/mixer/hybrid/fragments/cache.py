"""Some layers have attention, the others a state."""

from .mamba_cache import MambaCache


class Cache:
    # {% macro init_layers() %}
    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.layers: list[LayerCache | MambaCache] = [
            LayerCache(config, batch_size, device, dtype)
            if config.has_attention(layer)
            else MambaCache(config, batch_size, device, dtype)
            for layer in range(config.n_layers)
        ]

    # {% endmacro %}
