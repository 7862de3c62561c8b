"""LPBS over sentences of a corpus: by a loop, with pairs that have none, and its refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.measures.test_lpbs import Table, any_number, words

import eatlas
from eatlas import LPBS
from eatlas.engine.verify import verify
from eatlas.errors import CoverageError, EatlasError
from eatlas.present import report_html
from eatlas_corpora.reading import Context, Contexts, PairContext, Pairs
from eatlas_models.encoders.language import Answer
from eatlas_models.measures.lpbs import drop_incomplete

TINY = make_test(
    X=("rose", "ivy"), Y=("ant", "unlovely wasp"), A=("nice", "lovely"), B=("vile", "awful", "war")
)


def sentence(target, attribute, text):
    """Find both in a text, and where they stand."""
    t, a = (re.search(rf"\b{one}\b", text, re.IGNORECASE).span() for one in (target, attribute))
    return PairContext(target, attribute, text, *t, *a)


def some_pairs(test=TINY, without=()):
    """One to three sentences of each pair, the attribute in front in some."""
    rows = []
    for i, x in enumerate((*test.X.terms, *test.Y.terms)):
        for j, a in enumerate((*test.A.terms, *test.B.terms)):
            texts = [f"the {x} is {a} .", f"They like {a} and the {x}", f"{x.capitalize()}, {a}"]
            if (x, a) not in without:
                rows += [sentence(x, a, text) for text in texts[: 1 + (i + j) % 3]]
    return Pairs.of(rows, name="pairs.csv")


def test_a_whole_run_is_what_a_loop_over_sentences_finds():
    """M by one forward pass for each piece of each sentence."""
    import torch

    model, tokenizer = tiny.bert()
    pairs = some_pairs()
    source = eatlas.language_model(model, tokenizer, name="tiny")
    result = eatlas.run(tests=TINY, vectors=source, measures="lpbs", contexts=pairs)[0]

    def log_p(ids, masked, asked):
        ids = [tokenizer.mask_token_id if i in masked else one for i, one in enumerate(ids)]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0].double()
        return torch.log_softmax(logits[asked], -1)

    def log_ratio(one):
        cut = tokenizer(one.text, return_offsets_mapping=True)
        ids, spans = cut["input_ids"], cut["offset_mapping"]
        t, a = (
            [i for i, (b, e) in enumerate(spans) if b < e and b >= start and e <= end]
            for start, end in (one[3:5], one[5:7])
        )
        return sum(
            float(log_p(ids, set(t[i:]), at)[ids[at]] - log_p(ids, {*t[i:], *a}, at)[ids[at]])
            for i, at in enumerate(t)
        )

    expected = [
        [np.mean([log_ratio(one) for one in pairs.of_pair(x, a)]) for a in (*TINY.A.terms, *TINY.B.terms)]
        for x in (*TINY.X.terms, *TINY.Y.terms)
    ]  # fmt: skip
    m = np.array(expected)
    assert np.array(result.similarities) == pytest.approx(m, abs=5e-5)  # single precision
    s = m[:2].mean(axis=0) - m[2:].mean(axis=0)
    d = (s[:2].mean() - s[2:].mean()) / s.std(ddof=1)
    assert result.effect_size == pytest.approx(d, abs=5e-5)
    assert result.sentences[0] == (1, 2, 3, 1, 2)
    assert result.templates == ()
    assert "templates=pairs" in result.signature
    assert result.provenance.sentences_from == f"pairs.csv, SHA-256 {pairs.sha256}"
    origin = result.provenance.sentences_from
    said = f"Log-ratios come from {len(pairs)} sentences of {origin}: 1 to 3 for each pair."
    assert said in map(str, result.warnings)
    page = report_html([result])
    assert "in sentences of a corpus that contain both (1 to 3 of each pair)" in page
    assert result.provenance.contexts == pairs.origin


@pytest.mark.parametrize("per_term", [None, 1])
def test_a_result_is_verified_with_the_file_of_its_sentences(tmp_path, monkeypatch, per_term):
    model, tokenizer = tiny.bert()
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    some_pairs(without={("ivy", "awful")}).write(tmp_path / "pairs.csv")
    given = eatlas.load_pairs("pairs.csv")
    given = given if per_term is None else given.first(per_term)
    measures = ["lpbs(resamples=0)", "lpbs-ceat(n=20)"]
    results = eatlas.run(tests=TINY, vectors="hf:model", measures=measures, contexts=given)
    assert {one.provenance.contexts.per_term for one in results} == {per_term}
    assert [(one.status, one.details) for one in verify(results)] == [("same", ())] * 2
    (tmp_path / "pairs.csv").rename(tmp_path / "moved.csv")
    for verdict in verify(results):
        assert verdict.status == "not repeated"
        assert verdict.details[0].startswith(
            "the result does not contain its contexts, and their file was not found: pairs.csv, SHA-256 "
        )
    assert [one.status for one in verify(results, contexts=["moved.csv"])] == ["same"] * 2


def test_pairs_without_sentences_take_a_term_with_them():
    test = words(3, 2, 3, 2)
    holes = {("x0", a) for a in ("a0", "a1", "b0")} | {("y1", "a2")}
    result = LPBS(pairs=some_pairs(test, holes), resamples=0)(test, Table(any_number))
    assert result.coverage.X.reasons == {
        "x0": "no usable sentence in pairs.csv with 3 of 5 attributes"
    }
    # one hole is left, 1 of 4 cells of a2 and 1 of 5 of y1
    assert result.coverage.A.reasons == {
        "a2": "no usable sentence in pairs.csv with 1 of 4 targets"
    }
    assert result.coverage.Y.used == ("y0", "y1")
    assert np.isfinite(result.similarities).all()
    assert np.shape(result.similarities) == np.shape(result.sentences) == (4, 4)


@settings(max_examples=60)
@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=7)), st.randoms())
def test_what_is_left_is_whole_and_does_not_depend_on_the_order(there, random):
    names = [
        [f"{side}{i}" for i in range(count)] for side, count in zip("rc", there.shape, strict=True)
    ]
    gone = drop_incomplete(there, names)
    left = [
        [i for i in range(n) if (side, i) not in {dropped[:2] for dropped in gone}]
        for side, n in enumerate(there.shape)
    ]
    assert there[np.ix_(*left)].all()
    orders = [random.sample(range(n), n) for n in there.shape]
    named = [[names[side][i] for i in orders[side]] for side in (0, 1)]
    again = drop_incomplete(there[np.ix_(*orders)], named)
    assert [names[side][place] for side, place, _, _ in gone] == [
        names[side][orders[side][place]] for side, place, _, _ in again
    ]
    assert all(holes > 0 for _, _, holes, _ in gone)


def test_sentences_that_cannot_be_asked_about_are_left_out():
    def answer(question):
        if question.text.startswith("They"):
            return Answer(None, 1, fault="the tokenizer merges it", at="other")
        if question.other_stimulus == "b2":
            return Answer(None, 1, fault="the tokenizer does not know it", at="other")
        return any_number(question)

    test = words(2, 2, 2, 3)
    result = LPBS(pairs=some_pairs(test), resamples=0)(test, Table(answer))
    assert result.sentences[0] == (1, 1, 2, 1)
    assert result.coverage.B.reasons == {
        "b2": "no usable sentence in pairs.csv with 4 of 4 targets: the tokenizer merges it"
    }
    assert any("sentences are left out: the tokenizer" in one for one in map(str, result.warnings))


def test_sentences_that_are_too_long_are_left_out_and_counted():
    """By a model that takes 64 pieces."""
    model, tokenizer = tiny.bert()
    source = eatlas.language_model(model, tokenizer, name="tiny")
    rows = list(some_pairs())
    more = [
        sentence("ivy", "nice", f"the ivy is nice {k} and" + " nice" * 80) for k in ["the", "it"]
    ]
    rest = eatlas.run(tests=TINY, vectors=source, measures="lpbs", contexts=Pairs.of(rows))[0]
    (result,) = eatlas.run(
        tests=TINY, vectors=source, measures="lpbs", contexts=Pairs.of([*rows, *more])
    )
    assert result.similarities == rest.similarities
    assert result.sentences == rest.sentences
    assert ("2 sentences are left out: they are too long for the model.") in map(
        str, result.warnings
    )
    assert not any("the tokenizer does not know" in one for one in map(str, result.warnings))
    # a term all of whose sentences are too long goes, with that reason, and the others stay
    long = [
        one._replace(text=one.text + " nice" * 80) if one.attribute == "war" else one
        for one in rows
    ]
    (result,) = eatlas.run(tests=TINY, vectors=source, measures="lpbs", contexts=Pairs.of(long))
    assert list(result.coverage.B.reasons) == ["war"]
    assert re.fullmatch(
        "no usable sentence in the corpus with 4 of 4 targets: a sentence has 8. pieces, and the "
        "model takes 64 at most",
        result.coverage.B.reasons["war"],
    )


def test_too_few_terms_are_an_error():
    test = words(2, 2, 2, 2)
    measure = LPBS(pairs=some_pairs(test, {(x, "b1") for x in ("x0", "x1", "y0", "y1")}))
    with pytest.raises(CoverageError) as caught:
        measure(test, Table(any_number))
    message = "only 1 term has a sentence with each of the other terms in pairs.csv"
    assert f"group B (Unpleasant): {message}" in str(caught.value)
    assert "missing: b1 (no usable sentence in pairs.csv with 4 of 4" in str(caught.value)
    assert "remedy: use a larger corpus" in str(caught.value)


def test_contexts_of_another_kind_are_refused(tmp_path):
    pairs, single = tmp_path / "p.jsonl", tmp_path / "c.parquet"
    some_pairs().write(pairs)
    Contexts.of([Context("ivy", "The ivy.", 4, 7)]).write(single)
    with pytest.raises(EatlasError) as caught:
        eatlas.run(tests=TINY, vectors="glove-sample", contexts=pairs)
    assert "the measure ml-eat does not take these contexts" in str(caught.value)
    assert "got: pairs of a target and an attribute" in str(caught.value)
    with pytest.raises(EatlasError) as caught:
        eatlas.run(tests=TINY, vectors=Table(any_number), measures="lpbs", contexts=single)
    assert "the measure lpbs does not take these contexts" in str(caught.value)
    assert "pairs with eatlas contexts --pairs" in str(caught.value)
