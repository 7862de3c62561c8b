"""Other packages add readers, contexts, formats and openers of objects; the engine knows none."""

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.contracts.test_plugins import install

import eatlas
from eatlas import plugins
from eatlas.engine import open_contexts, reader_of
from eatlas.errors import ContractError
from eatlas.sources import open_sources

MODULE = """
import hashlib
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from eatlas import ArraySource
from eatlas.engine import Lookup, Reader, require_terms
from eatlas.errors import SourceError
from eatlas.measures import AssociationMeasure
from eatlas.measures.base import Needs
from eatlas.results import AssociationResult
from eatlas.results.parts import Coverage, GroupCoverage


@dataclass(frozen=True)
class Norms:
    name: str
    values: dict
    fingerprint: str = "norms:1"


class NormsReader(Reader):
    name = "norms of words"
    counted = "words of"

    def open(self, spec):
        if not isinstance(spec, str) or not spec.startswith("norms:"):
            raise SourceError(f"{spec}: these are no norms", allowed="norms:NAME")
        return (Norms(spec, {"ivy": 6.1, "rose": 7.5, "ant": 3.2, "wasp": 2.1, "love": 8, "war": 1}),)

    def look_up(self, measure, test, source, case):
        groups, values = {}, {}
        for role, concept in test.concepts.items():
            used = tuple(term for term in concept.terms if term in source.values)
            missing = tuple(term for term in concept.terms if term not in used)
            why = dict.fromkeys(missing, "without a norm")
            groups[role] = GroupCoverage(used=used, missing=missing, reasons=why)
            values[role] = np.array([[source.values[term]] for term in used])
        coverage = Coverage(groups)
        require_terms(measure, test, coverage, source.name, "norm", "rate more words")
        numbers = repr({role: rows.tolist() for role, rows in values.items()})
        measured = hashlib.sha256(numbers.encode()).hexdigest()
        return Lookup({"coverage": coverage, "asked": values}, measured, {}, ("Norms of six words.",))


class ValenceResult(AssociationResult):
    measure: Literal["valence"] = "valence"
    value: float


@dataclass(frozen=True)
class Valence(AssociationMeasure):
    name: ClassVar[str] = "valence"
    minimum: ClassVar = {"X": 1, "Y": 1}

    @property
    def needs(self):
        return Needs(source="norms")

    def compute(self, given, notes):
        x, y = (given.asked[role].mean() for role in "XY")
        return ValenceResult(**given.head, value=float(x - y))


def open_layers(path, options, name):
    layers = {"first": 1.0, "second": 2.0}
    wanted = [options["member"]] if "member" in options else [*layers]
    words = ["ivy", "rose", "ant", "wasp", "love", "peace", "war", "hate"]
    rows = np.eye(8)
    return tuple(
        ArraySource(words, rows * layers[layer] + 0.1, name=f"{name.partition('#')[0]}#{layer}")
        for layer in wanted
    )


class Card:
    pass


def open_card(card):
    return ArraySource(["ivy", "ant"], np.eye(2), name="card")


def other(*arguments):
    raise AssertionError("an entry point took the place of what eatlas brings")
"""
ENTRY_POINTS = """
[eatlas.measures]
valence = my_norms:Valence
[eatlas.records]
valence = my_norms:ValenceResult
[eatlas.readers]
norms = my_norms:NormsReader
vectors = my_norms:other
counts = my_norms:other
[eatlas.formats]
layers = my_norms:open_layers
[eatlas.objects]
my_norms.Card = my_norms:open_card
[eatlas.schemes]
https = my_norms:other
"""
GROUPS = {"X": ["ivy", "rose"], "Y": ["ant", "wasp"], "A": ["love"], "B": ["war"]}


@pytest.fixture
def beside(tmp_path):
    """Run Python beside a package that adds all of this."""
    install(tmp_path, "my-norms", ENTRY_POINTS)
    (tmp_path / "my_norms.py").write_text(MODULE, encoding="utf-8")
    head = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport eatlas\n"
    head += f"groups = {GROUPS!r}\n"
    head += "concepts = {role: {'name': role, 'terms': words} for role, words in groups.items()}\n"
    head += "test = eatlas.AssociationTest(id='tiny', **concepts)\n"

    def run(code):
        return subprocess.run(
            [sys.executable, "-c", head + code], cwd=tmp_path, capture_output=True, text=True
        )

    return run


def test_a_reader_reads_what_a_measure_of_its_package_needs(beside):
    done = beside(
        "(r,) = eatlas.run(test, 'norms:mine', 'valence')\n"
        "print(eatlas.results.to_json_line(r))\n"
        "from my_norms import Valence\n"
        "assert Valence()(test, 'norms:mine').value == r.value"
    )
    assert not done.returncode, done.stderr
    line = json.loads(done.stdout)
    assert (line["measure"], line["source"]) == ("valence", "norms:mine")
    assert line["value"] == pytest.approx(4.15)
    assert "Norms of six words." in done.stdout


def test_its_words_are_those_of_messages(beside):
    done = beside(
        "other = test.model_copy(update={'X': test.X.model_copy(update={'terms': ('oak',)})})\n"
        "for given, prompt in ((test, '{}'), (other, None)):\n"
        "    try: eatlas.run(given, 'norms:mine', 'valence', prompts=prompt)\n"
        "    except eatlas.EatlasError as error: print(error)\n"
        "eatlas.run(test, 'glove-sample', 'all')"
    )
    assert not done.returncode, done.stderr
    said = " ".join(done.stdout.split())
    assert "norms of words does not insert words into texts" in said
    assert "no term has a norm in norms:mine" in said
    assert "oak (without a norm)" in said
    assert "rate more words" in said
    assert "needs norms of words" in done.stderr


def test_no_reader_takes_the_place_of_one_of_eatlas(beside):
    done = beside(
        "from eatlas.engine import reader_of\n"
        "print(reader_of('vectors').name, reader_of('norms').name)"
    )
    assert (done.returncode, done.stdout) == (0, "vectors norms of words\n"), done.stderr


def test_a_format_has_several_sources_and_an_object_is_opened(beside, tmp_path):
    np.savez(tmp_path / "model.npz", eatlas_layers=np.array("{}"), rows=np.eye(2))
    done = beside(
        "from my_norms import Card\n"
        "groups = {'A': ['love', 'peace'], 'B': ['war', 'hate']}\n"
        "more = {g: eatlas.Concept(name=g, terms=w) for g, w in groups.items()}\n"
        "test = test.model_copy(update=more)\n"
        "for file in ('model.npz', 'model.npz#second'):\n"
        "    results = eatlas.run(test, file, 'weat', frequency='off')\n"
        "    print(*(result.source for result in results))\n"
        "print(eatlas.open_vectors(Card()).name)"
    )
    assert not done.returncode, done.stderr
    assert done.stdout.splitlines() == [
        "model.npz#first model.npz#second",
        "model.npz#second",
        "card",
    ]


class Twice:
    """Contexts of nobody's: the words themselves, in two sizes."""

    def first(self, per_term):
        return self

    def variants(self, tests, measures, windows=()):
        named = [tuple(t.model_copy(update={"id": f"{t.id}-{w}"}) for t in tests) for w in windows]
        return [(some, list(measures)) for some in named]


def test_contexts_of_any_kind_make_variants_of_tests_and_measures():
    results = eatlas.run(
        "weat-6", measures="weat", contexts=Twice(), windows=[1, 2], frequency="off"
    )
    assert [result.test for result in results] == ["weat-6-1", "weat-6-2"]


def test_what_is_in_a_package_that_is_not_installed_is_said(monkeypatch, tmp_path):
    adds = {"readers": ["counts"], "contexts": ["contexts"], "schemes": ["chat"]}
    adds |= {"formats": ["layers"], "associations": ["probe"]}
    monkeypatch.setattr(plugins, "entry_points_of", lambda _: [])
    monkeypatch.setattr(plugins, "siblings", lambda: {"corpora": adds})
    reader_of.cache_clear()
    np.savez(tmp_path / "model.npz", eatlas_layers=np.array("{}"))
    for name, ask in {
        "counts": lambda: reader_of("counts"),
        "contexts": lambda: open_contexts("contexts.jsonl"),
        "chat": lambda: open_sources("chat:http://localhost?model=any"),
        "layers": lambda: open_sources(tmp_path / "model.npz"),
        "probe": lambda: plugins.require_point("associations", "probe"),
    }.items():
        with pytest.raises(ContractError, match=f"^{name} is in the package eatlas-corpora, which"):
            ask()
    with pytest.raises(ContractError, match="no package that is installed adds nothing to eatlas"):
        reader_of("nothing")
