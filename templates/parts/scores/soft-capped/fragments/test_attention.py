"""Bounded scores."""


def test_attention(model_config, scores):
    # {% macro bound() %}
    scores = model_config.score_cap * torch.tanh(scores / model_config.score_cap)
    # {% endmacro %}
    return scores
