"""SIGKILL at random moments, of a run or of one of its workers: no job is lost, none done twice.

The real command in processes of its own, as a user would run it.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.inputs import KILLS, make_test, wait_until

import eatlas
from eatlas.stimuli import to_toml

JOBS = 80
TERMS = 8
"""Terms a group: a job takes 30 ms or more, so that kills meet jobs in the making."""
FILES = ["report.html", "results.jsonl"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds workers through /proc")


def make_tests():
    rng = np.random.default_rng(11)
    vocabulary = [word for word in eatlas.open_vectors("glove-sample")._words if word.isalpha()]
    for number in range(JOBS):
        terms = rng.choice(vocabulary, (4, TERMS), replace=False).tolist()
        yield make_test(f"t{number}", **dict(zip("XYAB", map(tuple, terms), strict=True)))


class Watcher(threading.Thread):
    """Reads the results file whenever it is another one, and keeps what was wrong with it."""

    def __init__(self, path: Path, expected: bytes) -> None:
        super().__init__(daemon=True)
        self.path, self.expected = path, expected
        self.seen: set[tuple[int, int]] = set()
        self.faults: list[str] = []
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.005):
            with contextlib.suppress(FileNotFoundError):
                stat = self.path.stat()
                version = (stat.st_ino, stat.st_mtime_ns)
                if version not in self.seen and self.path.read_bytes() != self.expected:
                    self.faults.append(f"{stat.st_size} bytes, not {len(self.expected)}")
                self.seen.add(version)


class Runs:
    """The same command again and again, in one folder."""

    def __init__(self, command, folder: Path) -> None:
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
        assert "Traceback" not in said
        return said


def wait_for_a_job(runs: Runs):
    before = runs.size()
    wait_until(lambda: runs.process.poll() is not None or runs.size() > before)


def kill(runs: Runs, victim: str, chance: random.Random) -> bool:
    """Kill the run, or one of its workers as soon as it has any; say whether it came to that."""
    if victim == "run":
        runs.process.kill()
        return runs.process.wait() == -signal.SIGKILL
    while runs.process.poll() is None:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if workers := runs.workers():
                os.kill(chance.choice(workers), signal.SIGKILL)
                return True
        time.sleep(0.005)
    return False


def kill_and_start_again(runs: Runs, chance: random.Random):
    """So many kills at random moments, each followed by the same command where a run has ended."""
    victims = ["run", "worker"] * (KILLS // 2)
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
        if code == 0:  # it went through, in spite of all workers that were killed
            runs.finish()
            assert stored == []
        elif stored:  # none is left where it was killed after all was written
            assert kept <= set(stored)
        kept = set(stored)
        runs.start()


def test_killed_at_random_moments_the_same_command_finishes(tmp_path):
    tests = list(make_tests())
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(tests), encoding="utf-8")
    eatlas.run(tests).write(tmp_path / "undisturbed.jsonl")
    expected = (tmp_path / "undisturbed.jsonl").read_bytes()
    out = tmp_path / "out"
    watcher = Watcher(out / "results.jsonl", expected)
    watcher.start()
    command = [sys.executable, "-m", "eatlas", "run", "--workers", "2"]
    with Runs([*command, "--tests", str(path), "--out", str(out)], tmp_path) as runs:
        kill_and_start_again(runs, random.Random(20))
        runs.finish()
    watcher.ended.set()
    watcher.join()
    assert watcher.faults == []
    assert (out / "results.jsonl").read_bytes() == expected
    assert sorted(p.name for p in out.iterdir()) == FILES
    assert [r.test for r in eatlas.read_results(out / "results.jsonl")] == [t.id for t in tests]
    assert_no_worker_is_left(runs)


def assert_no_worker_is_left(runs: Runs):
    """No worker outlives its run."""
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in runs.workers_seen))
