"""Tests of words in their contexts."""

import pytest
from tests.inputs import TERMS, make_test

import eatlas
from eatlas.engine.verify import verify
from eatlas.errors import CoverageError, StimulusError
from eatlas.present import report_html
from eatlas.stimuli import to_toml
from eatlas.stimuli.reading import parse_battery
from eatlas_corpora.reading import Context, Contexts, with_contexts

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


@pytest.mark.parametrize("per_term", [None, 2])
def test_the_file_of_contexts_is_found_by_its_name(tmp_path, monkeypatch, per_term):
    contexts(per_term=4).write(tmp_path / "c.parquet")
    some = eatlas.load_contexts(tmp_path / "c.parquet")
    some = some if per_term is None else some.first(per_term)
    results = eatlas.run(
        TEST, "cbow:glove-sample", measures=["ml-eat", "ceat(n=50)"], contexts=some
    )
    assert "the aster of" not in results[0].model_dump_json()
    assert results[0].provenance.contexts == some.origin
    assert some.origin.per_term == per_term
    for folder in (tmp_path, tmp_path.parent):  # beside the results, or in the working folder
        monkeypatch.chdir(tmp_path if folder != tmp_path else tmp_path.parent)
        said = verify(results, folders=[folder])
        assert [one.status for one in said] == ["same", "same"], said


def test_a_file_of_contexts_that_is_gone_or_another_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some = contexts(name="c.csv")
    results = eatlas.run(TEST, "cbow:glove-sample", contexts=some)
    (verdict,) = verify(results)
    remedy = (
        "remedy: name the file: eatlas verify RESULTS --contexts FILE; in Python, "
        "verify(..., contexts=...)"
    )
    assert (verdict.status, verdict.details) == ("not repeated", (
        "the result does not contain its contexts, and their file was not found: c.csv, "
        f"SHA-256 {some.sha256[:12]}...", remedy))  # fmt: skip
    other = contexts(per_term=3)
    other.write(tmp_path / "c.csv")
    (verdict,) = verify(results)
    assert verdict.details == (
        "the result does not contain its contexts, and their file was not found: c.csv, SHA-256 "
        f"{some.sha256[:12]}...; c.csv has SHA-256 {other.sha256[:12]}...", remedy)  # fmt: skip
    (tmp_path / "c.csv").write_text("stimulus,text\na,b\n", encoding="utf-8")
    (verdict,) = verify(results)
    assert verdict.status == "not repeated"
    assert "; c.csv, context 1: this is not" in verdict.details[0]
    # a file that is named serves, whatever lies in the folder
    some.write(tmp_path / "renamed.jsonl")
    (verdict,) = verify(results, contexts=tmp_path / "renamed.jsonl")
    assert (verdict.status, verdict.details) == ("same", ())


def test_fewer_contexts_than_the_result_has_are_others():
    many = contexts(per_term=4)
    results = eatlas.run(TEST, "cbow:glove-sample", contexts=many.first(3))
    assert verify(results, contexts=many)[0].status == "same"
    assert verify(results, contexts=many.first(3))[0].status == "same"
    (verdict,) = verify(results, contexts=many.first(2))
    assert f"a corpus has SHA-256 {many.sha256[:12]}..., the first 2" in verdict.details[0]


def test_contexts_without_a_vector_are_counted():
    given = list(contexts(WORDS, per_term=3))
    vectors = {row.text: [float(i), 1.0, i % 3] for i, row in enumerate(given)}
    lost = [row.text for row in given if row.stimulus == "aster"]
    for text in (*lost, "the clover of 1"):
        del vectors[text]
    vectors["the clover of 2"] = [0.0, 0.0, 0.0]
    some = Contexts.of(given, name="c.csv")
    found = eatlas.run(TEST, eatlas.open_vectors(vectors), contexts=some)[0].coverage.X
    name = eatlas.open_vectors(vectors).name
    zero = f"its vector in {name} is zero (norm 0)"
    assert found.contexts == {"clover": 1, "iris": 3, "lily": 3}
    assert found.used == ("clover", "iris", "lily")
    assert found.without == {
        "aster": {f"not in {name}": 3}, "clover": {f"not in {name}": 1, zero: 1}
    }  # fmt: skip
    assert found.reasons == {"aster": f"none of its 3 contexts has a vector: not in {name}"}
    assert found.scored == ("clover", *["iris"] * 3, *["lily"] * 3)
    result = eatlas.run(TEST, eatlas.open_vectors(vectors), contexts=some)[0]
    said = f"5 of 48 contexts of c.csv have no vector: {zero} (1); not in {name} (4)."
    assert said in map(str, result.warnings)
    assert len(result.scores.X) == 7
    page = report_html([result])
    assert "2 contexts of clover" in page
    assert "iris (3)" in page


def test_a_test_in_contexts_is_written_and_read_again():
    (test,) = with_contexts(TEST, contexts(WORDS[1:]))
    written = to_toml([test])
    assert parse_battery(written.encode(), "some.toml", "some").tests == (test,)


def test_white_space_of_any_kind_at_the_ends_is_left_out():
    texts = "\u00a0 an aster\u00a0", "an aster", "\u2009an aster or two"
    rows = [Context("aster", text, text.index("aster"), text.index("aster") + 5) for text in texts]
    rest = contexts([word for word in WORDS if word != "aster"])
    (test,) = with_contexts(TEST, Contexts.of([*rows, *rest]))
    assert [(one.text, one.span) for one in test.X.sentences[:2]] == [
        ("an aster", (3, 8)), ("an aster or two", (3, 8))
    ]  # fmt: skip


def test_a_group_without_any_context_is_an_error():
    with pytest.raises(StimulusError) as said:
        with_contexts(TEST, contexts(TERMS["X"] + TERMS["Y"] + TERMS["A"], name="c.parquet"))
    assert str(said.value) == (
        "test tiny, group B (Unpleasant): no stimulus has a context\n"
        "  got: none of 4 stimuli occurs in c.parquet\n"
        "  allowed: one context in each group at least, and as many stimuli as the measure needs\n"
        "  remedy: use a larger corpus, or --case ignore where names are written in lower case"
    )
    of_others = contexts(TERMS["X"], name="c.parquet", provenance={"tests": ["weat-6", "weat-7"]})
    with pytest.raises(StimulusError) as said:
        with_contexts(TEST, of_others)
    assert said.value.got == (
        "none of 4 stimuli occurs in c.parquet, which was made for weat-6, weat-7"
    )
    assert said.value.remedy == "eatlas contexts CORPUS --tests tiny"


BOTH = "the aster and the ant"
OF_SEVERAL = [
    Context("aster", BOTH, 4, 9), Context("ant", BOTH, 18, 21), Context("love", BOTH, 0, 3)
]  # fmt: skip


def test_a_text_of_two_stimuli_stands_for_both():
    given = list(contexts())
    tests = [
        with_contexts(TEST, Contexts.of(rows))[0]
        for rows in (given + OF_SEVERAL, OF_SEVERAL + given)
    ]
    assert tests[0].stimuli_sha256 == tests[1].stimuli_sha256
    assert f"{BOTH} [aster]" in tests[0].X.terms
    assert f"{BOTH} [ant]" in tests[0].Y.terms
    assert BOTH in tests[0].A.terms  # X and A are not opposed
    assert {one.text for one in tests[0].Y.sentences} >= {BOTH}
    written = to_toml(tests[:1])
    assert parse_battery(written.encode(), "some.toml", "some").tests == (tests[0],)


def test_equal_texts_stand_as_often_as_they_were_kept():
    rows = [*contexts().rows, *[Context("aster", "the aster of 0", 4, 9)] * 3]
    dropped, repeated = (
        with_contexts(TEST, Contexts.of(rows, provenance={"repeats": choice}))[0]
        for choice in ("drop", "keep")
    )
    assert len(dropped.X.terms) == 8
    assert repeated.X.texts.count("the aster of 0") == 4
    assert "the aster of 0 [aster, 4]" in repeated.X.terms
    assert repeated.notes[-1].endswith("all of them, equal texts as often as they occur.")
    some = Contexts.of(rows, provenance={"repeats": "keep"})
    results = eatlas.run(TEST, "cbow:glove-sample", "ceat", contexts=some)
    assert verify(results, contexts=some)[0].status == "same"


def test_a_text_that_holds_its_stimulus_twice_is_one_context():
    twice = [Context("ant", "an ant and an ant", k, k + 3) for k in (14, 3)]
    (test,) = with_contexts(TEST, Contexts.of([*contexts(), *twice]))
    assert [one.span for one in test.Y.sentences if one.text == twice[0].text] == [(3, 6)]


def test_a_group_of_one_context_is_said_to_be_one():
    alone = contexts(["aster", *TERMS["Y"], *TERMS["A"], *TERMS["B"]], per_term=1)
    results = eatlas.run(TEST, "cbow:glove-sample", "sc-eat", contexts=alone)
    assert results[0].coverage.X.contexts == {"aster": 1}
    with pytest.raises(CoverageError, match="group X .Flowers.: only 1 term has"):
        eatlas.run(TEST, "cbow:glove-sample", contexts=alone)
