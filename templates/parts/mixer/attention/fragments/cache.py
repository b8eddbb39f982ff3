"""Every layer has attention."""


class Cache:
    # {% macro init_layers() %}
    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.layers = [
            LayerCache(config, batch_size, device, dtype) for _ in range(config.n_layers)
        ]

    # {% endmacro %}
