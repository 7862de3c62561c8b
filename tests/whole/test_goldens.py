"""What sessions print and write is what they printed and wrote before."""

import pytest
from tests.contracts.golden_cases import GOLDENS, SCENARIOS, kept, perform
from tests.contracts.golden_comparison import (
    json_differences,
    line_differences,
    record_differences,
    same_text,
    told,
)
from tests.contracts.sessions import in_folder

pytestmark = pytest.mark.usefixtures("all_resamples")


@pytest.mark.filterwarnings("always:.* had results of another run")
@pytest.mark.filterwarnings("always:.* words found")
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_session_is_as_before(scenario, tmp_path):
    before = kept(scenario)
    folder = tmp_path / "session"
    folder.mkdir()
    with in_folder(folder):
        now = perform(scenario, before.lines)
    differences = told(
        record_differences(before.lines, now.lines),
        line_differences(before.transcript, now.transcript),
    )
    assert not differences, f"{scenario.name} differs from tests/contracts/goldens:\n{differences}"


def test_no_golden_file_is_left_over():
    names = {path.name.split(".")[0] for path in GOLDENS.iterdir()}
    assert names == {scenario.name for scenario in SCENARIOS}


def test_differences_are_named():
    old = '{"a": {"n": 3, "d": 0.5}, "s": "x", "list": [1, 2]}'
    new = '{"a": {"n": 4, "d": 0.50001}, "list": [1, 3], "more": null}'
    assert sorted(json_differences(old, new)) == [
        "a.d: 0.5 before, 0.50001 now",
        "a.n: 3 before, 4 now",
        "list[1]: 2 before, 3 now",
        "the keys: gone ['s'], new ['more']",
    ]
    lines = ["$ run", "[exit 0]", "d = 1.72*", "all done"]
    differences = line_differences(lines, [*lines[:2], "d = 1.71*", "all done"])
    assert list(differences) == ["$ run:\n  - 2: d = 1.72*\n  + 2: d = 1.71*"]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("d = 1.72", "d = 1.73", False),
        ("0.123456789012345", "0.123456789012346", True),
        ("25 of 12,870", "26 of 12,870", False),
        ("weat-6", "weat-7", False),
        ("d of X", "d of Y", False),
    ],
)
def test_numbers_are_compared_by_their_rounding(old, new, same):
    assert same_text(old, new) == same
