"""What a scan refuses, before any work, and what it takes for attributes."""

import numpy as np
import pytest
from tests.engine.scan.vocabularies import concepts, vocabulary

import eatlas
from eatlas import Concept
from eatlas.engine.scan.plan import find_attributes, make_scan
from eatlas.errors import EatlasError, SourceError, StimulusError

ALL = (["a0", "a1"], ["b0", "b1"])


class OnlySingleWords:
    """A source that answers, and cannot be read from end to end."""

    name, dim, fingerprint, notes = "asks", 6, "sha256:0", ()

    def lookup(self, keys):
        return {key: np.ones(6) for key in keys}


def test_attributes_of_a_test():
    (weat,) = eatlas.load_tests("weat-7")
    for spec in ("weat-7", weat, ["weat-7"]):
        found = find_attributes(spec)
        assert (found.test, found.title, found.citation) == ("weat-7", weat.title, weat.citation)
        assert found.concepts == {"A": weat.A, "B": weat.B}


@pytest.mark.parametrize("kind", [list, tuple, set, np.array])
def test_two_lists_of_words(kind):
    a, b = kind(["love", "peace", "joy"]), kind(["war", "pain"])
    found = find_attributes((a, b))
    assert found.test is None
    assert set(found.concepts["A"].terms) == {"love", "peace", "joy"}
    assert found.concepts["A"].name == ", ".join(found.concepts["A"].terms[:2]) + ", ..."
    assert found.concepts["B"].name == ", ".join(found.concepts["B"].terms)


def test_a_concept_and_a_list():
    found = find_attributes([Concept(name="Pleasant", terms=("love", "joy")), ["war", "pain"]])
    assert (found.concepts["A"].name, found.concepts["B"].name) == ("Pleasant", "war, pain")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "caliskan",
            "caliskan: a scan takes the attributes of one test, and they are words\n  got: weat-1, "
            "weat-2, weat-3, weat-4, weat-5, weat-6, weat-7, weat-8, weat-9, weat-10, of the kind "
            "association\n  allowed: a test of the kind association, with words as attributes A "
            "and B\n  remedy: name one of them; eatlas tests list shows the kind of each test",
        ),
        (
            (["love"], ["war"], ["tree"]),
            "a scan takes two groups of attributes\n  got: 3\n"
            "  allowed: a test, two concepts, or two lists of words",
        ),
        (
            (["love", "joy"], ["war", "joy", "love"]),
            "some attributes are on both sides, A and B\n  got: joy, love\n"
            "  allowed: words that are in one of the concepts only",
        ),
    ],
)
def test_attributes_that_are_not_usable(spec, message):
    with pytest.raises(StimulusError) as caught:
        make_scan("glove-sample", spec)
    assert str(caught.value) == message


def test_a_test_without_attributes(tmp_path):
    path = tmp_path / "groups.toml"
    path.write_text(
        "schema = 1\n[[test]]\nid = 'g'\nkind = 'groups'\nreference = { F = 0.5, M = 0.5 }\n"
        "targets = { name = 'Professions', terms = ['nurse', 'pilot'] }\n"
        "groups = [{ name = 'F', terms = ['she'] }, { name = 'M', terms = ['he'] }]\n"
    )
    with pytest.raises(StimulusError, match="got: g, of the kind groups"):
        make_scan("glove-sample", path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"measure": "ml-eat"},
            "a scan tests single words, and counts relabellings or inverts\n"
            "  got: ML-EAT(alpha=0.05,ddof=1,p=auto,tail=directional,threshold=0.2)\n"
            "  allowed: sc-eat, with parameters alpha and ddof",
        ),
        (
            {"measure": "sc-eat(strict=true)"},
            "a scan tests single words, and counts relabellings or inverts\n"
            "  got: SC-EAT(alpha=0.05,ddof=1,p=auto,strict=true)\n"
            "  allowed: sc-eat, with parameters alpha and ddof",
        ),
        (
            {"measure": "sc-eat(p=sampled)"},
            "a scan counts all relabellings of up to 32 attributes, and inverts beyond\n"
            "  got: SC-EAT(alpha=0.05,ddof=1,draws=100000,p=sampled) with 4 attributes\n"
            "  allowed: p=auto, which counts or inverts and states its error\n"
            "  remedy: eatlas run --measure takes the other p-values, for the words of a test",
        ),
        ({"seed": -1}, "seed is not usable\n  got: -1\n  allowed: a whole number from 0"),
        ({"first": 0}, "first is not usable\n  got: 0\n  allowed: a whole number from 1"),
        ({"first": 2.5}, "first is not usable\n  got: 2.5\n  allowed: a whole number from 1"),
        ({"top": -1}, "top is not usable\n  got: -1\n  allowed: a whole number from 0"),
        ({"top": True}, "top is not usable\n  got: True\n  allowed: a whole number from 0"),
        (
            {"bands": (100, 10)},
            "bands is not usable\n  got: (100, 10)\n"
            "  allowed: ascending whole numbers, such as 1000, 10000",
        ),
        (
            {"sort": "diference"},
            "sort is not usable\n  got: 'diference'\n  allowed: effect_size, difference, p",
        ),
        ({"case": "lower"}, "unknown case rule\n  got: 'lower'\n  allowed: auto or exact"),
        (
            {"out": "words.txt"},
            "--out words.txt: this kind of file is not known\n  got: .txt\n"
            "  allowed: .csv or .parquet",
        ),
    ],
)
def test_options_that_are_not_usable(options, message):
    with pytest.raises(EatlasError) as caught:
        eatlas.scan(vocabulary(), ALL, **options)
    assert str(caught.value) == message


def test_how_many_words_will_come():
    assert make_scan(vocabulary(), ALL).expected == 48
    assert make_scan(vocabulary(), ALL, first=10).expected == 10
    assert make_scan(vocabulary(), ALL, first=100).expected == 48
    transformed = eatlas.transformed(vocabulary(), "center")
    assert make_scan(transformed, ALL).expected == 48


def test_a_text_file_knows_by_its_first_line(tmp_path):
    lines = [f"{w} {i}.5 1 {-i}" for i, w in enumerate(["a0", "a1", "b0", "b1", "w0"])]
    path = tmp_path / "v.txt"
    path.write_text("\n".join(lines) + "\n")
    assert make_scan(path, ALL).expected is None
    assert make_scan(path, ALL, first=3).expected == 3
    path.write_text("\n".join(["5 3", *lines]) + "\n")
    assert make_scan(path, ALL).expected == 5


def test_a_source_that_lists_nothing():
    with pytest.raises(SourceError) as caught:
        eatlas.scan(OnlySingleWords(), ALL)
    assert str(caught.value) == (
        "asks: a scan tests every word, and this source cannot list its vectors\n"
        "  allowed: files and arrays, or a source that has iter_chunks()"
    )


def test_too_few_attributes_that_are_found():
    with pytest.raises(EatlasError) as caught:
        eatlas.scan(vocabulary(), (["a0", "a1"], ["b0", "c0", "c1"]))
    assert str(caught.value) == (
        "attributes B (b0, c0, ...): 1 of 3 terms have a usable vector in made\n"
        "  got: missing: c0 (not in made), c1 (not in made)\n"
        "  allowed: at least 2 usable terms on each side (their labels are permuted)\n"
        "  remedy: add terms that the source has, or use a source with more words"
    )
    with pytest.raises(EatlasError, match=r"attributes A \(a0\): 1 of 1 terms"):
        eatlas.scan(vocabulary(), (["a0"], ["b0", "b1"]))


def test_nothing_but_attributes():
    vectors = dict(zip("abcd", np.random.default_rng(0).normal(size=(4, 3)), strict=True))
    with pytest.raises(SourceError) as caught:
        eatlas.scan(vectors, (["a", "b"], ["c", "d"]))
    assert str(caught.value) == (
        "dict: there is no word to scan\n"
        "  got: 4 words, none with a usable vector that is not an attribute"
    )


def test_counts_of_many_attributes_are_not_promised():
    source, groups = vocabulary(8, 17, 17, 15), concepts(17, 17)
    with pytest.raises(EatlasError, match="got: .*p=exact.* with 34 attributes"):
        make_scan(source, groups, "sc-eat(p=exact)")
