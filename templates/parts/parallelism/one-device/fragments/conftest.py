"""The tests run on the CPU."""

import pytest
import torch
from package.model import build_model

# {% macro environment() %}
# {% endmacro %}


# {% macro device_fixture() %}
@pytest.fixture
def device() -> torch.device:
    return torch.device("cpu")


# {% endmacro %}


def new_state(config, model_config, device):
    # {% macro model() %}
    model = build_model(model_config, device, config.train.seed)
    # {% endmacro %}
    return model
