"""SIGKILL at random moments of ``eatlas multiverse`` or of one of its workers: nothing is lost.

The real command in processes of its own, as a user would run it.
"""

import json
import random
import shutil
import sys
import time

import pytest
from tests.engine.test_kills import (
    Runs,
    assert_no_worker_is_left,
    kill,
    make_tests,
    wait_for_a_job,
)
from tests.inputs import KILLS

import eatlas
from eatlas.stimuli import to_toml

FILES = (
    "analysis.json", "plan.toml", "report.html", "results.jsonl", "specifications.csv",
    "study.json", "tests.toml",
)  # fmt: skip
TESTS = 40

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds workers through /proc")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_killed_at_random_moments_the_same_command_finishes_the_study(tmp_path):
    tests = list(make_tests())[:TESTS]
    (tmp_path / "mine.toml").write_text(to_toml(tests), encoding="utf-8")
    ids = json.dumps([f"{tmp_path / 'mine.toml'}#{test.id}" for test in tests])
    plan = tmp_path / "plan.toml"
    plan.write_text(f"tests = {ids}\n[choices]\nddof = [1, 0]\n", encoding="utf-8")
    out = tmp_path / "out"
    undisturbed = eatlas.multiverse(plan, out=out)
    expected = contents(out)
    assert sorted(expected) == sorted(FILES)
    shutil.rmtree(out)

    chance, kept, finished = random.Random(18), set(), 0
    victims = ["run"] * (KILLS // 2) + ["worker"] * (KILLS // 2)
    chance.shuffle(victims)
    command = [sys.executable, "-m", "eatlas", "multiverse", str(plan), "--workers", "2"]
    with Runs([*command, "--out", str(out)], tmp_path) as runs:
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
                assert contents(out) == expected
                shutil.rmtree(out)
                finished += 1
            elif stored:  # none is left where it was killed after all was written
                assert kept <= set(stored)
            kept = set(stored)
            runs.start()
        said = runs.finish()
    assert contents(out) == expected
    assert runs.begun > KILLS // 2 + finished
    if kept:
        assert said.startswith("jobs taken over from an interrupted study: ")
    assert eatlas.read_study(out).results == undisturbed.results
    assert_no_worker_is_left(runs)
