"""Tests of words in their contexts."""

import pytest
from tests.inputs import TERMS, make_test

import eatlas
from eatlas.engine.verify import verify
from eatlas.errors import EatlasError, EatlasWarning, StimulusError
from eatlas.sources.corpora import Context, Contexts, with_contexts
from eatlas.stimuli import to_toml
from eatlas.stimuli.toml import parse_battery

TEST = make_test()
WORDS = [term for group in TERMS.values() for term in group]


def contexts(words=WORDS, per_term=2, **more) -> Contexts:
    texts = [f"the {word} of {k}" for word in words for k in range(per_term)]
    stimuli = [word for word in words for _ in range(per_term)]
    rows = [Context(s, t, 4, 4 + len(s)) for s, t in zip(stimuli, texts, strict=True)]
    return Contexts.of(rows, **more)


def test_every_context_is_a_sentence_about_its_stimulus():
    (test,) = with_contexts(TEST, contexts(name="c.parquet"))
    assert test.id == TEST.id
    assert test.X.terms[:2] == ("the aster of 0", "the aster of 1")
    assert test.X.sentences[0].stimulus == "aster"
    assert test.X.sentences[0].span == (4, 9)
    assert test.sentences_from == f"c.parquet, SHA-256 {contexts().sha256}"
    assert test.notes[-1] == f"Its stimuli in contexts from {test.sentences_from}: all of them."


def test_a_stimulus_without_context_is_missing_with_that_reason():
    some = contexts([word for word in WORDS if word != "lily"], name="c.parquet")
    (test,) = with_contexts(TEST, some)
    assert test.X.absent == (("lily", "no context in c.parquet"),)
    result = eatlas.run(TEST, "cbow:glove-sample", contexts=some)[0]
    assert result.coverage.X.missing == ("lily",)
    assert result.coverage.X.reasons == {"lily": "no context in c.parquet"}
    assert result.provenance.sentences_from == test.sentences_from
    assert result.provenance.stimuli_sha256 == test.stimuli_sha256


def test_a_result_in_contexts_is_verified(tmp_path):
    some = contexts([word for word in WORDS if word not in {"lily", "war"}])
    results = eatlas.run(TEST, "cbow:glove-sample", contexts=some)
    results.write(tmp_path / "results.jsonl")
    (verdict,) = verify(eatlas.read_results(tmp_path / "results.jsonl"))
    assert verdict.status == "same", verdict


def test_a_test_in_contexts_is_written_and_read_again():
    (test,) = with_contexts(TEST, contexts(WORDS[1:]))
    written = to_toml([test])
    assert parse_battery(written.encode(), "some.toml", "some").tests == (test,)


def test_a_group_without_any_context_is_an_error():
    with pytest.raises(StimulusError) as said:
        with_contexts(TEST, contexts(TERMS["X"] + TERMS["Y"] + TERMS["A"], name="c.parquet"))
    assert str(said.value) == (
        "test tiny, group B (Unpleasant): no stimulus has a context\n"
        "  got: none of 4 stimuli stands in c.parquet\n"
        "  allowed: one context in each group at least, and as many stimuli as the measure asks\n"
        "  remedy: use a larger corpus, or --case ignore where names are written in lower case"
    )


def test_a_text_of_two_stimuli_stands_for_one_of_them():
    both = "the aster and the ant"
    more = [Context("aster", both, 4, 9), Context("ant", both, 18, 21), Context("love", both, 0, 3)]
    given = list(contexts())
    tests = [with_contexts(TEST, Contexts.of(rows))[0] for rows in (given + more, more + given)]
    assert tests[0].stimuli_sha256 == tests[1].stimuli_sha256
    assert (both in tests[0].X.terms) != (both in tests[0].Y.terms)
    assert both in tests[0].A.terms  # X and A are not opposed
    assert tests[0].notes[-1].startswith("1 contexts are those of two stimuli")


def test_a_stimulus_whose_contexts_are_all_of_others_says_so():
    texts = [Context("aster", "aster ant", 0, 5), Context("ant", "aster ant", 6, 9)]
    rest = contexts([word for word in WORDS if word not in {"aster", "ant"}])
    (test,) = with_contexts(TEST, Contexts.of([*rest, *texts], name="c.csv"))
    absent = dict(test.X.absent + test.Y.absent)
    assert list(absent.values()) == ["its contexts in c.csv are those of other stimuli too"]


def test_the_first_are_a_sample_and_say_of_what():
    many = contexts(per_term=5)
    few = many.first(2)
    assert few.rows == contexts(per_term=2).rows
    assert {one.kept for one in few.counts} == {2}
    (test,) = with_contexts(TEST, few)
    assert test.sentences_from == f"a corpus, SHA-256 {many.sha256}"
    assert "up to 2 of each stimulus" in test.notes[-1]
    assert few.first(1).provenance["sample_of_sha256"] == many.sha256


@pytest.mark.parametrize(
    ("test", "given", "message"),
    [
        ("weat-6", 3, "these are no contexts\n  got: 3 (int)"),
        ("sent-weat-6", contexts(), "the test sent-weat-6 cannot be one of contexts\n"
         "  got: terms that are sentences already\n"),
        ("divdist", contexts(), "cannot be one of contexts\n  got: a test of the kind groups\n"),
        ("weat-6", "none.parquet", "none.parquet: there is no such file"),
    ],
)  # fmt: skip
def test_what_cannot_be(test, given, message):
    with pytest.raises(EatlasError) as said:
        with_contexts(test, given)
    assert message in str(said.value)


def test_a_group_of_one_context_is_said_to_be_one():
    alone = contexts(["aster", *TERMS["Y"], *TERMS["A"], *TERMS["B"]], per_term=1)
    results = eatlas.run(TEST, "cbow:glove-sample", "sc-eat", contexts=alone)
    assert results[0].coverage.X.used == ("the aster of 0",)
    with pytest.warns(EatlasWarning, match="group X .Flowers.: a group of one term"):
        assert not eatlas.run(TEST, "cbow:glove-sample", contexts=alone)
