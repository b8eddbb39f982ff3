"""Ranks agree, and a process that cannot be one of them is told why."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from many_ranks import run_ranks
from package import signals
from package.config import Config, ConfigError
from package.ranks import any_rank, gather_objects, init_ranks, rank, require_equal
from package.signals import StopSignal


def one_rank_is_stopped() -> bool:
    stop = StopSignal()
    stop._received = rank() == 1
    return stop.requested()


def test_a_signal_to_one_rank_stops_all(tmp_path: Path) -> None:
    assert run_ranks(2, tmp_path / "stop", one_rank_is_stopped) == [True, True]


def test_a_signal_that_comes_during_the_vote_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = StopSignal()

    def interrupted_vote(flag: bool) -> bool:
        os.kill(os.getpid(), signal.SIGTERM)
        return flag

    monkeypatch.setattr(signals, "any_rank", interrupted_vote)
    assert [stop.requested(), stop.requested()] == [False, True]


def agree() -> dict[str, Any]:
    try:
        require_equal("the step", 3 + rank())
    except RuntimeError as error:
        message = str(error)
    return {"any": any_rank(rank() == 1), "all": gather_objects(rank()), "message": message}


def test_ranks_agree_or_say_that_they_do_not(tmp_path: Path) -> None:
    for number, result in enumerate(run_ranks(2, tmp_path / "agree", agree)):
        assert (result["any"], result["all"]) == (True, [0, 1])
        assert f"the step is {3 + number} on rank {number}, from 3 to 4" in result["message"]


def test_a_batch_that_does_not_divide_is_refused(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="must be a multiple of 6"):
        init_ranks(config.train)


def test_a_rank_without_a_gpu_is_refused(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ConfigError, match="LOCAL_RANK = 2: must be below 2"):
        init_ranks(replace(config.train, device="cuda"))


def test_torchrun_is_asked_for(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK")
    with pytest.raises(ConfigError, match="LOCAL_RANK: not set; start with torchrun"):
        init_ranks(config.train)
