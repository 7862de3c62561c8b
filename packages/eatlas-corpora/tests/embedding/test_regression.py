"""Embedding regression over a corpus: loops of plain Python, a planted change, bad input."""

import json

import jsonschema
import numpy as np
import pytest
from tests.embedding.test_embed import WINDOW, contexts_of, corpus, documents, vectors

import eatlas
from eatlas.errors import EatlasError
from eatlas.results.parts import schema_of
from eatlas_corpora.results.embedding_regression import EmbeddingRegression
from eatlas_corpora.stats.local import transformation

pytestmark = pytest.mark.filterwarnings("ignore:The transformation fits")  # random vectors
__all__ = ["corpus", "documents", "vectors"]


def regress(corpus, vectors, terms=("ivy", "ant"), covariates=("party", "year"), **options):
    options = {"window": WINDOW, "permutations": 99, **options}
    return eatlas.embedding_regression(corpus, terms, vectors, covariates, **options)


def test_coefficients_are_those_of_a_loop(corpus, documents, vectors, tmp_path):
    out = tmp_path / "r.json"
    result = regress(corpus, vectors, out=out)
    every = list(contexts_of(documents, vectors))
    means = np.array([np.mean([v for _, w, v in every if w == word], axis=0) for word in vectors])
    counts = np.array([sum(w == word for _, w, _ in every) for word in vectors])
    matrix, _, _ = transformation(means, counts, np.array([*vectors.values()], float))
    own = {
        n: [v for k, w, v in every if (k, w) == (n, "ivy")]
        for n in dict.fromkeys(n for n, w, _ in every if w == "ivy")
    }
    y = np.array([np.mean(each, axis=0) for each in own.values()]) @ matrix
    years = np.array([row["year"] for row in documents], float)
    x = [
        [1, documents[n]["party"] == "b", (documents[n]["year"] - years.mean()) / years.std()]
        for n in own
    ]
    fitted = np.linalg.lstsq(np.array(x, float), y, rcond=None)[0]
    term = result.terms[0]
    assert (term.units, term.observations) == (len(own), len(own))
    assert term.contexts == sum(map(len, own.values()))
    party, year = term.coefficients
    assert (party.field, party.value, party.against) == ("party", "b", "a")
    assert (year.value, year.against) == ("1992", "1990")
    squares = np.square(fitted[1:]).sum(axis=1)
    assert [party.squared_norm, year.squared_norm] == pytest.approx(squares.tolist(), rel=1e-4)
    assert party.debiased == pytest.approx(party.squared_norm - party.bias)
    profile = next(p for p in term.profiles if p.value == "b")
    vector = np.array([1, 1, np.mean([row[2] for row in x])]) @ fitted
    cosines = {
        w: v @ vector / np.linalg.norm(v) / np.linalg.norm(vector)
        for w, v in vectors.items()
        if w.isalpha() and w != "ivy"
    }
    nearest = sorted(cosines, key=cosines.get, reverse=True)
    assert [n.word for n in profile.neighbours] == nearest[:10]
    assert profile.neighbours[0].cosine == pytest.approx(cosines[nearest[0]], abs=1e-4)
    written = json.loads(out.read_text())
    jsonschema.Draft202012Validator(schema_of(EmbeddingRegression, "Regression")).validate(written)
    assert EmbeddingRegression.from_dict(written) == result == regress(corpus, vectors)
    assert len(result.to_frame()) == 4
    assert set(result.ratios().word) <= set(result.neighbours().word)


GONE = [*"p" * 40, *"q" * 36, *"r" * 4, *[None] * 40]
"""Values of a field that some documents lack, and that few have."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory, vectors):
    """Speeches in which one party uses a word beside other words; `same` is used alike."""
    rng = np.random.default_rng(3)
    words = [word for word in vectors if word.startswith("w")]
    lines = []
    for i in range(120):
        party = "ab"[i % 2]
        text = rng.choice(words, 150).tolist()
        near_ivy = words[:6] if party == "a" else words[6:12]
        for term, near, first in (("ivy", near_ivy, 5), ("ant", words, 75)):
            for place in rng.choice(np.arange(first, first + 70, 10), 3, replace=False):
                text[place - 3 : place + 4] = rng.choice(near, 7).tolist()
                text[place] = term
        row = {"text": " ".join(text), "party": party, "n": i, "one": "x", "id": f"no. {i}"}
        row |= {"gone": GONE[i], "who": f"s{i // 3}", "year": 1990 + i % 3, "both": party.upper()}
        lines.append(json.dumps(row))
    path = tmp_path_factory.mktemp("planted") / "speeches.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_units_and_references(planted, vectors):
    options = {"unit": "who", "covariates": ["party", "year"], "reference": {"year": "1991"}}
    result = regress(planted, vectors, "ivy", **options)
    (term,) = result.terms
    assert (term.units, term.observations, term.contexts) == (40, 120, 360)
    pairs = [(c.field, c.value, c.against) for c in term.coefficients]
    assert pairs == [("party", "b", "a"), ("year", "1990", "1991"), ("year", "1992", "1991")]
    assert term.coefficients[0].p == 0.01
    assert "unit=who" in result.signature


def test_a_planted_change_is_found_and_only_it(planted, vectors):
    ivy, ant = regress(planted, vectors, covariates=["party", "n"]).terms
    assert (ivy.coefficients[0].p, ivy.coefficients[0].interval[0] > 0) == (0.01, True)
    others = [ivy.coefficients[1], *ant.coefficients]
    assert min(c.p for c in others) > 0.05
    assert ivy.coefficients[0].debiased > 5 * max(abs(c.debiased) for c in others)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"covariates": ["party", "partei"]},
            "no document has all(?s:.*)120 documents without partei",
        ),
        ({"covariates": "one"}, r"'one' has one value(?s:.*)leave it out"),
        ({"covariates": "id"}, r"too many values(?s:.*)120: no. 0(?s:.*)at most 50"),
        ({"covariates": ["party", "both"]}, "combinations of each other"),
        ({"terms": "elm"}, "elm: it never occurs"),
        ({"terms": ()}, "no name is given"),
        ({"reference": {"partei": "a"}}, "did you mean party"),
        ({"reference": {"party": "c"}}, "no document has party=c"),
        ({"unit": "one"}, "too few"),
        ({"permutations": 9}, "permutations"),
        ({"seed": -1}, "seed"),
        ({"terms": "iv*"}, r"'iv\*' is a wildcard"),
    ],
)
def test_what_is_refused(planted, vectors, options, says):
    options = {"covariates": ["party"], **options}
    with pytest.raises(EatlasError, match=says):
        regress(planted, vectors, **options)


def test_documents_and_terms_that_are_left_out(planted, vectors):
    with pytest.warns(eatlas.EatlasWarning, match="1 of 2 terms never occur"):
        result = regress(planted, vectors, ["ivy", "elm"], ["gone"])
    assert result.missing == {"elm": "it never occurs"}
    assert (result.documents, result.outside) == (80, {"without gone": 40})
    assert result.covariates[0].documents == {"p": 40, "q": 36, "r": 4}
    (term,) = result.terms
    assert (term.units, term.left_out) == (76, {"gone=r": 4})
    assert "ivy" not in {n.word for p in term.profiles for n in p.neighbours}
