"""Shapes that do not go together are refused."""

from dataclasses import replace

import pytest
from package.model import ModelConfig


def test_heads_that_do_not_fill_the_width_are_refused(model_config: ModelConfig) -> None:
    assert model_config.head_dim == 8
    with pytest.raises(ValueError, match="the next one is 36"):
        replace(model_config, dim=34)
