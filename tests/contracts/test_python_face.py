"""What people type first in Python: four lists, one number, a file, a word of a source."""

import pytest

import eatlas
from eatlas.errors import ResultsError, StimulusError

LISTS = {
    "Engineers": ["engineer", "programmer"],
    "Nurses": ["nurse", "doctor"],
    "Male": ["he", "man"],
    "Female": ["she", "woman"],
}


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-6", "weat-7"])


def test_four_lists_are_a_test():
    (result,) = eatlas.run(LISTS)
    assert result.test == "engineers-nurses-male-female"
    (full,) = eatlas.run(
        eatlas.AssociationTest(
            id="other",
            **{
                role: eatlas.Concept(name=name, terms=terms)
                for role, (name, terms) in zip("XYAB", LISTS.items(), strict=True)
            },
        )
    )
    assert result.value == full.value
    assert result.provenance.stimuli_sha256 == full.provenance.stimuli_sha256


def test_lists_by_role_and_lists_alone():
    roles = dict(zip("XYAB", LISTS.values(), strict=True))
    (test,) = eatlas.load_tests(roles)
    assert test == eatlas.AssociationTest(**roles)
    assert [one.name for one in test.concepts.values()] == ["X", "Y", "A", "B"]
    named = eatlas.AssociationTest(
        **{r: {n: t} for r, (n, t) in zip("XYAB", LISTS.items(), strict=True)}
    )
    assert named == eatlas.AssociationTest.of_lists(LISTS)
    assert eatlas.AssociationTest.of_lists(LISTS, id="mine").id == "mine"


def test_groups_from_lists():
    test = eatlas.GroupsTest(
        targets=["nurse", "engineer"],
        groups={"Female": ["she"], "Male": ["he"]},
        reference="uniform",
    )
    assert (test.id, test.targets.name) == ("targets-female-male", "Targets")
    assert [one.terms for one in test.groups] == [("she",), ("he",)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"A": ["a"], "B": ["b"]},
            "an association test has four lists of terms\n  got: 2: 'A', 'B'",
        ),
        ({**LISTS, "Male": ["he", "he"]}, "duplicate terms 'he'; each term may occur once"),
        ({**LISTS, "Male": "he"}, "argument A.terms: input should be a valid list, got 'he'"),
        ({**LISTS, "Female": ["he"]}, "the term 'he' is on both sides, A and B"),
    ],
)
def test_lists_that_are_no_test(given, said):
    with pytest.raises(StimulusError) as caught:
        eatlas.run(given)
    assert said in str(caught.value)


def test_a_file_names_its_id():
    """In Python the id follows from the names; a file has to state it."""
    from eatlas.stimuli.reading import parse_battery

    with pytest.raises(StimulusError, match="key id: this key is required"):
        parse_battery(b"schema = 1\n[[test]]\nX = 1\n", "t.toml", "t")


def test_a_test_saves_itself(tmp_path):
    (test,) = eatlas.load_tests(LISTS)
    test.save(tmp_path / "mine.toml")
    assert eatlas.load_tests(tmp_path / "mine.toml") == (test,)
    with pytest.raises(StimulusError, match=r"mine.csv: tests can only be written as TOML"):
        test.save(tmp_path / "mine.csv")
    with pytest.raises(ResultsError, match="cannot be written"):
        test.save(tmp_path / "mine.toml" / "in.toml")


def test_a_result_has_a_number_a_p_value_and_a_picture(results):
    level1 = results["weat-6"].effects()[0]
    assert (results["weat-6"].value, results["weat-6"].p) == (level1.d, level1.p_of())
    assert (
        results["weat-6"].plot().alt.startswith("EAT-Map by the paper's rule, pattern BY-Singular")
    )
    assert "weat-7" in results.plot().svg


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.jsonl", '{"schema"'),
        ("r.html", "<!doctype html>"),
        ("r.csv", "test,"),
        ("r.tex", "%"),
        ("r.md", "**"),
    ],
)
def test_results_are_saved_by_the_name_of_the_file(results, tmp_path, name, begins):
    results.save(tmp_path / name)
    assert (tmp_path / name).read_text().lower().startswith(begins)
    with pytest.raises(ResultsError, match=r"allowed: \.jsonl, \.html"):
        results.save(tmp_path / "r.odt")


def test_the_list_of_tests():
    frame = eatlas.tests()
    assert frame.loc["weat-6", "terms"] == "8, 8, 8, 8"
    assert {"caliskan", "divdist", "kurita"} <= set(frame["battery"])
    assert set(eatlas.tests("caliskan").index) == {one.id for one in eatlas.load_tests("caliskan")}
    with pytest.raises(StimulusError, match="there is no test or battery 'caliskn'"):
        eatlas.tests("caliskn")


def test_a_source_is_read_like_a_dictionary():
    vectors = eatlas.open_vectors("glove-sample")
    assert (len(vectors), next(iter(vectors))) == (10_496, "the")
    assert "king" in vectors
    assert "no such word" not in vectors
    assert 5 not in vectors
    assert vectors["king"].tolist() == vectors.lookup(["king"])["king"].tolist()
    with pytest.raises(KeyError, match="glove-sample has no vector of 'no such word'"):
        vectors["no such word"]
    with pytest.raises(KeyError):
        vectors[0]


def test_a_source_that_encodes_has_no_list():
    encoder = eatlas.open_vectors(lambda texts: [[len(one), 1.0] for one in texts])
    assert encoder["four"].tolist() == [4.0, 1.0]
    assert encoder
    with pytest.raises(TypeError, match="has no list of words"):
        len(encoder)
    with pytest.raises(TypeError, match="has no list of words"):
        iter(encoder)


def test_names_are_short():
    (test,) = eatlas.load_tests("weat-6")
    assert repr(test) == (
        "<AssociationTest weat-6: Male names/Female names, Career/Family (8, 8, 8, 8 terms)>"
    )
    assert str(test.X) == "<Concept Male names: 8 terms, John, Paul, Mike, Kevin, ...>"
    assert repr(eatlas.open_vectors("glove-sample")) == (
        "<ArraySource glove-sample (10,496 words, 100 dimensions)>"
    )
    assert dir(eatlas) == sorted(eatlas.__all__)


def test_a_misspelt_chart(results):
    with pytest.raises(ResultsError, match=r"no such kind of drawing; did you mean forest\?"):
        results.plot("forrest")
