"""LPBS: by hand, against relabelling by brute force, and its refusals."""

from __future__ import annotations

import copy
import itertools
import math
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.stimuli.test_languages import WORDS

import eatlas
from eatlas import LPBS, AssociationTest
from eatlas.errors import (
    CoverageError,
    EatlasError,
    SignatureError,
    SourceError,
    StimulusError,
    UndefinedWarning,
)
from eatlas_models.encoders.language import Answer
from eatlas_models.results.language_model import LanguageModelRecord

KEPT = 1e-6
"""Log-ratios are kept to 6 decimals."""
PLAIN = 1e-12
"""Worst difference of an effect size from a loop of forward passes in double precision: 3e-15."""
ABOUT = LanguageModelRecord(model="table", architecture="Table", kind="masked", vocabulary=9)


class Table:
    """A language model that answers from a table, so that all can be worked out by hand."""

    name, fingerprint, notes, about = "table", "sha256:0", (), ABOUT

    def __init__(self, answer, kind="masked"):
        self._answer, self.kind = answer, kind

    def score(self, questions, tell=None):
        return {one: self._answer(one) for one in questions}


def any_number(question, pieces=1):
    """Answer with a number that looks random and is always the same."""
    key = f"{question.text}{question.asked}{question.hidden}".encode()
    return Answer(-(zlib.crc32(key) % 1000) / 50, pieces, 1)


def words(n_x=2, n_y=2, n_a=2, n_b=2):
    return make_test(
        **{role: [f"{role.lower()}{i}" for i in range(n)] for role, n in
           zip("XYAB", (n_x, n_y, n_a, n_b), strict=True)}
    )  # fmt: skip


def test_a_template_that_is_too_long_is_an_error():
    source = eatlas.language_model(*tiny.bert(), name="tiny")
    measure = LPBS(templates="{target} is {attribute}" + " nice" * 80)
    with pytest.raises(SourceError) as caught:
        measure(make_test(X=("rose", "ivy"), Y=("ant", "flea")), source)
    assert str(caught.value) == (
        "a template with 'rose' and 'love' is longer than the model takes\n"
        "  got: a sentence has 85 pieces, and the model takes 64 at most\n"
        "  remedy: shorten the templates"
    )


TABLE = {  # log P(x | a): rows x0 x1 y0 y1, columns a0 a1 b0 b1
    "x0": (-1, -2, -5, -6), "x1": (-2, -2, -4, -8), "y0": (-3, -1, -3, -2), "y1": (-7, -5, -2, -2),
}  # fmt: skip
PRIOR = {"x0": -3, "x1": -4, "y0": -2, "y1": -5}


def of_table(question):
    target = question.stimulus.lower()
    if question.hidden:
        return Answer(PRIOR[target], 1, 1)
    column = ["a0", "a1", "b0", "b1"].index(question.other_stimulus)
    return Answer(TABLE[target][column], 1, 1)


def test_by_hand():
    result = LPBS(resamples=0)(words(), Table(of_table))
    # M = log P(x | a) - log P(x)
    assert result.similarities == ((2, 1, -2, -3), (2, 2, 0, -4), (-1, 1, -1, 0), (-2, 0, 3, 3))
    # s(a) = mean over X - mean over Y: 2 + 1.5, 1.5 - .5, -1 - 1, -3.5 - 1.5
    s = np.array([3.5, 1.0, -2.0, -5.0])
    assert result.over_attributes.difference == pytest.approx(2.25 + 3.5)
    assert result.effect_size == pytest.approx(5.75 / s.std(ddof=1))
    assert result.over_attributes.n == (2, 2)
    assert result.over_attributes.p.count.greater == 1
    # s(x) = mean over A - mean over B: 1.5 + 2.5, 2 + 2, 0 + .5, -1 - 3
    assert result.scores.X == (4.0, 4.0)
    assert result.scores.Y == (0.5, -4.0)
    assert result.level1.n == (2, 2)
    assert result.level1.difference == pytest.approx(4 + 1.75)
    assert result.level3.XA.mean == pytest.approx(7 / 4)
    assert result.direction == "target given attribute"
    assert result.templates == ("{target:It|They} [is|are] {attribute}.",)


def test_what_differs_by_rounding_alone_has_no_effect_size():
    """Ratios of some 90 nats, so that sums of them have rounding errors far above those of cosines.

    Each is a number of its target plus one of its attribute, so all targets have one score, and so
    have all attributes over both targets.
    """
    rng = np.random.default_rng(1)
    of_target, of_attribute = rng.uniform(60, 90, 20), rng.uniform(-5, 5, 12)
    test = words(10, 10, 6, 6)
    rows = {w: i for i, w in enumerate((*test.X.terms, *test.Y.terms))}
    columns = {w: i for i, w in enumerate((*test.A.terms, *test.B.terms))}

    def answer(question):
        row, column = rows[question.stimulus.lower()], columns[question.other_stimulus]
        added = 0.0 if question.hidden else of_target[row] + of_attribute[column]
        return Answer(-100.0 + added, 1, 1)

    with pytest.warns(UndefinedWarning) as said:
        result = LPBS(resamples=0)(test, Table(answer))
    scores = (*result.scores.X, *result.scores.Y)
    assert 16 * 2.0**-53 < np.ptp(scores) < 1e-12
    undefined = (result.level1, result.over_attributes)
    assert len(said) == 2
    assert [(one.effect_size, one.p.two_sided) for one in undefined] == [(None, 1), (None, 1)]
    assert result.level2.X.effect_size is not None


@pytest.mark.parametrize("sizes", [(2, 2, 3, 4), (1, 1, 4, 4), (3, 1, 2, 5)])
def test_the_p_value_is_that_of_relabelling_attributes_by_brute_force(sizes):
    rng = np.random.default_rng(4)
    test = words(*sizes)
    m = rng.normal(size=(sizes[0] + sizes[1], sizes[2] + sizes[3])).round(3)
    rows = {w: i for i, w in enumerate((*test.X.terms, *test.Y.terms))}
    columns = {w: i for i, w in enumerate((*test.A.terms, *test.B.terms))}

    def answer(question):
        if question.hidden:
            return Answer(0.0, 1, 1)
        return Answer(m[rows[question.stimulus.lower()], columns[question.other_stimulus]], 1, 1)

    result = LPBS(resamples=0)(test, Table(answer))
    n_x, n_a = sizes[0], sizes[2]
    s = m[:n_x].mean(axis=0) - m[n_x:].mean(axis=0)
    observed = s[:n_a].mean() - s[n_a:].mean()
    means = [
        s[list(chosen)].mean() - np.delete(s, chosen).mean()
        for chosen in itertools.combinations(range(len(s)), n_a)
    ]
    count = sum(one >= observed - 1e-12 for one in means)
    assert result.over_attributes.p.count.greater == count
    assert result.over_attributes.p.total == math.comb(len(s), n_a)
    assert result.effect_size == pytest.approx(observed / s.std(ddof=1), abs=1e-12)


@settings(max_examples=10)
@given(st.lists(st.floats(-50, 0), min_size=4, max_size=4))
def test_the_prior_cancels_where_attributes_have_as_many_masks(priors):
    # one template, so a prior belongs to the target alone: it moves s(a) of all attributes alike
    table = dict(zip(PRIOR, priors, strict=True))

    def answer(question):
        known = of_table(question)
        return Answer(table[question.stimulus.lower()], 1, 1) if question.hidden else known

    found = LPBS(resamples=0)(words(), Table(answer))
    without = LPBS(resamples=0)(words(), Table(of_table))
    assert found.effect_size == pytest.approx(without.effect_size, abs=1e-9)
    assert found.level1.effect_size == pytest.approx(without.level1.effect_size, abs=1e-9)
    assert found.over_attributes.p == without.over_attributes.p


def test_templates_are_aggregated_as_named():
    two = "{target} is {attribute}.; Here {target} is {attribute}."

    def answer(question):
        known = of_table(question)
        shift = 1.0 if question.text.startswith("Here") and not question.hidden else 0.0
        return Answer(known.log_probability - shift, 1, 1)

    mean = LPBS(templates=two, resamples=0)(words(), Table(answer))
    logsum = LPBS(templates=two, aggregate="logsum", resamples=0)(words(), Table(answer))
    assert mean.similarities[0][0] == pytest.approx(2 - 0.5)
    # log(e^-1 + e^-2) - log(2 e^-3)
    expected = math.log(math.exp(-1) + math.exp(-2)) - math.log(2 * math.exp(-3))
    assert logsum.similarities[0][0] == pytest.approx(expected, abs=1e-6)
    assert mean.templates == ("{target} is {attribute}.", "Here {target} is {attribute}.")


def of_causal(question):
    # log P(a | prompt) is that of the table; without the target, -1, -2, -3, -4
    column = ["a0", "a1", "b0", "b1"].index(question.stimulus)
    if question.other is None:
        return Answer(-1.0 - column, 1, 0)
    return Answer(TABLE[question.other_stimulus.lower()][column], 1, 1)


def test_a_causal_model_is_asked_for_the_attribute():
    asked = []

    def answer(question):
        asked.append(question)
        return of_causal(question)

    result = LPBS(model="causal", resamples=0)(words(), Table(answer, "causal"))
    assert result.direction == "attribute given target"
    assert result.similarities[0] == (0, 0, -2, -2)
    texts = {(one.text, one.stimulus) for one in asked}
    assert ("X0 is a0.", "a0") in texts
    assert ("It is a0.", "a0") in texts
    assert "normalize=sum" in result.signature
    assert "pieces" not in result.signature


def test_a_causal_model_scores_the_beginning_of_a_word():
    asked = []

    def answer(question):
        asked.append(question.how)
        return of_causal(question)

    result = LPBS(model="causal", resamples=0)(words(), Table(answer, "causal"))
    assert "Attributes are scored as beginnings" in " ".join(map(str, result.warnings))
    assert result.direction == "attribute given target"
    assert set(asked) == {"next"}


def test_reduced_sets_leave_out_targets_of_several_pieces():
    def answer(question):
        pieces = 3 if question.stimulus.lower() == "x0" else 1
        return Answer(of_table(question).log_probability, pieces, 2)

    result = LPBS(targets="reduced", resamples=0)(words(), Table(answer))
    assert result.coverage.X.used == ("x1",)
    assert result.coverage.X.reasons["x0"] == ("3 pieces; the reduced word sets have words of one")
    assert result.coverage.A.used == ("a0", "a1")
    assert "targets=reduced" in result.signature


def test_attributes_are_said_as_adjectives():
    asked = set()

    def answer(question):
        asked.add(question.other_stimulus)
        return any_number(question)

    test = make_test(
        X=("rose", "ivy"), Y=("ant", "flea"), A=("love", "gentle", "diamond"), B=("filth", "grief")
    )
    result = LPBS(attributes="adjective", resamples=0)(test, Table(answer))
    assert asked == {"lovable", "gentle", "filthy", "grief-stricken"}
    assert result.coverage.A.used == ("love", "gentle")
    assert result.coverage.A.found_as == {"love": "lovable"}
    assert result.coverage.A.reasons == {"diamond": "no adjective is known for it"}
    assert "attributes=adjective" in result.signature
    assert len(result.similarities[0]) == 4


def test_a_file_of_templates_becomes_part_of_the_signature(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'schema = 1\n[templates]\nodd = ["{target} [seems|seem] {attribute}."]\n'
        '[words]\nplural = ["ants"]\n'
    )
    measure = LPBS(templates=str(path))
    assert measure.sentences == ("{target} [seems|seem] {attribute}.",)
    path.unlink()
    assert eatlas.get_measure(measure.signature) == measure
    assert "ants" in measure.plurals


def test_a_term_that_cannot_be_stood_for_is_missing_with_its_reason():
    def answer(question):
        if question.stimulus.lower() == "x0":
            return Answer(None, fault="the tokenizer does not know it, or a part of it", at="asked")
        if question.other_stimulus == "b1":
            return Answer(None, 1, fault="the tokenizer removes it entirely", at="other")
        return any_number(question)

    test = words(2, 2, 2, 3)
    result = LPBS(resamples=0)(test, Table(answer))
    assert result.coverage.X.missing == ("x0",)
    assert result.coverage.B.reasons == {"b1": "the tokenizer removes it entirely"}
    with pytest.raises(CoverageError) as caught:
        LPBS()(words(1, 2, 2, 2), Table(answer))
    assert "no term has a usable log-probability in table" in str(caught.value)
    assert "missing: x0 (the tokenizer does not know it, or a part of it)" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[templates]\na = ['x']", "key schema: unknown version"),
        ("schema = 1", "key templates: this key is required"),
        ("schema = 1\n[templates]\na = ['{target} is.']", "number 1: '{target} is.' does not have one place"),
        ("schema = 1\n[templates]\na = 'x'", "key templates.a: input should be a valid list"),
        ("schema = 1\nwrods = 1\n[templates]\na = ['{target} {attribute}']", "key wrods: unknown key"),
        (
            "schema = 1\n[templates]\na = ['{target} {attribute}']\n[words]\nmany = ['x']",
            "key words.many: unknown key",
        ),
        ("schema = ", "this is not TOML"),
    ],
)  # fmt: skip
def test_wrong_files_are_said(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(StimulusError) as caught:
        LPBS(templates=str(path))
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


TINY = make_test(
    X=("rose", "ivy"), Y=("ant", "unlovely wasp"),
    A=("nice", "lovely", "peace"), B=("vile", "awful", "war"),
)  # fmt: skip


def test_a_model_without_a_mask_points_to_the_causal_form():
    model = eatlas.language_model(*tiny.gpt2(), name="tiny-gpt2")
    with pytest.raises(SourceError) as caught:
        eatlas.run(tests=TINY, vectors=model, measures="lpbs")
    assert "the model has no mask token" in str(caught.value)
    assert "model=causal takes others" in str(caught.value)
    masked = eatlas.language_model(*tiny.bert(), name="tiny-bert")
    with pytest.raises(SourceError, match="the model does not continue texts"):
        eatlas.run(tests=TINY, vectors=masked, measures="lpbs(model=causal)")


def test_sentences_and_prompts_are_refused():
    model = eatlas.language_model(*tiny.bert(), name="tiny-bert")
    with pytest.raises(StimulusError, match="lpbs inserts words into templates"):
        eatlas.run(tests="sent-weat-6", vectors=model, measures="lpbs")
    with pytest.raises(EatlasError, match="a prompt changes nothing here"):
        eatlas.run(tests=TINY, vectors=model, measures="lpbs", prompts="This is {}")


def plain_log_sums(with_other, prior, n_x, n_a):
    """Effect size by the formulas of Husse and Spitz' code, of probabilities as they are."""
    x, y = slice(0, n_x), slice(n_x, None)
    s = [
        math.log(sum(p[x])) - math.log(sum(p[y])) - math.log(sum(p0[x])) + math.log(sum(p0[y]))
        for p, p0 in zip(np.exp(with_other).T, np.exp(prior).T, strict=True)
    ]
    difference = np.mean(s[:n_a]) - np.mean(s[n_a:])
    return np.array(s), difference, difference / np.std(s, ddof=1)


def test_targets_are_summed_before_the_logarithm():
    with_other = np.array([TABLE[target] for target in PRIOR], float)
    prior = np.repeat(np.array(list(PRIOR.values()), float)[:, None], 4, axis=1)
    _, difference, d = plain_log_sums(with_other, prior, 2, 2)
    result = LPBS(over_targets="logsum", resamples=0)(words(), Table(of_table))
    assert result.over_attributes.difference == pytest.approx(difference)
    assert result.effect_size == pytest.approx(d)
    assert "over_targets=logsum" in result.signature
    mean = LPBS(resamples=0)(words(), Table(of_table))
    assert mean.effect_size != pytest.approx(d, abs=0.01)
    assert "over_targets" not in mean.signature
    for level in ("level1", "level2", "level3", "similarities", "pattern"):
        assert getattr(result, level) == getattr(mean, level)


def test_summed_targets_of_several_templates():
    """The mean over templates of the score in each; or each score by itself, as published."""
    test, two = words(3, 2, 3, 4), "{target} is {attribute}.; Here {target} was {attribute}."
    targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
    numbers = np.zeros((2, 2, 5, 7))

    def answer(question):
        here = int(question.text.startswith("Here"))
        row = targets.index(question.stimulus.lower())
        column = attributes.index(question.other_stimulus)
        known = any_number(question)
        numbers[here, int(question.hidden), row, column] = known.nats
        return known

    result = LPBS(templates=two, over_targets="logsum", resamples=0)(test, Table(answer))
    each = [plain_log_sums(*template, 3, 3)[0] for template in numbers]
    s = np.mean(each, axis=0)
    assert result.over_attributes.difference == pytest.approx(s[:3].mean() - s[3:].mean())
    assert result.effect_size == pytest.approx((s[:3].mean() - s[3:].mean()) / np.std(s, ddof=1))
    single = LPBS(templates=two, over_targets="logsum", over="sentences", resamples=0)
    found = single(test, Table(answer)).over_attributes
    rows = np.stack(each, axis=1)
    assert found.n == (6, 8)
    assert "permute the labels of single sentences, 2 for each attribute" in " ".join(
        map(str, single(test, Table(answer)).warnings)
    )
    assert found.effect_size == pytest.approx(
        (rows[:3].mean() - rows[3:].mean()) / rows.std(ddof=1)
    )
    assert found.p.total == math.comb(14, 6)
    assert "over=sentences" in single.signature
    summed = LPBS(templates=two, over_targets="logsum", aggregate="logsum", resamples=0)
    of_all = plain_log_sums(*np.logaddexp.reduce(numbers, axis=0), 3, 3)
    assert summed(test, Table(answer)).effect_size == pytest.approx(of_all[2])


def test_the_singular_and_the_plural_of_a_template_are_two_sentences():
    """Targets are summed in the sentence that they stand in, as in the code."""
    test = make_test(X=("rose", "roses", "ivy"), Y=("ant", "ants"), A=("a0", "a1"), B=("b0", "b1"))
    targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
    numbers = np.zeros((2, 5, 4))

    def answer(question):
        known = any_number(question)
        row = targets.index(question.stimulus.lower())
        numbers[int(question.hidden), row, attributes.index(question.other_stimulus)] = known.nats
        return known

    how = {"plural": "roses;ants", "over_targets": "logsum", "over": "sentences", "resamples": 200}
    result = LPBS(templates="{target} [is|are] {attribute}.", **how)(test, Table(answer))
    s = [plain_log_sums(*numbers[:, rows], n, 2)[0] for rows, n in (([0, 2, 3], 2), ([1, 4], 1))]
    each = np.stack(s, axis=1)
    expected = (each[:2].mean() - each[2:].mean()) / each.std(ddof=1)
    assert result.over_attributes.effect_size == pytest.approx(expected)
    assert result.over_attributes_uncertainty.undefined > 0  # no plural of a group is drawn
    same = LPBS(templates="the {target} and {attribute}.", **how)(test, Table(answer))
    whole = plain_log_sums(*numbers, 3, 2)
    assert (same.over_attributes.n, same.effect_size) == ((2, 2), pytest.approx(whole[2]))
    mean = LPBS(templates="{target} [is|are] {attribute}.", **(how | {"over": "attributes"}))
    s = each.mean(axis=1)
    found = mean(test, Table(answer)).effect_size
    assert found == pytest.approx((s[:2].mean() - s[2:].mean()) / s.std(ddof=1))


def test_what_single_sentences_do_not_go_with():
    for other in ({}, {"over_targets": "logsum", "aggregate": "logsum"}):
        with pytest.raises(SignatureError, match="over") as refused:
            LPBS(over="sentences", **other)
        assert "over_targets=logsum, aggregate=mean" in refused.value.allowed


def test_intervals_over_sentences_are_those_of_tests_with_the_words_drawn_again():
    test, two = words(3, 3, 4, 4), "{target} is {attribute}.; Here {target} was {attribute}."
    measure = LPBS(templates=two, over_targets="logsum", over="sentences", resamples=400)
    result = measure(test, Table(any_number))
    targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
    numbers = np.zeros((2, 2, 6, 8))
    for q in measure.questions(test):
        row, column = targets.index(q.stimulus.lower()), attributes.index(q.other_stimulus)
        here = int(q.text.startswith("Here"))
        numbers[here, int(q.hidden), row, column] = any_number(q).nats
    rng, drawn = np.random.default_rng(0), []
    for _ in range(2_000):
        rows = np.concatenate([rng.integers(0, 3, 3), rng.integers(3, 6, 3)])
        columns = np.concatenate([rng.integers(0, 4, 4), rng.integers(4, 8, 4)])
        some = numbers[:, :, rows][..., columns]
        s = np.stack([plain_log_sums(*each, 3, 4)[0] for each in some], axis=1)
        drawn.append((s[:4].mean() - s[4:].mean()) / s.std(ddof=1))
    found = result.over_attributes_uncertainty
    assert found.se == pytest.approx(np.nanstd(drawn), rel=0.15)
    assert found.interval == pytest.approx(np.nanquantile(drawn, [0.025, 0.975]), abs=0.25)


@pytest.mark.parametrize("over_targets", ["mean", "logsum"])
def test_intervals_over_attributes_are_those_of_tests_with_the_words_drawn_again(over_targets):
    """Each resample as a test of its own, in which a word may be listed several times."""
    test = words(3, 3, 4, 4)
    measure = LPBS(over_targets=over_targets, resamples=400)
    result = measure(test, Table(any_number))
    targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
    numbers = np.zeros((2, 6, 8))
    for q in measure.questions(test):
        row, column = targets.index(q.stimulus.lower()), attributes.index(q.other_stimulus)
        numbers[int(q.hidden), row, column] = any_number(q).nats
    rng, drawn = np.random.default_rng(0), []
    for _ in range(2_000):
        rows = np.concatenate([rng.integers(0, 3, 3), rng.integers(3, 6, 3)])
        columns = np.concatenate([rng.integers(0, 4, 4), rng.integers(4, 8, 4)])
        some = numbers[:, rows][:, :, columns]
        s = plain_log_sums(*some, 3, 4)[0]
        if over_targets == "mean":
            m = some[0] - some[1]
            s = m[:3].mean(axis=0) - m[3:].mean(axis=0)
        drawn.append((s[:4].mean() - s[4:].mean()) / np.std(s, ddof=1))
    found = result.over_attributes_uncertainty
    assert found.se == pytest.approx(np.nanstd(drawn), rel=0.15)
    ends = np.nanquantile(drawn, [0.025, 0.975])
    assert found.interval == pytest.approx(ends, abs=0.25)


def test_summed_targets_in_any_order_are_the_same_to_the_last_bit():
    test = words(4, 3, 3, 3)
    measure = LPBS(over_targets="logsum", resamples=200)
    turned = make_test(**{role: test.concept(role).terms[::-1] for role in "XYAB"})
    one, other = measure(test, Table(any_number)), measure(turned, Table(any_number))
    assert one.over_attributes == other.over_attributes
    assert one.over_attributes_uncertainty == other.over_attributes_uncertainty


@pytest.mark.parametrize(
    "changed",
    [{"model": "causal"}, {"templates": "pairs"}],
    ids=lambda changed: next(iter(changed)),
)
def test_targets_are_summed_behind_one_mask_alone(changed):
    with pytest.raises(SignatureError) as caught:
        LPBS(over_targets="logsum", **changed)
    assert str(caught.value) == (
        "lpbs: the parameter over_targets cannot have this value\n"
        "  got: 'logsum'\n"
        "  allowed: mean; logsum adds the probabilities of all targets behind one mask"
    )


@pytest.mark.parametrize("build", [tiny.bert, tiny.roberta])
def test_a_whole_run_is_what_a_loop_over_sentences_finds(build):
    """M by one forward pass for each piece of each sentence, then the formulas as printed."""
    import torch

    model, tokenizer = build()
    model = copy.deepcopy(model).double()
    source = eatlas.language_model(model, tokenizer, name="tiny")
    result, summed = eatlas.run(
        tests=TINY, vectors=source, measures=["lpbs", "lpbs(over_targets=logsum)"]
    )

    def log_p(before, word, behind):
        ids = tokenizer(before + word, add_special_tokens=False)["input_ids"]
        first = len(tokenizer(before, add_special_tokens=False)["input_ids"])
        whole = [
            tokenizer.cls_token_id, *ids,
            *tokenizer(behind, add_special_tokens=False)["input_ids"], tokenizer.sep_token_id,
        ]  # fmt: skip
        total = 0.0
        for i in range(first, len(ids)):
            masked = list(whole)
            masked[i + 1 : len(ids) + 1] = [tokenizer.mask_token_id] * (len(ids) - i)
            with torch.no_grad():
                row = model(torch.tensor([masked])).logits[0, i + 1].double()
            total += float(row[ids[i]] - row.logsumexp(-1))
        return total

    mask = tokenizer.mask_token
    targets, attributes = (*TINY.X.terms, *TINY.Y.terms), (*TINY.A.terms, *TINY.B.terms)
    both = np.zeros((2, 4, 6))
    for i, x in enumerate(targets):
        for j, a in enumerate(attributes):
            pieces = len(tokenizer(f" {a}", add_special_tokens=False)["input_ids"])
            word = x.capitalize()
            both[0, i, j] = log_p("", word, f" is {a}.")
            both[1, i, j] = log_p("", word, f" is{mask * pieces}.")
    m = both[0] - both[1]
    assert np.array(result.similarities) == pytest.approx(m, abs=KEPT)
    s = m[:2].mean(axis=0) - m[2:].mean(axis=0)
    d = (s[:3].mean() - s[3:].mean()) / s.std(ddof=1)
    assert result.effect_size == pytest.approx(d, abs=PLAIN)
    assert summed.effect_size == pytest.approx(plain_log_sums(*both, 2, 3)[2], abs=PLAIN)
    assert summed.effect_size != pytest.approx(d, abs=PLAIN)


@pytest.mark.parametrize("name", ["c1-name", "c3-term", "c6-term", "occ-term"])
def test_plurals_of_the_built_in_tests_are_known(name):
    alone, both = eatlas.load_tests([name, f"{name}-plurals"])
    for role in "XY":
        singulars, every = alone.concept(role).terms, both.concept(role).terms
        plurals = LPBS().plurals.intersection(every)
        assert plurals == set(every) - set(singulars)
        assert plurals
    texts = {question.text for question in LPBS().questions(both)}
    assert not [text for text in texts if text.split(" is ")[0].lower() in plurals]


def test_english_templates_of_lpbs_are_for_english():
    test = AssociationTest(id="t", language="de", **WORDS)
    with pytest.raises(StimulusError, match="the templates basic are English") as raised:
        eatlas.LPBS().questions(test)
    assert '"{target} ist {attribute}."' in str(raised.value)
    assert len(eatlas.LPBS(templates="{target} ist {attribute}.").questions(test)) == 2 * 4
    with pytest.raises(StimulusError, match="adjectives are only known for English words"):
        eatlas.LPBS(templates="{target} ist {attribute}.", attributes="adjective").questions(test)
