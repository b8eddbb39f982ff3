"""Where the processes of a run meet, and how they find out which of them has gone.

All of it goes over the store, a small server of keys and values that ``torchrun``, or else rank 0,
keeps: it answers when collectives do not.
"""

import hashlib
import os
import threading
import time
import traceback
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import torch.distributed as dist

STORES: Any = dist  # whose stores have no types that it exports
Store: TypeAlias = Any
BEAT = 0.5  # seconds between two signs of life
SILENCE = 6 * BEAT  # without a sign of life, a process is dead, stopped or cut off
RETRY = 1.0  # seconds until rank 0 looks anew who is there


def open_store(rank: int, timeout: timedelta) -> Store:
    """A connection to the store that ``MASTER_ADDR`` and ``MASTER_PORT`` name."""
    of_torchrun = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    return STORES.TCPStore(
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        is_master=rank == 0 and not of_torchrun,
        timeout=timeout,
        wait_for_workers=False,
        multi_tenant=True,
    )


def meet(store: Store, rank: int, world_size: int, timeout: timedelta) -> Store:
    """The part of the store that belongs to the processes which are there now; waits for them all.

    When ``torchrun`` starts them anew, the store still holds the addresses of those before, and to
    connect to the dead fails. The number of restarts does not tell the attempts apart: every node
    counts its own. So each process shows a ticket, rank 0 calls a round for the tickets that it
    sees, and the round counts once every process has found its own ticket in it.
    Raises ``TimeoutError`` naming the ranks that have not come.
    """
    ticket = uuid4().hex
    store.set(f"ticket/{rank}", ticket)
    absent: list[int] = []
    deadline = time.monotonic() + timeout.total_seconds()
    while time.monotonic() < deadline:
        if rank == 0 and not (absent := _missing(store, "ticket", world_size)):
            tickets = store.multi_get([f"ticket/{other}" for other in range(world_size)])
            store.set("round", b"\n".join(tickets))
        called = store.get("round").split(b"\n") if store.check(["round"]) else []
        if len(called) != world_size or called[rank] != ticket.encode():
            time.sleep(RETRY / 20)
            continue
        name = hashlib.sha256(b"".join(called)).hexdigest()[:12]
        meeting = STORES.PrefixStore(f"round/{name}", store)
        meeting.set(f"here/{rank}", "")
        if rank == 0 and not (absent := _missing(meeting, "here", world_size)):
            meeting.set("open", "")
        if _comes(meeting, ["open"]):
            return meeting
    who = _ranks(absent) if absent else "some rank"
    raise TimeoutError(f"{who} did not come within {timeout.total_seconds():g} seconds")


def _missing(store: Store, what: str, world_size: int) -> list[int]:
    """The ranks whose key is not there, after a while."""
    keys = {rank: f"{what}/{rank}" for rank in range(world_size)}
    if _comes(store, list(keys.values())):
        return []
    return [rank for rank, key in keys.items() if not store.check([key])]


def _comes(store: Store, keys: list[str]) -> bool:
    """Whether all keys are there, now or soon. (To wait in the store itself would be logged.)"""
    deadline = time.monotonic() + RETRY
    while not store.check(keys):
        if time.monotonic() > deadline:
            return False
        time.sleep(RETRY / 20)
    return True


class Pulse(threading.Thread):
    """Signs of life of this process in the store, as long as its process group exists."""

    def __init__(self, store: Store, rank: int, world_size: int) -> None:
        super().__init__(name="pulse", daemon=True)
        self._store, self._rank, self._world_size = store, rank, world_size

    def run(self) -> None:
        """Beat until the process group is left, or the store has gone."""
        beats = 0
        while dist.is_initialized():
            try:
                self._store.set(f"pulse/{self._rank}", str(beats))
            except dist.DistError:
                return
            beats += 1
            time.sleep(BEAT)

    def explain(self, error: RuntimeError) -> BaseException:
        """The failure of a collective, put down to the ranks that show no sign of life any more.

        Returns what to raise: an error that says it on one rank, a silent exit on the others, or
        the same error if all ranks are alive. Takes ``SILENCE`` seconds.
        """
        found: list[BaseException] = []
        search = threading.Thread(target=lambda: found.append(self._find(error)), daemon=True)
        search.start()
        search.join(4 * SILENCE)  # a store that is stopped would let it wait forever
        if found:
            return found[0]
        return ConnectionError(f"the process of the store no longer answers; {_waited(error)}")

    def _find(self, error: RuntimeError) -> BaseException:
        try:
            if not self._store.check(["lost"]):
                before = self._beats()
                time.sleep(SILENCE)
                after = self._beats()
                lost = [rank for rank in after if after[rank] == before.get(rank)]
                if not lost:
                    return error
                alive = [rank for rank in after if rank not in lost]
                # Only the first one to find out is right: then others end because that one has.
                text = f"{min(alive)} {_ranks(lost)} no longer answers: dead, stopped or cut off"
                self._store.compare_set("lost", "", text)
            speaker, _, said = self._store.get("lost").decode().partition(" ")
        except dist.DistError:
            return ConnectionError(f"the process of the store no longer answers; {_waited(error)}")
        if self._rank == int(speaker):
            return ConnectionError(
                f"{said}; rank {self._rank} of {self._world_size} {_waited(error)}"
            )
        return SystemExit(1)

    def _beats(self) -> dict[int, bytes]:
        keys = {rank: f"pulse/{rank}" for rank in range(self._world_size)}
        return {
            rank: self._store.get(key) for rank, key in keys.items() if self._store.check([key])
        }


def explained(error: RuntimeError) -> BaseException:
    """An error, put down to lost ranks if it is a collective that has failed for want of them."""
    pulse = next((thread for thread in threading.enumerate() if isinstance(thread, Pulse)), None)
    return error if pulse is None else pulse.explain(error)


def _waited(error: RuntimeError) -> str:
    """Where a collective has failed, and how."""
    calls = traceback.extract_tb(error.__traceback__)
    own = [call for call in calls if Path(call.filename).parent == Path(__file__).parent]
    where = f"{own[-1].name}, `{own[-1].line}`" if own else "a collective"
    return f"waited for it in {where}: {' '.join(str(error).split())}"


def _ranks(numbers: list[int]) -> str:
    return f"rank {', '.join(map(str, numbers))}"
