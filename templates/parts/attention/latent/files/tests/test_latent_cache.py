"""What the cache of latent attention holds, and that it is small."""

import torch
from package.model import ModelConfig, build_model


# {# Slots: layer and first bind the cache of the first layer. #}
@torch.no_grad()
def test_the_cache_holds_a_latent_vector_and_one_key_for_each_token(
    model_config: ModelConfig,
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    cache = model.new_cache(batch_size=2)
    model(torch.zeros(2, 5, dtype=torch.int64), cache)
    # {% print mixer.layer() %}
    assert layer.keys.shape[:2] == layer.values.shape[:2] == (2, 1)
    numbers = layer.keys.size(-1) + layer.values.size(-1)
    assert numbers == model_config.kv_lora_rank + model_config.qk_rope_head_dim
    heads = model_config.qk_nope_head_dim + model_config.qk_rope_head_dim + model_config.v_head_dim
    assert numbers < model_config.n_heads * heads


@torch.no_grad()
def test_only_the_rotated_features_know_their_position(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    cache = model.new_cache(batch_size=1)
    model(torch.zeros(1, 4, dtype=torch.int64), cache)  # the same token at four positions
    # {% print mixer.first() %}
    latents, keys = first.values[0, 0, :4], first.keys[0, 0, :4]
    torch.testing.assert_close(latents, latents[:1].expand_as(latents))
    assert (keys[1:] - keys[:1]).abs().amax(dim=-1).min() > 1e-6
