"""A command that is killed at random moments, and given again until it ends."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import eatlas
from eatlas import AssociationTest
from tests.inputs import make_test, wait_until

TERMS = 8
"""Terms a group: a job takes 30 ms or more, so that kills meet jobs in the making."""


def make_tests(count: int) -> Iterator[AssociationTest]:
    """Tests of random words of the sample."""
    rng = np.random.default_rng(11)
    vocabulary = [word for word in eatlas.open_vectors("glove-sample")._words if word.isalpha()]
    for number in range(count):
        terms = rng.choice(vocabulary, (4, TERMS), replace=False).tolist()
        yield make_test(f"t{number}", **dict(zip("XYAB", map(tuple, terms), strict=True)))


class Runs:
    """The same command again and again, in one folder."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.command, self.folder = command, folder
        self.store = folder / "out" / "unfinished.jsonl"
        self.begun = 0
        self.workers_seen: set[int] = set()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def start(self):
        self.begun += 1
        self.log = self.folder / f"stderr-{self.begun}.txt"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=log)

    def workers(self) -> list[int]:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        found = [
            int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()
        ]
        self.workers_seen.update(found)
        return found

    def size(self) -> int:
        """Bytes of what is kept; nothing is once a run has written all."""
        with contextlib.suppress(FileNotFoundError):
            return self.store.stat().st_size
        return 0

    def stored(self) -> list[str]:
        """Names of the jobs that are kept, whole lines only."""
        data = self.store.read_bytes() if self.store.exists() else b""
        return [json.loads(line)["job"] for line in data.split(b"\n")[:-1]]

    def finish(self) -> str:
        """Wait for the end, which must be a good one, and return what was said."""
        code = self.process.wait(timeout=600)
        said = self.log.read_text(encoding="utf-8")
        assert code == 0, said
        assert "Traceback" not in said, said
        return said


def wait_for_a_job(runs: Runs):
    before = runs.size()
    wait_until(lambda: runs.process.poll() is not None or runs.size() > before)


def kill(runs: Runs, victim: str, chance: random.Random) -> bool:
    """Kill the run, or one of its workers, which ends it; say whether it came to that."""
    if victim == "run":
        runs.process.kill()
        return runs.process.wait() == -signal.SIGKILL
    while runs.process.poll() is None:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if workers := runs.workers():
                os.kill(chance.choice(workers), signal.SIGKILL)
                if runs.process.wait(timeout=60):  # it may have had all that it needs of workers
                    said = runs.log.read_text(encoding="utf-8")
                    assert runs.process.returncode == 2, said
                    assert "error: " in said, said
                    assert "Traceback" not in said, said
                return True
        time.sleep(0.005)
    return False


def kill_and_start_again(
    runs: Runs, chance: random.Random, kills: int, ended: Callable[[], None]
) -> set[str]:
    """Kill at random moments, and start the same command again where a run has ended.

    Parameters
    ----------
    runs : Runs
    chance : random.Random
        Chooses moments and victims.
    kills : int
        Half of them kill the run, half of them a worker.
    ended : callable
        Called where a run went through.

    Returns
    -------
    set of str
        Names of the jobs that the last run found done.
    """
    victims = ["run", "worker"] * (kills // 2)
    chance.shuffle(victims)
    kept: set[str] = set()
    while victims:
        if chance.random() < 0.6:
            wait_for_a_job(runs)
        time.sleep(chance.uniform(0.0, 0.8))
        if kill(runs, victims[-1], chance):
            victims.pop()
        if (code := runs.process.poll()) is None:
            continue
        stored = runs.stored()
        assert len(set(stored)) == len(stored)
        if code == 0:
            runs.finish()
            assert stored == []
            ended()
        elif stored:  # none is left where it was killed after all was written
            assert kept <= set(stored)
        kept = set(stored)
        runs.start()
    return kept


def assert_no_worker_is_left(runs: Runs) -> None:
    """No worker outlives its run."""
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in runs.workers_seen))
