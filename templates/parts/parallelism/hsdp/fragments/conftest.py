"""The tests run as the only rank, unless they start more."""

import socket
from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from package.config import Config
from package.parallel import build_sharded
from package.ranks import init_ranks


def config(monkeypatch):
    # {% macro environment() %}
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for name, value in {
        "RANK": 0,
        "LOCAL_RANK": 0,
        "WORLD_SIZE": 1,
        "LOCAL_WORLD_SIZE": 1,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        # {% print each.variables() %}
    }.items():
        monkeypatch.setenv(name, str(value))
    # {% endmacro %}
    return [
        # {% macro test_values() %}
        "train.shard_ranks=0",
        # {% endmacro %}
    ]


# {% macro device_fixture() %}
@pytest.fixture
def device(config: Config) -> torch.device:
    """The CPU, as the only rank of a process group."""
    return init_ranks(config.train)


# Of finished tests. A model that outlives the group would free it while holding Python's lock, and
# wait forever for a thread of the group that waits for the lock.
ENDED_GROUPS: list[object] = []


@pytest.fixture(autouse=True)
def no_group_left() -> Iterator[None]:
    """End the process group of a test, also of one in which a run failed."""
    yield
    if dist.is_initialized():
        ENDED_GROUPS.append(dist.group.WORLD)
        dist.destroy_process_group()


# {% endmacro %}


def new_state(config, model_config, device):
    # {% macro model() %}
    model = build_sharded(model_config, device, config.train)
    # {% endmacro %}
    return model
