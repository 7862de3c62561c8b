"""From terms to vectors: the case rule, and an account of every term."""

import numpy as np
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas import open_vectors
from eatlas.sources import embed
from eatlas.sources.coverage import spellings


def test_the_case_rule():
    assert spellings("eBoNy", "auto") == ("eBoNy", "ebony", "Ebony", "EBONY")
    assert spellings("ebony", "auto") == ("ebony", "Ebony", "EBONY")
    assert spellings("Ebony", "exact") == ("Ebony",)


def test_the_first_spelling_that_is_there_wins():
    test = make_test(X=("Iris", "lily"))
    vectors = make_vectors(test)
    del vectors["Iris"]
    vectors |= {"iris": vectors["lily"] + 1, "IRIS": vectors["lily"] + 2}
    embedded = embed(test, open_vectors(vectors))
    assert embedded.coverage.X.used == ("Iris", "lily")
    assert embedded.coverage.X.found_as == {"Iris": "iris"}
    np.testing.assert_array_equal(embedded.vectors["X"][0], vectors["iris"])


def test_exact_looks_no_further():
    test = make_test(X=("Iris", "lily", "rose"))
    vectors = make_vectors(test)
    vectors["iris"] = vectors.pop("Iris")
    coverage = embed(test, open_vectors(vectors), "exact").coverage
    assert coverage.X.missing == ("Iris",)
    assert coverage.X.reasons == {"Iris": "not in dict"}


def test_a_zero_vector_is_missing_with_that_reason(tiny, tiny_vectors):
    tiny_vectors["aster"] = np.zeros(5)
    coverage = embed(tiny, open_vectors(tiny_vectors)).coverage
    assert coverage.X.missing == ("aster",)
    assert "zero (norm 0)" in coverage.X.reasons["aster"]
    assert coverage.counts() == (15, 1)


def test_behind_a_zero_vector_the_next_spelling_is_tried(tiny, tiny_vectors):
    tiny_vectors |= {"aster": np.zeros(5), "Aster": np.ones(5)}
    coverage = embed(tiny, open_vectors(tiny_vectors)).coverage
    assert coverage.X.found_as == {"aster": "Aster"}


def test_two_terms_with_one_vector_are_reported():
    test = make_test(X=("Ebony", "iris"), Y=("ebony", "ant"))
    vectors = make_vectors(test)
    del vectors["Ebony"]
    notes = [str(note) for note in embed(test, open_vectors(vectors)).notes]
    assert "Ebony (X) and ebony (Y) have the same vector, ebony." in notes


def test_names_that_become_common_words_are_flagged():
    test = make_test(X=("Bill", "Rose", "Greg"))
    vectors = {key.lower(): row for key, row in make_vectors(test).items()}
    (note,) = [n for n in map(str, embed(test, open_vectors(vectors)).notes) if "common words" in n]
    assert "Bill, Rose;" in note
    vectors["Bill"] = vectors["bill"]
    (note,) = [n for n in map(str, embed(test, open_vectors(vectors)).notes) if "common words" in n]
    assert ": Rose;" in note


def test_fewer_than_eight_terms_are_remarked(tiny, tiny_vectors):
    notes = [str(note) for note in embed(tiny, open_vectors(tiny_vectors)).notes]
    assert any(
        "Few usable terms in X (4), Y (4), A (4), B (4): the papers recommend" in n for n in notes
    )


def test_the_hash_of_the_vectors_ignores_the_order_of_terms(tiny, tiny_vectors):
    one = embed(tiny, open_vectors(tiny_vectors))
    again = make_test(X=tiny.X.terms[::-1])
    assert embed(again, open_vectors(tiny_vectors)).sha256 == one.sha256
    tiny_vectors["aster"] = tiny_vectors["aster"] * 2
    assert embed(tiny, open_vectors(tiny_vectors)).sha256 != one.sha256


def test_terms_of_one_vector_under_several_spellings_are_reported():
    test = make_test()
    vectors = make_vectors(test)
    first, second = test.X.terms[0], test.Y.terms[0]
    vectors[second] = vectors[first].copy()
    notes = [str(note) for note in embed(test, open_vectors(vectors)).notes]
    assert (
        f"{first} (X) and {second} (Y) have the same vector under 2 spellings: the source does not "
        "distinguish them." in notes
    )


def test_words_are_looked_up_by_the_rules_of_their_language():
    test = make_test(X=("IŞIK", "gül"), Y=("l'eau", "new york")).model_copy(
        update={"language": "tr"}
    )
    vectors = make_vectors(test)
    names = {"IŞIK": "ışık", "gül": "gu\u0308l", "l'eau": "l’eau", "new york": "/c/tr/new_york"}
    vectors = {names.get(key, key): row for key, row in vectors.items()}
    coverage = embed(test, open_vectors(vectors)).coverage
    assert coverage.X.found_as | coverage.Y.found_as == names


def test_english_words_are_no_concern_of_another_language():
    test = make_test(X=("Rose", "Bill")).model_copy(update={"language": "de"})
    vectors = {key.lower(): row for key, row in make_vectors(test).items()}
    assert not any("common words" in str(note) for note in embed(test, open_vectors(vectors)).notes)
    german = test.model_copy(update={"id": "german"})
    result = eatlas.run(german, lambda texts: np.ones((len(texts), 3)) + np.eye(len(texts), 3))[0]
    assert result.frequency_reason.startswith("the available ranks are of English")
    assert result.provenance.language == result.to_test().language == "de"
