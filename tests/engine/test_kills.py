"""SIGKILL at random moments, of a run or of one of its workers: no job is lost, none done twice.

The real command in processes of its own, as a user would run it.
"""

import contextlib
import random
import sys
import threading
from pathlib import Path

import pytest
from tests.inputs import KILLS
from tests.killed import Runs, assert_no_worker_is_left, kill_and_start_again, make_tests

import eatlas
from eatlas.stimuli import to_toml

JOBS = 50
FILES = ["report.html", "results.jsonl"]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="finds workers through /proc"),
    pytest.mark.usefixtures("all_resamples"),  # as in the other processes
]


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


@pytest.mark.slow
def test_killed_at_random_moments_the_same_command_finishes(tmp_path):
    tests = list(make_tests(JOBS))
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(tests), encoding="utf-8")
    eatlas.run(tests).write(tmp_path / "undisturbed.jsonl")
    expected = (tmp_path / "undisturbed.jsonl").read_bytes()
    out = tmp_path / "out"
    watcher = Watcher(out / "results.jsonl", expected)
    watcher.start()
    command = [sys.executable, "-m", "eatlas", "run", "--workers", "2"]
    with Runs([*command, "--tests", str(path), "--out", str(out)], tmp_path) as runs:
        kill_and_start_again(runs, random.Random(20), KILLS, lambda: None)
        runs.finish()
    watcher.ended.set()
    watcher.join()
    assert watcher.faults == []
    assert (out / "results.jsonl").read_bytes() == expected
    assert sorted(p.name for p in out.iterdir()) == FILES
    assert [r.test for r in eatlas.read_results(out / "results.jsonl")] == [t.id for t in tests]
    assert_no_worker_is_left(runs)
