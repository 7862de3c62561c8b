"""FMAT: its ratios by hand, words in pieces as added to the vocabulary, agreement, refusals."""

import copy

import numpy as np
import pytest
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.measures.test_lpbs import Table, any_number

import eatlas
from eatlas import FMAT
from eatlas.errors import CoverageError, EatlasError, SourceError, StimulusError
from eatlas.stats.correlation import intraclass_correlation
from eatlas.testing import check_measure
from eatlas_models.encoders.language import Answer, Question
from eatlas_models.stats.reliability import cronbach_alpha

TEST = make_test(X=("rose", "ivy"), Y=("ant", "flea"), A=("he", "man"), B=("she", "woman"))
HIGH = "The {TARGET} has a [MASK] association with {ATTRIB}."
AGREES = 1e-5
"""Single precision."""


def fill_mask(query, word, build=tiny.bert):
    """Log-probability of a word of one piece behind the mask, as a pipeline of transformers."""
    import torch

    model, tokenizer = build()
    ids = tokenizer(query.replace("[MASK]", tokenizer.mask_token), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = model.eval()(ids).logits[0].double().log_softmax(-1)
    place = ids[0].tolist().index(tokenizer.mask_token_id)
    return float(logits[place, tokenizer.convert_tokens_to_ids(word)])


@pytest.mark.parametrize(
    ("query", "ratio"),
    [
        ("[MASK] is {TARGET}.", lambda q, x, a: fill_mask(q.replace("{TARGET}", x), a)),
        ("The {ATTRIB} is {mask}.", lambda q, x, a: fill_mask(
            q.replace("{ATTRIB}", a).replace("{mask}", "[MASK]"), x)),
        (HIGH, lambda q, x, a: -np.diff([
            fill_mask(q.replace("{TARGET}", x).replace("{ATTRIB}", a), word)
            for word in ("nice", "vile")])[0]),
    ],
)  # fmt: skip
def test_the_ratios_are_those_of_a_fill_mask_pipeline(query, ratio):
    test = make_test(X=("rose", "love"), Y=("ant", "flea"), A=("he", "man"), B=("she", "woman"))
    measure = FMAT(query=query, mask="nice/vile" if query == HIGH else "high/low", resamples=0)
    result = measure(test, eatlas.language_model(*tiny.bert(), name="tiny"))
    terms = [test.concept(role).terms for role in "XYAB"]
    expected = [[ratio(query, x, a) for a in terms[2] + terms[3]] for x in terms[0] + terms[1]]
    np.testing.assert_allclose(result.similarities, expected, atol=AGREES)
    # the ratio of each target is FMAT's: the mean over A less that over B
    s = np.mean(expected, axis=1, where=[[1, 1, 0, 0]] * 4) - np.mean(
        expected, axis=1, where=[[0, 0, 1, 1]] * 4
    )
    np.testing.assert_allclose([*result.scores.X, *result.scores.Y], s, atol=AGREES)
    assert result.level1.difference == pytest.approx(s[:2].mean() - s[2:].mean(), abs=AGREES)
    assert result.direction.split()[0] == {
        "[MASK] is {TARGET}.": "attributes",
        HIGH: "options",
    }.get(query, "targets")


@pytest.mark.parametrize("build", [tiny.bert, tiny.roberta])
def test_a_word_of_several_pieces_is_a_piece_added_to_the_vocabulary(build):
    """As add.tokens of the R package: a piece whose embedding is the mean of those of its pieces."""
    import torch

    model, tokenizer = (copy.deepcopy(part) for part in build())
    torch.nn.init.normal_(model.get_output_embeddings().bias)
    text = "The tulips is kind."
    asked = Question(text, (4, 10), (14, 18), how="averaged")
    (answer,) = eatlas.language_model(model, tokenizer, name="m").score([asked]).values()
    ids = tokenizer(text)["input_ids"]
    places = range(2, 2 + answer.pieces)
    assert answer.pieces > 1
    pieces = [ids[place] for place in places]
    masked = [*ids[:2], tokenizer.mask_token_id, *ids[2 + answer.pieces :]]
    size = len(tokenizer)
    tokenizer.add_tokens(["ADDED"])
    model.resize_token_embeddings(size + 1, mean_resizing=False)
    with torch.no_grad():
        embeddings = model.get_input_embeddings().weight
        embeddings[size] = embeddings[pieces].mean(dim=0)
        logits = model.eval()(torch.tensor([masked])).logits[0, 2].double()
    expected = float(logits[size] - logits[:size].logsumexp(-1))
    assert answer.log_probability == pytest.approx(expected, abs=AGREES)


def test_words_of_several_pieces_are_averaged_filled_in_or_left_out():
    test = make_test(X=("rose", "tulip"), Y=("ant", "flea"), A=("he", "man"), B=("she", "woman"))
    source = eatlas.language_model(*tiny.bert(), name="tiny")
    results = {
        pieces: FMAT(query="The {ATTRIB} likes [MASK].", pieces=pieces, resamples=0)(test, source)
        for pieces in ("averaged", "joint", "pll", "single")
    }
    assert results["single"].coverage.X.missing == ("tulip",)
    assert "pieces=single takes words of one" in results["single"].coverage.X.reasons["tulip"]
    tulip = {pieces: result.similarities[1][0] for pieces, result in results.items()}
    assert len({tulip[pieces] for pieces in ("averaged", "joint", "pll")}) == 3
    assert results["averaged"].similarities[0] == results["single"].similarities[0]
    assert results["averaged"].pieces.X == (1, 2)
    assert any("several pieces" in str(note) for note in results["averaged"].warnings)
    (lpbs,) = eatlas.run(test, source, "lpbs(pieces=averaged,resamples=0)")
    assert lpbs.signature.startswith(
        "LPBS(aggregate=mean,alpha=0.05,ddof=1,model=masked,p=auto,pieces=averaged"
    )


def test_queries_options_and_their_reliability():
    queries = "A [MASK] {TARGET} of {ATTRIB}.; {TARGET} and {ATTRIB} are [MASK]"
    measure = FMAT(query=queries, mask="nice/vile; good/bad", resamples=0)
    asked = {}

    def answer(question):
        asked[question.text] = any_number(question)
        return asked[question.text]

    result = measure(TEST, Table(answer))
    scores = []
    for x in TEST.X.terms + TEST.Y.terms:
        of_query = [
            [
                [
                    asked[text.format(good, x, a)].log_probability
                    - asked[text.format(bad, x, a)].log_probability
                    for a in TEST.A.terms + TEST.B.terms
                ]
                for good, bad in (("nice", "vile"), ("good", "bad"))
            ]
            for text in ("A {0} {1} of {2}.", "{1} and {2} are {0}")
            for text in [text if text[0] == "A" else x.title() + text[3:]]
        ]
        row = np.mean(of_query, axis=1)
        scores.append(row[:, :2].mean(axis=1) - row[:, 2:].mean(axis=1))
    table = np.array(scores)
    np.testing.assert_allclose([*result.scores.X, *result.scores.Y], table.mean(axis=1), atol=1e-6)
    assert result.reliability == pytest.approx(cronbach_alpha(table), abs=1e-6)
    assert result.to_frame("all")["reliability"].tolist() == [result.reliability]
    assert result.templates == tuple(part.strip() for part in queries.split(";"))
    one = FMAT(query="A [MASK] {TARGET}.", resamples=0)(TEST, Table(any_number))
    assert one.reliability is None


def test_models_agree_as_an_intraclass_correlation_says():
    def second(question):
        answer = any_number(question)
        return Answer(0.5 * answer.log_probability - 1, 1, 1)

    sources = {"one": Table(any_number), "two": Table(second)}
    sources["two"].fingerprint = "sha256:1"
    results = eatlas.run(TEST, sources, FMAT(query="[MASK] is {TARGET}.", resamples=0))
    row = results.compare("source")[0]
    columns = [[*result.scores.X, *result.scores.Y] for result in results]
    expected = intraclass_correlation(np.transpose(columns))
    assert row.icc() == pytest.approx(expected)
    assert row.icc(consistency=True)[1] > row.icc()[0]


def test_the_contract_is_kept():
    check_measure(FMAT(resamples=0), TEST, Table(any_number))
    assert FMAT().signature.endswith(
        f'mask=high/low,p=auto,pieces=averaged,query="{HIGH}",tail=directional,threshold=0.2)'
    )
    assert eatlas.get_measure(FMAT().signature) == FMAT()
    assert "mask" not in FMAT(query="[MASK] is {TARGET}.").signature


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"query": "{TARGET} is {ATTRIB}."}, "a query needs one [MASK], and {TARGET}, {ATTRIB} or both"),
        ({"query": "[MASK] is [MASK] {TARGET}."}, "a query needs one [MASK]"),
        ({"query": "[MASK] is a nurse."}, "a query needs one [MASK], and {TARGET}"),
        ({"query": "; "}, "there is no query"),
        ({"query": "[MASK] is {TARGET}.; [MASK] is {ATTRIB}."}, "the queries have different placeholders"),
        ({"mask": "high"}, "two options, as high/low"),
        ({"mask": "high/low;"}, "two options, as high/low"),
        ({"query": "[MASK] is {TARGET}.", "mask": "he/she"}, "the words of the test are behind the mask"),
        ({"pieces": "mean"}, "averaged or joint or pll or single"),
    ],
)  # fmt: skip
def test_parameters_that_cannot_be(parameters, said):
    with pytest.raises(EatlasError) as caught:
        FMAT(**parameters)
    assert said in str(caught.value)


def test_words_that_cannot_be_behind_the_mask():
    source = eatlas.language_model(*tiny.bert(), name="tiny")
    with pytest.raises(StimulusError, match="the default query of fmat is English"):
        FMAT()(TEST.model_copy(update={"language": "de"}), source)
    with pytest.raises(SourceError, match="the option 'zzz☃' of the mask cannot be used"):
        FMAT(mask="zzz☃/low")(TEST, source)
    with pytest.raises(SourceError, match="longer than the model takes"):
        FMAT(query="[MASK] is {TARGET}" + " nice" * 80)(TEST, source)
    with pytest.raises(CoverageError, match="tokenizer does not know it"):
        FMAT(query="[MASK] is {TARGET}.")(make_test(X=("☃",), Y=("ant",)), source)
    with pytest.raises(SourceError, match="has no mask token"):
        FMAT()(TEST, eatlas.language_model(*tiny.gpt2(), name="tiny"))
