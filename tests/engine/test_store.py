"""The store: append-only, locked, and never worse than a cut last line."""

import subprocess
import sys

import pytest
from tests.inputs import make_test, make_vectors, no_file_longer_than

from eatlas.engine import Store, execute, make_plan
from eatlas.errors import ResultsError

TESTS = [make_test(f"t{i}") for i in range(5)]
VECTORS = make_vectors(TESTS[0])
MEASURE = "weat(resamples=0)"


@pytest.fixture
def plan():
    return make_plan(TESTS, VECTORS, MEASURE)


def counting(done):
    def executor(function, tasks):
        from eatlas.executors import here

        for position, outcome in here(function, tasks):
            done.append(tasks[position].test.id)
            yield position, outcome

    return executor


def test_what_was_done_is_not_done_again(tmp_path, plan):
    whole = execute(plan)

    def cut_off(function, jobs):
        yield from list(counting([])(function, jobs))[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store:
        execute(plan, cut_off, store=store)
    done = []
    with Store(tmp_path) as store:
        assert len(store.done) == 2
        results = execute(plan, counting(done), store=store)
        store.discard([job.identity for job in plan])
    assert done == ["t2", "t3", "t4"]
    assert results == whole
    assert [p.name for p in tmp_path.glob("[!.]*")] == []


@pytest.mark.parametrize("cut", [1, 10, 300])
def test_a_cut_last_line_is_dropped_and_its_job_done_again(tmp_path, plan, cut):
    with Store(tmp_path) as store:
        whole = execute(plan, store=store)
    path = tmp_path / "unfinished.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    done = []
    with Store(tmp_path) as store:
        assert execute(plan, counting(done), store=store) == whole
    assert done == ["t4"]
    assert path.read_bytes().count(b"\n") == 5


def test_two_runs_in_one_directory(tmp_path):
    with (
        Store(tmp_path),
        pytest.raises(ResultsError, match="another run is writing here\n  remedy: wait until it"),
        Store(tmp_path),
    ):
        pass


def test_a_finished_run_leaves_nothing_of_its_own(tmp_path, plan):
    (tmp_path / ".results.jsonl.k1ll3d__").write_text("half", encoding="utf-8")
    (tmp_path / ".report.html.k1ll3d__").write_text("half", encoding="utf-8")
    (tmp_path / ".mine").touch()
    with Store(tmp_path) as store:
        assert (tmp_path / ".eatlas.lock").exists()
        execute(plan, store=store)
        store.discard([job.identity for job in plan])
    assert [path.name for path in tmp_path.iterdir()] == [".mine"]


def test_a_run_that_did_nothing_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), Store(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


RIVAL = """
import os, sys, time
from pathlib import Path
from eatlas.engine import Store
from eatlas.errors import ResultsError
folder, held = Path(sys.argv[1]), 0
print("ready", flush=True)
sys.stdin.readline()
until = time.time() + 0.3
while time.time() < until:
    try:
        with Store(folder):
            os.close(os.open(folder / "inside", os.O_CREAT | os.O_EXCL))
            os.unlink(folder / "inside")
            held += 1
    except ResultsError as error:
        assert "another run is writing here" in str(error), error
print(held)
"""


@pytest.mark.slow
def test_rivals_never_hold_a_directory_together(tmp_path):
    """Each removes the lock file when it leaves, while others open it."""
    arguments = [sys.executable, "-c", RIVAL, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    rivals = [subprocess.Popen(arguments, **pipes) for _ in range(3)]
    assert [rival.stdout.readline() for rival in rivals] == ["ready\n"] * 3
    for rival in rivals:
        rival.stdin.write("go\n")
        rival.stdin.flush()
    held = [int(rival.communicate()[0]) for rival in rivals]
    assert [rival.returncode for rival in rivals] == [0, 0, 0]
    assert sum(held) > 3


def test_a_disk_that_takes_no_more(tmp_path, plan):
    """A limit on the size of files: the system takes part of a line, then nothing."""
    whole = execute(plan)
    with (
        Store(tmp_path) as store,
        pytest.raises(ResultsError, match="finished jobs cannot be stored[\\s\\S]*free some"),
        no_file_longer_than(5000),
    ):
        execute(plan, store=store)
    with Store(tmp_path) as store:
        assert 0 < len(store.done) < 5
        assert execute(plan, store=store) == whole


def test_the_identity_of_a_job(plan):
    def first(vectors=VECTORS, measure=MEASURE, **choices):
        return make_plan(TESTS, vectors, measure, **choices)[0].identity

    names = {job.identity for job in plan}
    assert first() in names
    names |= {first(case="exact"), first(seed=1), first(measure="weat(ddof=0)")}
    assert len(names | {first(make_vectors(TESTS[0], seed=2))}) == 5 + 4
