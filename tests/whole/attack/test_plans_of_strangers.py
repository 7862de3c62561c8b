"""A plan from a stranger: nothing that it names is run, and nothing is sent, without --trust."""

import json

import pytest

DRY = [(), ("--dry-run",)]
OWN = """
schema = 1

[[test]]
id = "commands"
X = { name = "x", terms = ["awk", "sh"] }
Y = { name = "y", terms = ["ls", "cat"] }
A = { name = "a", terms = ["a", "b"] }
B = { name = "b", terms = ["c", "d"] }
"""


@pytest.fixture
def plan(tmp_path):
    """Writes a plan with these vectors, as a list or by name, and with more lines behind."""

    def write(vectors, more="", tests='["weat-6"]', measures='["weat"]'):
        path = tmp_path / "plan.toml"
        listed = (
            json.dumps([vectors]) if isinstance(vectors, str) else f"{{ mine = '{vectors[0]}' }}"
        )
        path.write_text(
            f"tests = {tests}\nmeasures = {measures}\nvectors = {listed}\n{more}", encoding="utf-8"
        )
        return path

    return write


@pytest.mark.parametrize("dry", DRY)
@pytest.mark.parametrize(
    "wrapped", ["{}", "mine={}", "cbow:{}", "{}?transform=center", "{}?prompt=A %7B%7D."]
)
def test_N1_a_function_of_a_plan_is_not_imported(eatlas_cli, plan, evil, wrapped, dry):
    ended = eatlas_cli("multiverse", plan(wrapped.format("py:evil:f")), *dry)
    assert ended.code == 2
    assert not evil.exists()
    assert "py:evil:f" in ended.err
    assert "refused, as it would import the Python module evil and call its function f" in ended.err
    assert "got: a source that a file names, not you" in ended.err
    assert "remedy: if you trust it: --trust " in ended.err


@pytest.mark.parametrize(
    "more",
    [
        '[choices]\ntransform = ["none", "center"]',
        '[choices]\nprompt = ["none", "This is {}"]',
        '[choices]\nddof = [0, 1]\nlayer = { values = [1], when = { ddof = "0" } }',
    ],
)
def test_N1_choices_hide_nothing(eatlas_cli, plan, evil, more):
    """Those that fit nothing could be skipped; a source that is refused is never."""
    ended = eatlas_cli("multiverse", plan(["py:evil:f"], more), "--skip-invalid")
    assert ended.code == 2
    assert not evil.exists()
    assert "refused, as it would import the Python module evil" in ended.err


@pytest.mark.parametrize("dry", DRY)
def test_N1_nothing_is_sent_to_an_endpoint_of_a_plan(eatlas_cli, plan, listener, dry):
    address = f"http://127.0.0.1:{listener.server_port}/v1/embeddings"
    ended = eatlas_cli("multiverse", plan(f"{address}?model=m"), *dry)
    assert ended.code == 2
    assert listener.asked == []
    assert "it would send the texts of the test, and the key in EATLAS_API_KEY" in ended.err
    assert "sk-of-the-auditor" not in ended.err


def test_N1_a_source_that_is_trusted_runs(eatlas_cli, plan, evil):
    path = plan(["py:evil:f"], "[choices]\nddof = [0, 1]")
    ended = eatlas_cli("multiverse", path, "--trust", "py:evil:f", "--out", "done")
    assert ended.code == 0
    assert evil.exists()
    ended = eatlas_cli("multiverse", "done/plan.toml", "--out", "again")
    assert ended.code == 2
    assert "refused, as it would import" in ended.err


@pytest.mark.parametrize("trusted", ["mine", "py:evil", "py:evil:f "])
def test_N1_trust_of_a_plan_is_for_the_very_source(eatlas_cli, plan, evil, trusted):
    path = plan(["py:evil:f"])
    ended = eatlas_cli("multiverse", path, "--trust", trusted)
    assert ended.code == 2
    assert f"trust: {path} has no source with this name\n  got: {trusted}" in ended.err
    assert "allowed: py:evil:f" in ended.err
    assert not evil.exists()
