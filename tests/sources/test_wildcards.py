"""Terms such as nurs*: the words of a source take their place, once, by stated rules."""

from fnmatch import fnmatchcase

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.engine.verify import verify
from eatlas.errors import StimulusError
from eatlas.sources import embed, open_vectors
from eatlas.sources.wildcards import MOST, expand
from eatlas.stimuli import to_toml
from eatlas.stimuli.sentences import sentence_tests


def source_of(words):
    rng = np.random.default_rng(5)
    return open_vectors({word: rng.normal(size=6) for word in words})


def expanded(test, words, case="auto"):
    return expand([test], source_of(words), "vectors", case)[0]


WORDS = [
    "nurse", "nurses", "nursing", "Nurse", "norse", "rose", "roses", "he", "her", "hero", "love", "ant",
]  # fmt: skip


def test_words_take_the_place_of_patterns_as_fnmatch_finds_them():
    patterns = ("nurs*", "?ose", "n?rse", "*ing", "ro*s", "h*", "qq*")
    for pattern in patterns:
        test = expanded(make_test(X=(pattern, "lily")), WORDS)
        words = sorted(word for word in WORDS if fnmatchcase(word, pattern))
        assert test.X.terms == (*words, "lily")
        assert test.X.wildcard_of == dict.fromkeys(words, pattern)
    assert test.X.absent == (("qq*", "no word of dict matches it"),)


def test_the_longest_pattern_has_a_word_and_a_written_word_is_no_patterns():
    terms = ("nurs*", "nurse*", "nursing")
    test = expanded(make_test(X=terms), WORDS)
    assert test.X.wildcard_of == dict.fromkeys(("nurse", "nurses"), "nurse*")
    assert test.X.absent == (("nurs*", "its words are those of other terms"),)
    turned = expanded(make_test(X=terms[::-1]), WORDS[::-1])
    assert turned.X.wildcards == test.X.wildcards
    # the hash is that of the test as it is written, for all sources
    assert test.stimuli_sha256 == turned.stimuli_sha256 == make_test(X=terms).stimuli_sha256


def test_a_word_of_two_sides_is_left_out_of_both_unless_one_has_it_written():
    test = expanded(make_test(X=("he*", "iris"), Y=("her*", "ant"), A=("her*", "love")), WORDS)
    assert test.X.terms == ("he", "iris")
    assert dict(test.X.absent)["her"] == "also in Insects"
    assert test.Y.terms == ("ant",)
    assert test.A.terms == ("her", "hero", "love")  # attributes are opposed to attributes
    test = expanded(make_test(X=("he*", "iris"), Y=("her", "ant")), WORDS)
    assert test.X.terms == ("he", "hero", "iris")
    assert test.Y.terms == ("her", "ant")
    test = expanded(make_test(X=("he", "her*", "iris")), WORDS)
    assert test.X.terms == ("he", "her", "hero", "iris")


def test_the_case_rule_is_that_of_words():
    assert expanded(make_test(X=("Nurs*", "lily")), WORDS).X.terms == ("Nurse", "lily")
    assert expanded(make_test(X=("NURS*", "lily")), WORDS).X.terms[0] == "nurse"
    assert expanded(make_test(X=("NURS*", "lily")), WORDS, "exact").X.terms == ("lily",)


def test_the_case_rule_is_that_of_the_language():
    words = ["ısı", "ısıtma", "isim"]
    for language, found in (("tr", ["ısı", "ısıtma"]), ("", ["isim"])):
        test = make_test(X=("IS*", "lily")).model_copy(update={"language": language})
        assert list(expanded(test, words).X.wildcard_of) == found


def test_signs_without_letters_and_texts_with_spaces_are_taken_as_written():
    terms = ("*", "??", "Who is she?", "lily")
    assert expanded(make_test(X=terms), [*WORDS, "**"]).X.terms == terms
    embedded = embed(make_test(X=terms), source_of([*WORDS, "*"]))
    assert embedded.coverage.X.used == ("*",)


def test_a_group_whose_patterns_match_nothing_names_them():
    with pytest.raises(eatlas.errors.CoverageError, match=r"(?s)group X.*zz\*.*qq\*"):
        eatlas.MLEAT()(make_test(X=("zz*", "qq*")), "glove-sample")


def test_a_pattern_of_too_many_words_is_refused():
    words = [f"a{number}" for number in range(MOST + 1)]
    (test,) = expand([make_test(X=("a*", "lily"))], source_of(words[1:]))
    assert len(test.X.terms) == MOST + 1
    with pytest.raises(StimulusError, match=r"'a\*' matches more than 1,000 words of dict"):
        expanded(make_test(X=("a*", "lily")), words)


@pytest.fixture(scope="module")
def measured():
    test = eatlas.AssociationTest(
        id="wild",
        X={"Care": ["nurs*", "librari*", "zzzzq*", "teacher"]},
        Y={"Tech": ["engineer*", "mechan*"]},
        A={"Male": ["he", "him", "man", "men"]},
        B={"Female": ["she", "her", "wom?n"]},
    )
    return test, eatlas.run(tests=test, vectors="glove-sample")


def test_a_run_is_that_of_the_words_and_its_result_has_the_patterns(measured):
    test, results = measured
    (result,) = results
    words = {role: group.used for role, group in result.coverage.items()}
    assert words["X"] == ("nurse", "nurses", "nursing", "librarian", "libraries", "teacher")
    plain = eatlas.run(tests=eatlas.AssociationTest(**words), vectors="glove-sample")[0]
    assert (result.d, result.p) == (plain.d, plain.p)
    assert eatlas.MLEAT()(test, "glove-sample") == result
    assert result.coverage.B.wildcard == {"woman": "wom?n", "women": "wom?n"}
    assert result.coverage.X.reasons == {"zzzzq*": "no word of glove-sample matches it"}
    assert "stimuli.wildcards" in {note.code for note in result.warnings}
    assert result.to_test().concepts == test.concepts | {"X": result.to_test().X}
    assert set(result.to_test().X.terms) == set(test.X.terms)


def test_verify_expands_again(measured, tmp_path):
    _, results = measured
    assert [verdict.status for verdict in verify(results)] == ["same"]
    coverage = results[0].coverage
    group = coverage.X
    less = group.model_copy(update={"used": group.used[1:]})
    forged = coverage.model_copy(update={"root": {**coverage.root, "X": less}})
    (verdict,) = verify([results[0].model_copy(update={"coverage": forged})])
    assert verdict.status == "differs"
    assert "coverage.X.used" in " ".join(verdict.details)


def test_measures_of_groups_take_patterns_as_targets_and_as_expected(measured):
    test, _ = measured
    results = eatlas.run(tests=test, measures=["generalised-weat", "divdist(resamples=0)"])
    weat, shares = results
    assert weat.expected["Male"] == (
        "nurse",
        "nurses",
        "nursing",
        "librarian",
        "libraries",
        "teacher",
    )
    assert "nursing" in {target.term for target in shares.targets} | {t.term for t in weat.targets}
    assert {verdict.status for verdict in verify(results)} == {"same"}


def test_each_period_of_a_series_has_its_own_words(tmp_path):
    test = make_test(X=("ros*", "lily"))
    terms = [term for term in test.terms if "*" not in term]
    for year, more in ((1900, ["rose"]), (1950, ["rose", "roses"])):
        rng = np.random.default_rng(year)
        lines = [f"{w} {' '.join(f'{x:.4f}' for x in rng.normal(size=5))}" for w in [*terms, *more]]
        (tmp_path / f"{year}.txt").write_text("\n".join(lines) + "\n")
    results = eatlas.run(tests=test, vectors=tmp_path, measures="weat")
    assert [result.coverage.X.used for result in results] == [
        ("rose", "lily"), ("rose", "roses", "lily"),
    ]  # fmt: skip
    verdicts = verify(results)
    assert {verdict.status for verdict in verdicts} == {"same"}, verdicts


def test_where_nothing_lists_words_the_error_names_the_way(tmp_path):
    test = make_test(X=("nurs*", "lily"))
    encoder = {"mine": lambda texts: np.ones((len(texts), 3))}
    with pytest.raises(StimulusError) as error:
        eatlas.run(tests=test, vectors=encoder)
    assert "group X" in error.value.what
    assert "<lambda> lists no words" in error.value.what
    assert "--vectors SOURCE" in error.value.remedy
    text = tmp_path / "text.txt"
    text.write_text("A nurse.")
    with pytest.raises(StimulusError, match="a text is read for words"):
        eatlas.find_contexts(text, test)
    with pytest.raises(StimulusError, match="covariates are of words"):
        eatlas.run(tests=test, covariates={"age": {"nurse": 1}})
    with pytest.raises(StimulusError, match="sentences are made of words"):
        sentence_tests([test], classes="thing")
    with pytest.raises(StimulusError, match="their number is not known"):
        eatlas.power(test)
    with pytest.raises(StimulusError, match="taken as they are written here"):
        embed(test, source_of(WORDS))


def test_the_words_are_written_to_a_file_that_an_encoder_takes():
    test = expanded(make_test(X=("nurs*", "lily"), Y=("nursi*", "ant")), WORDS)
    text = to_toml([test])
    assert 'terms = ["nurse", "nurses", "lily"]' in text
    assert "nursing" in text  # absent, with the reason
