"""What sessions of all measures print and write is what they printed and wrote before."""

import pytest
from tests.contracts.golden_cases import GOLDENS, SCENARIOS, in_folder, kept, perform
from tests.contracts.golden_comparison import (
    COMPUTED,
    LOOKED_UP,
    json_differences,
    line_differences,
    record_differences,
    same_text,
    told,
)

LONG = {"smollm2"}
"""Sessions with a model that takes long to load."""


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.name in LONG else [])
        for one in SCENARIOS
    ],
)
def test_a_session_is_as_before(scenario, tmp_path):
    before = kept(scenario)
    folder = tmp_path / "session"
    folder.mkdir()
    with in_folder(folder):
        now = perform(scenario, before.lines)
    tolerance = COMPUTED if scenario.computed else LOOKED_UP
    said = told(record_differences(before.lines, now.lines, tolerance))
    said += told(line_differences(before.transcript, now.transcript, tolerance))
    assert not said, f"the session {scenario.name} differs from tests/contracts/goldens:\n{said}"


def test_no_golden_file_is_left_over():
    names = {path.name.split(".")[0] for path in GOLDENS.iterdir()}
    assert names == {scenario.name for scenario in SCENARIOS}


def test_differences_are_named():
    old = '{"a": {"n": 3, "d": 0.5}, "s": "x", "list": [1, 2]}'
    new = '{"a": {"n": 4, "d": 0.50001}, "list": [1, 3], "more": null}'
    assert list(json_differences(old, new, LOOKED_UP)) == [
        "the keys: gone ['s'], new ['more']",
        "a.n: 3 before, 4 now",
        "a.d: 0.5 before, 0.50001 now",
        "list[1]: 2 before, 3 now",
    ]
    lines = ["$ run", "[exit 0]", "d = 1.72*", "all done"]
    found = list(line_differences(lines, [*lines[:2], "d = 1.71*", "all done"], LOOKED_UP))
    assert found == ["$ run:", "  - 2: d = 1.72*", "  + 2: d = 1.71*"]


@pytest.mark.parametrize(
    ("old", "new", "looked_up", "computed"),
    [
        ("d = 1.72, p = 7.8e-5", "d = 1.73, p = 7.9e-5", False, True),
        ("d = 1.72", "d = −1.72", False, False),
        ("d = 1.72", "d = 1.74", False, False),
        ("0.123456789012345", "0.123456789012346", True, True),
        ("25 of 12,870", "26 of 12,870", False, False),
        ("weat-6", "weat-7", False, False),
        ("d of X", "d of Y", False, False),
    ],
)
def test_numbers_are_compared_by_their_rounding(old, new, looked_up, computed):
    assert same_text(old, new, LOOKED_UP) == looked_up
    assert same_text(old, new, COMPUTED) == computed
