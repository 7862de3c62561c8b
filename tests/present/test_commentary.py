"""What another package says of results that are shown together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contracts.test_plugins import install

import eatlas
from eatlas.present.commentary import Commentary, commentaries

MODULE = """
from eatlas.present.commentary import Commentary


class Changed(Commentary):
    def sentence(self, result, sentence):
        return f"Of {result.provenance.explored} lists: {sentence}"

    def title(self):
        return f"; words changed in {len(self.results)}"

    def brief(self):
        return ["Words were changed."]

    def methods(self):
        return "We changed words."

    def methods_cited(self):
        return ["bh"]
"""
SESSION = """
import sys; sys.path.insert(0, {folder!r})
import eatlas

(test,) = eatlas.load_tests("weat-6")
eatlas.run(test)[0].finding
assert "commentary_plugin" not in sys.modules
plain, changed = eatlas.run([test, test.model_copy(update={{"id": "mine", "explored": 3}})])
both = eatlas.Results([plain, changed])
print([finding.sentence[:12] for finding in both.findings])
print(changed.finding.sentence[:12])
for form in ("html", "methods", "bibtex"):
    eatlas.write_report(both, f"report-{{form}}", format=form)
"""


def test_a_package_comments_on_results_that_have_what_it_names(tmp_path: Path) -> None:
    points = "[eatlas.commentaries]\nexplored = commentary_plugin:Changed\n"
    install(tmp_path, "commentary-plugin", points)
    (tmp_path / "commentary_plugin.py").write_text(MODULE, encoding="utf-8")
    code = SESSION.format(folder=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["['Male names a', 'Of 3 lists: ']", "Of 3 lists: "]
    page, methods, works = (
        (tmp_path / f"report-{form}").read_text() for form in ("html", "methods", "bibtex")
    )
    assert "; words changed in 1</h1>" in page
    assert "Words were changed." in page
    assert "We changed words." in methods
    assert "benjamini1995controlling" in works


PART = """
from eatlas.results.parts import Part


class Speakers(Part):
    heading = "Speakers."
    words = "speakers"
    interval_name = "speakers"
    number: int

    @property
    def member(self):
        return "Ann"

    def interval_of(self, place):
        return (0.5, 1.5) if place == "level1" else None

    def columns(self):
        return {"speakers": self.number}

    def effect_columns(self, place):
        return {"by_speaker": place}

    def obstacle(self, place):
        return "said by a single speaker" if self.number == 1 else ""
"""
OF_PART = """
import json, sys; sys.path.insert(0, {folder!r})
import eatlas
from eatlas.results.json_lines import json_schema

(plain,) = eatlas.run("weat-6")
line = plain.to_dict() | {{"speakers": {{"number": 1}}}}
del line["finding"]
result = type(plain).from_dict(line)
print(result.speakers.number, result.parts["speakers"] is result.speakers, result.member)
print(result.finding.questions["level1"].reason, "|", plain.finding.questions["level1"].reason)
row = result.rows()[0]
print(row["speakers"], row["by_speaker_X"], result.effect("level1").other_intervals)
print(result.to_dict()["speakers"], type(plain).from_dict(result.to_dict()) == result)
print("speakers" in json_schema()["$defs"]["MLEATResult"]["properties"])
for other in ({{"speakers": {{}}}}, {{"singers": {{}}}}):
    try:
        type(plain).from_dict(plain.to_dict() | other)
    except ValueError as error:
        print("number" in str(error), "singers is unknown" in str(error))
eatlas.write_report(eatlas.Results([result]), "report.html")
page = open("report.html").read()
print("Said by 1 speaker." in page, "over speakers" in page, "speakers [0.50, 1.50]" in page)
"""


def test_a_package_adds_a_part_to_results(tmp_path: Path) -> None:
    points = "[eatlas.parts]\nspeakers = part_plugin:Speakers\n[eatlas.texts]\nmine = said\n"
    install(tmp_path, "part-plugin", points)
    (tmp_path / "part_plugin.py").write_text(PART, encoding="utf-8")
    templates = tmp_path / "said" / "templates"
    templates.mkdir(parents=True)
    (tmp_path / "said" / "__init__.py").touch()
    statement = "{% macro statement(r) %}Said by {{ r.speakers.number }} speaker.{% endmacro %}"
    (templates / "speakers.txt.j2").write_text(statement)
    code = OF_PART.format(folder=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "1 True Ann",
        "said by a single speaker | ",
        "1 level2.X {'speakers': (0.5, 1.5)}",
        "{'number': 1} True",
        "True",
        "True False",
        "False True",
        "True True True",
    ], done.stderr


def test_results_without_it_have_none() -> None:
    results = eatlas.run("weat-6")
    assert commentaries(results) == []
    plain = Commentary(results)
    assert plain.sentence(results[0], "It holds.") == "It holds."
    assert (plain.title(), *plain.brief(), plain.methods(), *plain.methods_cited()) == ("", "")
