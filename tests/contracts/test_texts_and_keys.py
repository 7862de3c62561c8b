"""Another package brings texts and keys of tests, through real entry points."""

import json
import subprocess
import sys

import pytest
from tests.contracts.test_plugins import install

MODULE = """
from dataclasses import dataclass
from typing import ClassVar, Literal

from eatlas.measures import AssociationMeasure
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.stimuli.keys import AddedKey


class Tally(AssociationResult):
    words: ClassVar[str] = "tally"
    section: ClassVar[str] = "tally"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_tally",)
    measure: Literal["tally"] = "tally"
    size: int

    @property
    def view(self):
        return "tallies"


@dataclass(frozen=True)
class Count(AssociationMeasure):
    name: ClassVar[str] = "tally"
    minimum: ClassVar = {"X": 1}

    def compute(self, given, notes):
        notes.append(Note("tally.odd", values={"hints": 2}))
        return Tally(**given.head, size=16)


HINTS = AddedKey(str, "hint", lambda hints: "too many" if len(hints) > 2 else None, "at most 2")
"""
TEXTS = {
    "notes.toml": """[tally]\nodd = "There are {{ hints }} hints."\n""",
    "methods.toml": """[cited]\ntally = ["me2026tally"]\n""",
    "references.bib": "@misc{me2026tally,\n  author = {Me},\n  title = {Tallies},\n  year = {2026}\n}\n",
    "templates/tally.txt.j2": "{% macro headline(r, effect, shown) %}unused{% endmacro %}",
    "templates/tally.html.j2": "<p>{{ r.size|double }} halves</p>",
    "templates/glossary_tally.html.j2": "<div><dt>Tally</dt><dd>A number of terms.</dd></div>",
    "filters.py": "FILTERS = {'double': lambda n: 2 * n, 'count': None}",
    "__init__.py": "",
}
WORDING = {
    name: f"{name} of tallies"
    for name in (
        "heading", "one", "several", "associate", "described", "built_on", "association",
        "level1", "level3", "moved", "beyond", "lacking", "missing_one", "missing_some",
    )
}  # fmt: skip
ENTRY_POINTS = """
[eatlas.measures]
tally = my_tally:Count
[eatlas.records]
tally = my_tally:Tally
[eatlas.texts]
tally = my_texts
broken = no_such_texts
[eatlas.test_keys]
hints = my_tally:HINTS
five = my_tally:MODULE_WITHOUT
"""
CODE = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
import eatlas
from eatlas.errors import PluginWarning, StimulusError
from eatlas.present import report_html
from eatlas.stimuli.reading import parse_battery
from eatlas.stimuli.toml import to_toml
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (result,) = eatlas.run(tests="weat-6", measures="tally")
    note = [str(note) for note in result.warnings if note.code == "tally.odd"]
    page = report_html([result])
    (weat,) = eatlas.load_tests("weat-6")
    test = weat.model_copy(update={"hints": ["a", "b"]})
    text = to_toml([test]) + '[[hint]]\\ntext = "c"\\n'
    try:
        parse_battery(text.encode(), "mine.toml", "mine")
        fault = ""
    except StimulusError as error:
        fault = str(error)
    (again,) = parse_battery(to_toml([test]).encode(), "mine.toml", "mine").tests
left = [str(w.message) for w in caught if isinstance(w.message, PluginWarning)]
print(json.dumps({
    "note": note, "page": page, "hints": again.hints, "none": weat.hints, "fault": fault,
    "same": again.stimuli_sha256 == weat.stimuli_sha256, "left": left,
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tally")
    install(folder, "my-tally", ENTRY_POINTS)
    (folder / "my_tally.py").write_text(MODULE, encoding="utf-8")
    (folder / "my_texts" / "templates").mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / "my_texts" / name).write_text(text, encoding="utf-8")
    wording = "".join(f"{name} = {json.dumps(text)}\n" for name, text in WORDING.items())
    (folder / "my_texts" / "wording.toml").write_text(
        f'[tallies]\nviews = ["tallies"]\n{wording}', encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(folder)], cwd=folder, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_a_package_adds_notes_templates_wording_and_works(found):
    assert found["note"] == ["There are 2 hints."]
    for text in (
        "<p>32 halves</p>", "<dt>Tally</dt>", "association of tallies", "@misc{me2026tally,",
    ):  # fmt: skip
        assert text in found["page"]


def test_a_package_adds_keys_of_tests(found):
    assert found["hints"] == ["a", "b"]
    assert found["none"] == []
    assert found["same"]
    assert found["fault"].startswith("mine.toml, the hints of test weat-6: too many")


def test_texts_and_keys_that_cannot_be_used_are_left_out(found):
    texts, keys = (
        next(text for text in found["left"] if text.startswith(name)) for name in ("broken", "five")
    )
    assert "no_such_texts cannot be imported (ModuleNotFoundError: " in texts
    assert "MODULE_WITHOUT cannot be imported" in keys
