"""The processes of one attempt meet each other only, and find out who has gone."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import torch.distributed as dist
from package import rendezvous
from package.rendezvous import Pulse, meet

STORES: Any = dist
SOON = timedelta(seconds=10)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(rendezvous, "RETRY", 0.2)
    return STORES.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


@pytest.mark.parametrize("late", [0, 1])
def test_ranks_meet_where_an_earlier_attempt_has_left_its_traces(store: Any, late: int) -> None:
    rounds = set()
    for _ in range(2):
        come_now = threading.Event()

        def come(rank: int, come_now: threading.Event = come_now) -> Any:
            if rank == late:
                come_now.wait()
            return meet(store.clone(), rank, 3, SOON)

        with ThreadPoolExecutor(3) as pool:
            ranks = [pool.submit(come, rank) for rank in range(3)]
            time.sleep(0.3)  # the others find what is left there first
            come_now.set()
            places = [rank.result() for rank in ranks]
        assert not places[0].check(["word"])  # none is left from before
        places[0].set("word", "said")
        assert [place.check(["word"]) for place in places] == [True] * 3
        rounds.add(store.get("round"))
    assert len(rounds) == 2


def test_who_does_not_come_is_named(store: Any) -> None:
    with pytest.raises(TimeoutError, match=r"rank 1, 2 did not come within 0\.1 seconds"):
        meet(store, 0, 3, timedelta(seconds=0.1))
    for other in (1, 2):
        store.set(f"ticket/{other}", "of an earlier attempt")
    with pytest.raises(TimeoutError, match=r"rank 1, 2 did not come within 0\.1 seconds"):
        meet(store, 0, 3, timedelta(seconds=0.1))


@pytest.fixture
def beating(store: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ranks 0 and 2 of three show signs of life; of rank 1 there is an old one."""
    monkeypatch.setattr(rendezvous, "SILENCE", 0.3)
    store.set("pulse/1", "7")
    ended = threading.Event()

    def beat() -> None:
        beats, connection = 0, store.clone()
        while not ended.wait(0.02):
            beats += 1
            connection.multi_set(["pulse/0", "pulse/2"], [str(beats), str(beats)])

    thread = threading.Thread(target=beat)
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.mark.usefixtures("beating")
def test_a_silent_rank_is_named_by_one_of_the_others(store: Any) -> None:
    error = RuntimeError("Connection closed\nby peer")
    silent = Pulse(store.clone(), 2, 3).explain(error)
    assert isinstance(silent, SystemExit)
    assert silent.code == 1
    said = Pulse(store.clone(), 0, 3).explain(error)
    assert isinstance(said, ConnectionError)
    assert str(said).startswith("rank 1 no longer answers")
    assert str(said).endswith("Connection closed by peer")


@pytest.mark.usefixtures("beating")
def test_an_error_of_ranks_that_are_alive_is_none_of_the_connection(store: Any) -> None:
    store.delete_key("pulse/1")
    error = RuntimeError("shapes differ")
    assert Pulse(store.clone(), 0, 3).explain(error) is error
