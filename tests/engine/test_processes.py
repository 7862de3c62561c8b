"""Several processes give what one gives, and a kill costs nothing but time."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.engine import Processes, execute, here, make_plan
from eatlas.engine.executors import choose


@dataclass(frozen=True)
class Deadly(eatlas.WEAT):
    """A WEAT that kills its process the first so many times; a file keeps the count."""

    name: ClassVar[str] = "deadly"
    counter: str = ""
    deaths: int = 0

    def compute(self, given, notes):
        if given.head["test"] == "t3" and len(Path(self.counter).read_bytes()) < self.deaths:
            with Path(self.counter).open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compute(given, notes)


@dataclass(frozen=True)
class Faulty(eatlas.WEAT):
    """A WEAT that fails as our own faults would."""

    name: ClassVar[str] = "faulty"
    kind_of_fault: str = "bug"

    def compute(self, given, notes):
        if given.head["test"] == "t1":
            raise MemoryError if self.kind_of_fault == "memory" else RuntimeError("a bug")
        return super().compute(given, notes)


TESTS = [make_test(f"t{i}", X=tuple(f"x{i}{j}" for j in range(4))) for i in range(6)]
VECTORS = {t: v for i, test in enumerate(TESTS) for t, v in make_vectors(test, seed=i).items()}


def test_processes_give_what_one_process_gives():
    plan = make_plan(TESTS, VECTORS, ["ml-eat", "sc-eat"])
    one, many = execute(plan, here), execute(plan, Processes(2))
    assert one == many
    assert len(many) == 12


@pytest.mark.parametrize(("deaths", "failed"), [(1, 0), (4, 0), (99, 1)])
def test_a_worker_that_is_killed(tmp_path, deaths, failed):
    counter = tmp_path / "deaths"
    counter.touch()
    plan = make_plan(TESTS, VECTORS, Deadly(counter=str(counter), deaths=deaths))
    results = execute(plan, Processes(2))
    assert len(results) + len(results.failures) == 6
    assert len(results.failures) == failed
    assert [r.test for r in results] == [t.id for t in TESTS if not (failed and t.id == "t3")]
    if failed:
        assert results.failures[0].test == "t3"
        assert "the process ran out of memory" in str(results.failures[0].error)
        assert "--workers 1" in str(results.failures[0].error)


@pytest.mark.parametrize(
    ("kind", "message"),
    [("bug", "a fault of eatlas, not of the input"), ("memory", "the process ran out of memory")],
)
@pytest.mark.parametrize("executor", [here, Processes(2)], ids=["here", "processes"])
def test_a_fault_of_one_job_costs_no_other(executor, kind, message):
    results = execute(make_plan(TESTS, VECTORS, Faulty(kind_of_fault=kind)), executor)
    assert len(results) == 5
    (failure,) = results.failures
    assert failure.test == "t1"
    assert message in str(failure.error)
    assert ("a bug" in str(failure.error)) == (kind == "bug")


def test_small_runs_stay_in_one_process():
    assert choose(None, 10) is here
    assert choose(1, 10_000) is here
    assert isinstance(choose(3, 10), Processes)
