"""``eatlas multiverse`` as a user meets it."""

import pytest

PLAN = """\
[study]
title = "Career"
tests = ["weat-6", "weat-7"]
measures = ["weat"]
[choices]
ddof = [1, 0]
"""


@pytest.fixture
def plan(eatlas_cli, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return "plan.toml"


@pytest.fixture
def example(eatlas_cli, tmp_path):
    printed = eatlas_cli("multiverse", "--example")
    (tmp_path / "mine.toml").write_text(printed.out, encoding="utf-8")
    return "mine.toml"


def test_the_example_can_be_saved(eatlas_cli, example):
    done = eatlas_cli("multiverse", example, "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert "64 specifications; 144 words to look up, 0 texts to encode" in done.out


@pytest.mark.slow
def test_the_example_can_be_run(eatlas_cli, example):
    done = eatlas_cli("multiverse", example, "--workers", "1")
    assert done.code == 0, done.err
    assert "\nstimuli\n  names " in done.out
    assert "study/results.jsonl" in done.out


def test_a_dry_run_says_what_it_costs_and_writes_nothing(eatlas_cli, plan, tmp_path):
    done = eatlas_cli("multiverse", plan, "--dry-run")
    assert done.code == 0
    assert "4 specifications; 64 words to look up, 0 texts to encode" in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


def test_the_study_is_drawn(eatlas_cli, plan, tmp_path):
    eatlas_cli("multiverse", plan)
    ended = eatlas_cli("plot", "study", "--kind", "specification", "-o", "curve.svg")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("figure: curve.svg\ncaption: ")
    assert "Specification curve" in (tmp_path / "curve.svg").read_text("utf-8")


def test_again_takes_over_and_another_plan_is_refused(eatlas_cli, plan, tmp_path):
    eatlas_cli("multiverse", plan)
    again = eatlas_cli("multiverse", plan)
    assert "jobs taken over from an interrupted study: 4" in again.err
    (tmp_path / "plan.toml").write_text(PLAN.replace("[1, 0]", "[1]"), encoding="utf-8")
    other = eatlas_cli("multiverse", plan)
    assert other.code == 2
    assert "error: study: this folder has the study of a different plan" in other.err


def test_some_failures_are_exit_code_1(eatlas_cli, plan, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN + 'case = ["exact"]\n', encoding="utf-8")
    done = eatlas_cli("multiverse", plan)
    assert done.code == 1
    assert "2 of 4 jobs failed; the others are done" in done.err


def test_what_has_no_adjusted_number_is_said(eatlas_cli, tmp_path, test_file, vectors_csv):
    choices = '[choices]\nadjust = ["none", "frequency"]\n'
    lists = f"tests = [{str(test_file)!r}]\nvectors = [{str(vectors_csv)!r}]\n"
    (tmp_path / "plan.toml").write_text(lists + choices, encoding="utf-8")
    done = eatlas_cli("multiverse", "plan.toml")
    assert done.code == 0
    assert "failed: 1 specification: Not adjusted for covariates" in done.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "error: no plan was given"),
        (("nothere.toml",), "error: nothere.toml: the plan cannot be read"),
        (("plan.toml", "--out", "plan.toml"), "error: --out plan.toml: cannot be written to"),
    ],
)
def test_mistakes_are_exit_code_2(eatlas_cli, plan, given, said):
    done = eatlas_cli("multiverse", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
