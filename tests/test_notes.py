"""Notes: each code that the package uses has one sentence and one entry in the documentation."""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest

from eatlas.errors import EatlasWarning, UndefinedWarning
from eatlas.notes import TEXT, Note, as_note, merge_notes, warn

ROOT = Path(__file__).parents[1]
SOURCES = [ROOT / "src", *sorted(ROOT.glob("packages/*/src"))]
PAGE = ROOT / "docs" / "reference" / "notes.md"
TEMPLATES = {
    f"{part}.{name}"
    for source in SOURCES
    for path in source.rglob("notes.toml")
    for part, table in tomllib.loads(path.read_text(encoding="utf-8")).items()
    for name in table
}


def codes_in_use() -> set[str]:
    calls = (
        node
        for text in (
            path.read_text(encoding="utf-8") for source in SOURCES for path in source.rglob("*.py")
        )
        if "Note(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note"
    )
    return {str(call.args[0].value) for call in calls if isinstance(call.args[0], ast.Constant)}


def test_each_code_has_a_sentence_and_no_sentence_is_idle() -> None:
    assert codes_in_use() == TEMPLATES


def test_the_documentation_lists_each_code() -> None:
    listed = re.findall(
        r"^\| `([a-z]+\.[a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == sorted(TEMPLATES)


def test_a_note_of_a_file_is_the_same_note() -> None:
    note = Note("p.permutations", "level2.X", {"permutations": 9, "least": 0.1, "alpha": 0.05})
    again = as_note(json.loads(json.dumps(note.to_dict())))
    assert again == note
    assert (
        str(again)
        == str(note)
        == (
            "9 random permutations cannot show a p-value of level 2 of X below 0.1, so none is below alpha = 0.05."
        )
    )


def test_numbers_of_numpy_are_plain_numbers_in_a_file() -> None:
    values = {"used": np.int64(3), "of": 4, "lost": ("a", "b"), "most": np.float64(2.5)}
    plain = {"used": 3, "of": 4, "lost": ["a", "b"], "most": 2.5}
    assert Note("debias.lost", "", {**values, "most": 20}).to_dict()["values"] == {
        **plain,
        "most": 20,
    }


def test_a_code_that_is_not_known_keeps_the_sentence_of_its_file() -> None:
    assert str(as_note({"code": "mine.odd", "text": "Odd."})) == "Odd."
    assert as_note("Odd.") == Note(TEXT, values={"text": "Odd."})


@pytest.mark.parametrize(
    "value",
    [3, {"text": "Odd."}, {"code": "a", "values": []}, {"code": "a", "values": {"a": [[[[1]]]]}}],
)
def test_what_is_no_note_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="note"):
        as_note(value)


def test_notes_that_differ_in_figures_become_one_with_ranges() -> None:
    def differs(p: float) -> Note:
        medians = [1000.0, 2000.0 + p]
        values = {"concepts": ["Men", "Women"], "medians": medians, "p": p}
        return Note("frequency.differs", "frequency.ranks.X", values)

    ((note, members),) = merge_notes([differs(0.04), differs(0.001), differs(0.02)])
    assert members == [0, 1, 2]
    assert str(note).endswith("median ranks 1,000 and 2,000 (p = .0010 to .040).")
    other = Note("coverage.common-words", values={"names": ["Bill"]})
    assert [members for _, members in merge_notes([differs(0.04), other])] == [[0], [1]]


def test_a_warning_carries_its_note() -> None:
    note = Note("undefined.effect-size", "level1")
    with pytest.warns(UndefinedWarning, match="weat-6: Undefined effect size of level 1") as caught:
        warn(note, "weat-6")
    warning = caught[0].message
    assert isinstance(warning, EatlasWarning)
    assert warning.note == note
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UndefinedWarning):
            warn(note)
