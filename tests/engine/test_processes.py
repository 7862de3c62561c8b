"""Several processes give what one gives, and a kill costs nothing but time."""

import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import pytest
from tests.engine.failing_measures import Deadly, Faulty, Silent
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas import executors
from eatlas.engine import Store, execute, make_plan, results_of
from eatlas.errors import EatlasError
from eatlas.executors import Processes, choose, here

TESTS = [make_test(f"t{i}", X=tuple(f"x{i}{j}" for j in range(4))) for i in range(6)]
VECTORS = {t: v for i, test in enumerate(TESTS) for t, v in make_vectors(test, seed=i).items()}


def test_processes_give_what_one_process_gives():
    plan = make_plan(TESTS, VECTORS, ["ml-eat(resamples=500)", "sc-eat"])
    one, many = execute(plan, here), execute(plan, Processes(2))
    assert one == many
    assert len(many) == 12


@pytest.mark.slow
@pytest.mark.usefixtures("all_resamples")  # as in the workers
def test_a_worker_that_is_killed_ends_the_run_and_what_is_done_is_kept(tmp_path):
    mark = tmp_path / "killed"
    plan = make_plan(TESTS, VECTORS, Deadly(mark=str(mark)))
    with Store(tmp_path) as store, pytest.raises(EatlasError) as caught:
        execute(plan, Processes(2), store=store)
    assert caught.value.what == "a worker process ended before its work was done"
    assert caught.value.got == "it was killed, most likely because memory ran out"
    assert caught.value.remedy.startswith("finished jobs are kept; repeat the command to continue")
    with Store(tmp_path) as store:
        assert store.done
        assert execute(plan, here, store=store) == execute(plan, here)


def test_an_answer_that_cannot_be_handed_over():
    with pytest.raises(EatlasError, match="cannot be passed to other processes") as caught:
        execute(make_plan(TESTS, VECTORS, Silent()), Processes(1))
    assert "not this one" in caught.value.got


@pytest.mark.parametrize(
    "executor",
    [here, pytest.param(Processes(1), marks=pytest.mark.slow)],
    ids=["here", "processes"],
)
def test_a_fault_of_one_job_costs_no_other(executor):
    results = results_of(execute(make_plan(TESTS, VECTORS, Faulty()), executor))
    assert [r.test for r in results] == ["t0", "t2", "t4", "t5"]
    bug, memory = results.failures
    assert (bug.test, memory.test) == ("t1", "t3")
    assert "an internal error of tests" in str(bug.error)
    assert "a bug" in str(bug.error)
    assert "the process ran out of memory" in str(memory.error)
    assert "a bug" not in str(memory.error)


def test_a_measure_that_cannot_be_handed_over():
    @dataclass(frozen=True)
    class Local(eatlas.WEAT):
        name: ClassVar[str] = "local"

    assert len(eatlas.run(TESTS, VECTORS, Local())) == 6
    with pytest.raises(EatlasError, match="cannot be passed to other processes") as caught:
        eatlas.run(TESTS, VECTORS, Local(), workers=2)
    assert "Local" in caught.value.got
    assert "in a module that can be imported, or use workers=1" in caught.value.remedy


def ended(code: str, tmp_path) -> subprocess.CompletedProcess:
    path = tmp_path / "script.py"
    path.write_text(code, encoding="utf-8")
    return subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_so(tmp_path):
    done = ended("import eatlas\neatlas.run('weat-6', workers=2)", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "a script that has no guard starts it" in done.stderr


@pytest.mark.slow
def test_a_measure_that_the_workers_cannot_find(tmp_path):
    code = """
import eatlas
class Hidden(eatlas.WEAT):
    name = "hidden"
if __name__ == "__main__":
    try:
        del __file__
        __spec__ = None
        eatlas.run("weat-6", measures=Hidden(), workers=2)
    except eatlas.EatlasError as error:
        print(error)
"""
    done = ended(code, tmp_path)
    assert done.stderr == ""
    assert "cannot be passed to other processes" in done.stdout
    assert "got: AttributeError: Can't get attribute 'Hidden'" in done.stdout


@pytest.mark.slow
def test_an_interrupt_while_workers_start_is_one_for_all(tmp_path):
    """Ctrl-C reaches all processes of a terminal; workers that still import say nothing."""
    code = """
import os, signal, threading
import multiprocessing.connection, multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker
import eatlas
if __name__ == "__main__":
    tests = [eatlas.load_tests(f"weat-{n}")[0] for n in (6, 7, 9)]
    vectors = eatlas.open_vectors("glove-sample")
    measures = [eatlas.MLEAT(alpha=k / 1000) for k in range(1, 999)]
    # imported before the signal: Python 3.11 turns one within a class body into a RuntimeError
    run = eatlas.run
    run("weat-6", measures="weat(resamples=0)", frequency="off", workers=1)
    try:
        threading.Timer(0.2, os.killpg, (os.getpid(), signal.SIGINT)).start()
        run(tests, vectors, measures, workers=2)
    except KeyboardInterrupt:
        print("interrupted")
"""
    path = tmp_path / "script.py"
    path.write_text(code, encoding="utf-8")
    run = [sys.executable, path]
    done = subprocess.run(run, capture_output=True, text=True, timeout=600, start_new_session=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


@pytest.mark.parametrize("workers", [0, "two", True])
def test_a_number_of_workers_that_is_none(tiny, tiny_vectors, workers):
    with pytest.raises(EatlasError, match="the number of workers is not usable"):
        eatlas.run(tiny, tiny_vectors, workers=workers)


@pytest.mark.parametrize(("worth", "processes"), [(1e6, 0), (1e-9, 2)])
def test_processes_are_started_when_they_pay(monkeypatch, worth, processes):
    """Six quick jobs are not worth a process, unless one costs next to nothing."""
    started = []

    def counted(workers):
        started.append(workers)
        return here

    monkeypatch.setattr(executors, "WORTH_A_PROCESS", worth)
    monkeypatch.setattr(executors, "processors", lambda: 2)
    monkeypatch.setattr(executors, "Processes", counted)
    plan = make_plan(TESTS * 2, VECTORS, ["weat", "sc-eat"])
    assert execute(plan, choose(None, len(plan))) == execute(plan, here)
    assert started == [2] * (processes > 0)


@pytest.mark.parametrize(("work", "processes"), [(0.5, 0), (0.7, 2), (70.0, 4)])
def test_processes_take_work_that_is_long_beside_their_start(monkeypatch, work, processes):
    """The clock counts processor seconds; this process has taken one until it begins to work."""
    clock, started = SimpleNamespace(now=1.0), []

    def do(item):
        clock.now += work
        return item

    def processes_of(workers):
        started.append(workers)
        return here

    monkeypatch.setattr(executors, "WORTH_A_PROCESS", 3.0)
    monkeypatch.setattr(executors, "time", SimpleNamespace(process_time=lambda: clock.now))
    monkeypatch.setattr(executors, "processors", lambda: 4)
    monkeypatch.setattr(executors, "Processes", processes_of)
    assert list(executors.as_needed(do, range(16))) == [(i, i) for i in range(16)]
    assert started == [processes] * (processes > 0)
