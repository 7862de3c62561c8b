"""Other packages add transforms, drawings, reports and verifiers, through real entry points."""

import subprocess
import sys

import pytest
from tests.contracts.test_plugins import install

import eatlas
from eatlas import plugins
from eatlas.engine.verifiers import contexts_at_hand, verifier_of, verifier_of_file
from eatlas.errors import ContractError, EatlasError, ResultsError
from eatlas.present.drawings.kinds import find_kind
from eatlas.results.parts import Record
from eatlas.stimuli import batteries

MODULE = """
import json
from pathlib import Path
from typing import Literal

from pydantic import Field

from eatlas.engine.verifiers import Repeated, Verifier
from eatlas.present.drawings.kinds import Kind
from eatlas.present.drawings.sheet import side_by_side
from eatlas.present.drawings.svg import figure
from eatlas.results.base import Head
from eatlas.sources.transforms import Fit, TransformStep


class Tally(Head):
    schema_version: Literal["eatlas/tally/1"] = Field(default="eatlas/tally/1", alias="schema")
    measure: str = "tally"
    signature: str = "tally"
    concepts: dict = {}
    words: int


class TallyVerifier(Verifier):
    plural = "tallies"

    def holds(self, path):
        return path.suffix == ".tally"

    def read(self, path):
        return Tally.from_dict(json.loads(path.read_text()))

    def repeat(self, record, source, tests):
        words = sum(len(words) for words, _ in source.iter_chunks(1000))
        same = words == record.words
        return Repeated(() if same else (f"words: {record.words} in the file, {words} now",))


def page(record, format, columns):
    return f"{record.words} words as {format}"


def tally_drawing():
    def draw(tally, width):
        svg = figure(40, title="Tally", alt=f"{tally.words} words.", width=width, kind="figure")
        return side_by_side([svg], width, title=f"{tally.words} words")

    return Kind(draw, lambda _: False, "a tally", takes=lambda given: isinstance(given, Tally))


def halve(text):
    def fit(source):
        return Fit(lambda words, rows, bulk: rows / 2, (), "halved")

    return TransformStep(text, fit)
"""
ENTRY_POINTS = """
[eatlas.verifiers]
tally = tally_plugin:TallyVerifier
[eatlas.pages]
tally = tally_plugin:page
[eatlas.drawings]
tally = tally_plugin:tally_drawing
forest = tally_plugin:tally_drawing
[eatlas.transforms]
halve = tally_plugin:halve
"""
SESSION = """
import sys; sys.path.insert(0, {folder!r})
import eatlas
from eatlas.cli import main
from pathlib import Path
from tally_plugin import Tally

tally = Tally(test="t", source="mine.txt", words=2)
Path("a.tally").write_text(tally.model_dump_json())
Path("b.tally").write_text(tally.model_copy(update={{"words": 3}}).model_dump_json())
print(eatlas.plot(tally).title, "|", eatlas.plot(tally, "tally").alt)
eatlas.write_report(tally, "tally.txt", format="markdown")
print(Path("tally.txt").read_text())
print([verdict.status for verdict in eatlas.verify(tally)])
print(eatlas.open_vectors("mine.txt?transform=halve").lookup(["up"])["up"].tolist())
sys.argv = ["eatlas", "verify", "a.tally", "b.tally"]
main()
"""


def test_a_package_adds_a_record_with_all_that_shows_and_verifies_it(tmp_path):
    install(tmp_path, "tally-plugin", ENTRY_POINTS)
    (tmp_path / "tally_plugin.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "mine.txt").write_text("up 1 0\ndown 0 1\n")
    code = SESSION.format(folder=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[:8] == [
        "2 words | 2 words.",
        "2 words as markdown",
        "['same']",
        "[0.5, 0.0]",
        "1 of 2 tallies are the same",
        "tally on mine.txt: same",
        "tally on mine.txt: differs",
        "  words: 3 in the file, 2 now",
    ]
    assert done.returncode == 1
    assert "eatlas itself brings forest" in done.stderr


class Unknown(Record):
    """A record that no package verifies."""

    schema_version: str = "eatlas/unknown/1"


@pytest.fixture
def absent_package(monkeypatch):
    """A package that is not installed and would add all of these."""
    added = dict.fromkeys(
        ("batteries", "drawings", "pages", "transforms", "verifiers"), ("unknown",)
    )
    monkeypatch.setattr(plugins, "siblings", lambda: {"lost": {**added, "contexts": ["at-hand"]}})
    yield
    batteries._third_party.cache_clear()  # as they are without entry points


def test_what_an_absent_package_adds_is_named(absent_package, monkeypatch, tmp_path):
    path = tmp_path / "unknown.words"
    path.write_text("a,b\n")
    path.with_name("unknown.words.json").write_text('{"schema": "eatlas/unknown/1"}')
    monkeypatch.setattr(plugins, "entry_points_of", lambda _: [])
    for call in (
        lambda: eatlas.transformed("glove-sample", "Unknown:x"),
        lambda: find_kind("unknown"),
        lambda: eatlas.write_report(Unknown(), tmp_path / "r.html"),
        lambda: verifier_of(Unknown()),
        lambda: verifier_of_file(path),
        lambda: contexts_at_hand([], []),
        lambda: eatlas.load_tests("unknown"),
        lambda: eatlas.load_tests("unknown-7"),
    ):
        with pytest.raises(ContractError, match="in the package eatlas-lost, which is not inst"):
            call()


def test_what_nobody_adds_is_an_error(monkeypatch):
    with pytest.raises(ResultsError, match="this record cannot be verified"):
        eatlas.verify([Unknown()])
    monkeypatch.setattr(plugins, "entry_points_of", lambda _: [])
    with pytest.raises(
        EatlasError, match="at-hand is in the package eatlas-corpora, which is not installed"
    ):
        contexts_at_hand([], [])


OF_OTHERS = ("eatlas_models", "eatlas_corpora", "eatlas_vocabulary", "eatlas_workbench")
"""Packages beside the core."""
CORE = """
import sys
import eatlas
from eatlas.cli import main

results = eatlas.run("weat-6", measures="weat")
results.write("results.jsonl")
results.plot("forest"), eatlas.plot(results), eatlas.write_report(results, "report.html")
sys.argv = ["eatlas", "verify", "results.jsonl"]
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith({of_others!r})))
"""


def test_results_are_drawn_reported_and_verified_without_other_packages(tmp_path):
    code = CORE.format(of_others=OF_OTHERS)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("1 of 1 results are the same\n")
    assert done.stdout.endswith("\n\n")
