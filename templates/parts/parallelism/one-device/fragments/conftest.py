"""The tests run on the CPU."""

import pytest
import torch

# {% macro environment() %}
# {% endmacro %}


# {% macro device_fixture() %}
@pytest.fixture
def device() -> torch.device:
    return torch.device("cpu")


# {% endmacro %}
