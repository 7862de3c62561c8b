"""What a scan refuses, before any work, and what it takes for attributes."""

import numpy as np
import pytest
from tests.scan.vocabularies import concepts, vocabulary

import eatlas
from eatlas import Concept
from eatlas.errors import EatlasError, SourceError
from eatlas_vocabulary.engine.groups import find_attributes
from eatlas_vocabulary.engine.scan import make_scan

ALL = (["a0", "a1"], ["b0", "b1"])


class OnlySingleWords:
    """A source that answers, and cannot be read from end to end."""

    name, dim, fingerprint, notes = "asks", 6, "sha256:0", ()

    def lookup(self, keys):
        return {key: np.ones(6) for key in keys}


def test_attributes_of_a_test():
    (weat,) = eatlas.load_tests("weat-7")
    for spec in ("weat-7", weat, ["weat-7"]):
        assert find_attributes(spec) == (weat, {"A": weat.A, "B": weat.B})
    head = make_scan("glove-sample", weat).head
    assert (head["test"], head["title"]) == ("weat-7", weat.title)
    assert head["provenance"].citation == weat.citation


@pytest.mark.parametrize("kind", [list, tuple, set, np.array])
def test_two_lists_of_words(kind):
    a, b = kind(["love", "peace", "joy"]), kind(["war", "pain"])
    test, concepts = find_attributes((a, b))
    assert test is None
    assert set(concepts["A"].terms) == {"love", "peace", "joy"}
    assert concepts["A"].name == ", ".join(concepts["A"].terms[:2]) + ", ..."
    assert concepts["B"].name == ", ".join(concepts["B"].terms)


def test_a_concept_and_a_list():
    _, concepts = find_attributes(
        [Concept(name="Pleasant", terms=("love", "joy")), ["war", "pain"]]
    )
    assert (concepts["A"].name, concepts["B"].name) == ("Pleasant", "war, pain")


GROUPS = eatlas.GroupsTest(
    id="g", targets=["nurse"], groups={"F": ["she"], "M": ["he"]}, reference="uniform"
)


@pytest.mark.parametrize(
    ("attributes", "options", "what", "got"),
    [
        ("caliskan", {}, "takes the attributes of one test", "weat-1, weat-2"),
        (GROUPS, {}, "takes the attributes of one test", "g, of the kind groups"),
        ((["love"], ["war"], ["tree"]), {}, "takes two groups of attributes", "3"),
        ((["a0", "b0"], ["b0", "a0"]), {}, "attributes are in both groups", "a0, b0"),
        ((["a0", "a1"], ["b0", "c0"]), {}, "attributes B (b0, c0): 1 of 2 words", "missing: c0"),
        ((["a0"], ["b0", "b1"]), {}, "attributes A (a0): 1 of 1 words", "a0"),
        (ALL, {"measure": "ml-eat"}, "a scan tests single words", "ML-EAT"),
        (ALL, {"measure": "sc-eat(strict=true)"}, "a scan tests single words", "SC-EAT"),
        (ALL, {"measure": "sc-eat(p=sampled)"}, "a scan counts all", "with 4 attributes"),
        (ALL, {"seed": -1}, "seed is not usable", "-1"),
        (ALL, {"first": 0}, "first is not usable", "0"),
        (ALL, {"first": 2.5}, "first is not usable", "2.5"),
        (ALL, {"top": -1}, "top is not usable", "-1"),
        (ALL, {"top": True}, "top is not usable", "True"),
        (ALL, {"bands": (100, 10)}, "bands is not usable", "(100, 10)"),
        (ALL, {"sort": "diference"}, "sort is not usable", "'diference'"),
        (ALL, {"case": "lower"}, "unknown case rule", "'lower'"),
        (ALL, {"out": "words.txt"}, "words.txt: all words of a scan cannot be written", ".txt"),
    ],
)
def test_what_is_not_usable(attributes, options, what, got):
    with pytest.raises(EatlasError) as caught:
        eatlas.scan(vocabulary(), attributes, **options)
    assert what in caught.value.what
    assert caught.value.got.startswith(got) or got in caught.value.got
    assert caught.value.allowed


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
    with pytest.raises(SourceError, match="a scan tests every word, and this source cannot list"):
        eatlas.scan(OnlySingleWords(), ALL)


def test_nothing_but_attributes():
    vectors = dict(zip("abcd", np.random.default_rng(0).normal(size=(4, 3)), strict=True))
    with pytest.raises(SourceError, match="dict: there is no word to scan in this source"):
        eatlas.scan(vectors, (["a", "b"], ["c", "d"]))


def test_counts_of_many_attributes_are_not_promised():
    source, groups = vocabulary(8, 17, 17, 15), concepts(17, 17)
    with pytest.raises(EatlasError, match="got: .*p=exact.* with 34 attributes"):
        make_scan(source, groups, "sc-eat(p=exact)")
