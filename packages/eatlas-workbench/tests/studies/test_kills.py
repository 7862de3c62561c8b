"""SIGKILL at random moments of ``eatlas multiverse`` or of one of its workers: nothing is lost.

The real command in processes of its own, as a user would run it.
"""

import json
import random
import shutil
import sys

import pytest
from tests.inputs import KILLS
from tests.killed import Runs, assert_no_worker_is_left, kill_and_start_again, make_tests

import eatlas
from eatlas.stimuli import to_toml

FILES = (
    "analysis.json", "plan.toml", "report.html", "results.jsonl", "specifications.csv",
    "study.json", "tests.toml",
)  # fmt: skip
TESTS = 40
SOME = 2 * (KILLS // 4)
"""Kills of a study; its jobs, store and workers are those of a run, of which more are killed."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds workers through /proc")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_killed_at_random_moments_the_same_command_finishes_the_study(tmp_path):
    tests = list(make_tests(TESTS))
    (tmp_path / "mine.toml").write_text(to_toml(tests), encoding="utf-8")
    ids = json.dumps([f"{tmp_path / 'mine.toml'}#{test.id}" for test in tests])
    plan = tmp_path / "plan.toml"
    plan.write_text(f"tests = {ids}\n[choices]\nddof = [1, 0]\n", encoding="utf-8")
    out = tmp_path / "out"
    undisturbed = eatlas.multiverse(plan, out=out)
    expected = contents(out)
    assert sorted(expected) == sorted(FILES)
    shutil.rmtree(out)

    def ended():
        assert contents(out) == expected
        shutil.rmtree(out)

    command = [sys.executable, "-m", "eatlas", "multiverse", str(plan), "--workers", "2"]
    with Runs([*command, "--out", str(out)], tmp_path) as runs:
        kept = kill_and_start_again(runs, random.Random(18), SOME, ended)
        said = runs.finish()
    assert contents(out) == expected
    assert runs.begun > SOME
    if kept:
        assert said.startswith("jobs taken over from an interrupted study: ")
    assert eatlas.read_study(out).results == undisturbed.results
    assert_no_worker_is_left(runs)
