"""Ask: by hand, against loops and a Bradley-Terry model, undefined cases, refusals."""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.discrete.discrete_model import Logit
from tests.inputs import make_test
from tests.measures.test_lpbs import words

import eatlas
from eatlas.errors import (
    CoverageError,
    EatlasError,
    SignatureError,
    StimulusError,
    UndefinedWarning,
)
from eatlas.stats.facets import Facet, contrast_test
from eatlas_models.measures.answers import choices_of, preferences_of
from eatlas_models.measures.ask import Ask
from eatlas_models.results.language_model import LanguageModelRecord
from eatlas_models.stimuli.asking import Reply

QUESTION = "Which goes better with {target}: {first} or {second}?"
PERSONS = "Who goes better with {attribute}: {first} or {second}?"
THREE = "; ".join(QUESTION.replace("Which", which) for which in ("Which", "What", "Which word"))
REFUSAL = "I'm sorry, I can't choose."


def ask(choose, test, measure=None, **parameters):
    """The result of a model that chooses by a function of subject, options and question."""
    measure = measure or Ask(**{"templates": QUESTION, "resamples": 0, **parameters})
    design = measure.design(test)
    each = len(design.prompts) // len(design.subjects)
    of = {p.text: (design.subjects[i // each][1], p) for i, p in enumerate(design.prompts)}

    def model(texts):
        return [choose(subject, *p.options, p.text) for subject, p in map(of.get, texts)]

    return measure(test, model)


RANKS = {
    "x0": "a0 a1 b0 b1", "x1": "a0 b0 a1 b1", "y0": "b0 b1 a0 a1",
}  # fmt: skip


def by_rank(subject, first, second, _):
    """Choose by the order of each target; y1 takes what is named first."""
    order = RANKS.get(subject, f"{first} {second}").split()
    return min(first, second, key=order.index)


def test_by_hand():
    result = ask(by_rank, words(2, 2, 2, 2), opponents=4)
    # each attribute meets the three others; shares of x0: 3/3, 2/3, 1/3, 0
    third = round(1 / 3, 6)
    two = round(2 / 3, 6)
    assert result.similarities == (
        (1, two, third, 0), (1, third, two, 0), (third, 0, 1, two), (0.5,) * 4
    )  # fmt: skip
    # s: 5/6 - 1/6, 2/3 - 1/3, 1/6 - 5/6, 0; two of six relabellings are as large, or one
    s = [2 / 3, 1 / 3, -2 / 3, 0]
    assert [*result.scores.X, *result.scores.Y] == pytest.approx(s)
    assert result.level1.difference == pytest.approx(1 / 2 + 1 / 3)
    assert result.level1.effect_size == pytest.approx((5 / 6) / np.std(s, ddof=1))
    assert (result.level1.p.count.greater, result.level1.p.total) == (1, 6)
    assert result.level2.X.difference == pytest.approx(3 / 4 - 1 / 4)
    assert result.level2.Y.difference == pytest.approx(1 / 3 - 2 / 3)
    # over attributes: X less Y is 7/12, 3/12, -3/12, -7/12
    u = [7 / 12, 3 / 12, -3 / 12, -7 / 12]
    assert result.over_attributes.difference == pytest.approx(5 / 6)
    assert result.over_attributes.effect_size == pytest.approx((5 / 6) / np.std(u, ddof=1))
    assert result.level3.XA.mean == pytest.approx((1 + 2 / 3 + 1 + 1 / 3) / 4)
    answers = result.answers
    assert (answers.asked, answers.usable, answers.comparisons) == (48, 48, 6)
    assert answers.by == "samples"
    assert answers.level1.d.interval is None  # of a single question
    assert result.generalisation.facets == ()
    assert answers.first_place == 5 / 8  # 1/2 of three targets, and all of y1
    assert answers.level1.bounds == (round(result.value, 6), round(result.value, 6))


def test_questions_about_attributes_by_hand():
    def choose(attribute, first, second, _):
        return min(first, second) if attribute.startswith("a") else max(first, second)

    result = ask(choose, words(2, 2, 2, 2), templates=PERSONS, opponents=4)
    # about a0 and a1 the order is x0 x1 y0 y1, about b0 and b1 it is turned
    up, down = (1, 2 / 3, 1 / 3, 0), (0, 1 / 3, 2 / 3, 1)
    table = [[a, a, b, b] for a, b in zip(up, down, strict=True)]
    np.testing.assert_allclose(result.similarities, table, atol=1e-6)
    assert result.answers.about == "attribute"
    assert result.level1.difference == pytest.approx(4 / 3)
    # what X wins Y loses, so that level 2 of Y mirrors that of X
    assert result.level2.X.effect_size == pytest.approx(-result.level2.Y.effect_size)
    assert result.over_attributes.effect_size == pytest.approx(result.level2.X.effect_size)
    assert result.pattern.label == "Non-Directional"  # of two attributes a group none can be seen


def test_probabilities_by_hand():
    test, measure = words(1, 1, 1, 1), Ask(templates=QUESTION, by="logprobs")
    design = measure.design(test)
    chances = [(0.6, 0.2), (0.1, 0.1), (0.3, 0.0), (0.0, 0.0)]  # x0 in both orders, then y0
    with np.errstate(divide="ignore"):
        replies = [Reply(chances=tuple(np.log(both))) for both in chances]
    read = choices_of(design, replies)
    assert read.wins.ravel()[:3].tolist() == pytest.approx([0.75, 0.5, 1.0])
    assert read.usable.ravel().tolist() == [1, 1, 1, 0]
    assert read.faults == {"neither": 1}
    assert read.mass == pytest.approx((0.8 + 0.2 + 0.3) / 4)
    found = preferences_of(test, design, replies)
    assert found.coverage.Y.reasons == {"y0": "no usable comparison with 2 of 2 attributes"}
    assert found.values.tolist() == [[pytest.approx(0.625), pytest.approx(0.375)]]


def noisy(seed, decline=0.0, lean=0.0):
    """A model that prefers at random but always alike, with a place and words of its own."""

    def choose(subject, first, second, text):
        chance = np.random.default_rng([seed, zlib.crc32(text.encode())])
        if chance.random() < decline:
            return REFUSAL
        sign = 1 if subject[0] == "x" else -1
        ahead = (first[0] == "a") - (second[0] == "a") + 0.0
        ahead += (zlib.crc32(first.encode()) - zlib.crc32(second.encode())) / 2**32
        p = 1 / (1 + np.exp(-(sign * lean * ahead + ahead + 0.7)))
        return first if chance.random() < p else second

    return choose


def test_shares_are_those_of_a_loop_over_comparisons():
    test, measure = words(2, 3, 5, 6), Ask(templates=THREE, resamples=0, opponents=6)
    design, choose = measure.design(test), noisy(3, decline=0.2)
    assert len(design.pairs) == 3 * 11 * 6 / 2
    comparisons = list(zip(design.pairs.tolist(), design.questions.tolist(), strict=True))
    won = {}
    for at, ((_, subject), (pair, question)) in enumerate(product(design.subjects, comparisons)):
        for turned in (0, 1):
            prompt = design.prompts[2 * at + turned]
            names = [design.competitors[i][1] for i in pair]
            assert prompt.options == tuple(names[::-1] if turned else names)
            chosen = choose(subject, *prompt.options, prompt.text)
            if chosen != REFUSAL:
                key = subject, *names, question
                won.setdefault(key, {0: [], 1: []})[turned].append(chosen == names[0])
    points = {}
    for (subject, first, second, _), orders in won.items():
        if orders[0] and orders[1]:
            p = (np.mean(orders[0]) + np.mean(orders[1])) / 2
            points.setdefault((subject, first), []).append(p)
            points.setdefault((subject, second), []).append(1 - p)
    result = ask(choose, test, measure)
    names = [[term for r in side for term in test.concept(r).terms] for side in ("XY", "AB")]
    table = [[np.mean(points[x, w]) for w in names[1]] for x in names[0]]
    np.testing.assert_allclose(result.similarities, table, atol=1e-6)
    assert result.answers.refused == pytest.approx(0.2, abs=0.03)


def test_attributes_are_in_the_order_of_a_bradley_terry_model():
    """Where all meet all, maximum likelihood orders them by comparisons won."""
    test = words(1, 1, 4, 4)
    result = ask(noisy(1), test, templates=THREE, opponents=8)
    design = Ask(templates=THREE, opponents=8).design(test)
    rows, wins = [], []
    for prompt in design.prompts[: len(design.prompts) // 2]:
        row = [0.0] * 8
        places = [next(i for i, (_, w) in enumerate(design.competitors) if w == option)
                  for option in prompt.options]  # fmt: skip
        row[places[0]], row[places[1]] = 1.0, -1.0
        rows.append([*row[1:], 1.0])  # the first attribute is the origin; the place has a term
        wins.append(noisy(1)("x0", *prompt.options, prompt.text) == prompt.options[0])
    fitted = Logit(np.array(wins, float), np.array(rows)).fit(disp=False).params
    strength = np.array([0.0, *fitted[:-1]])
    shares = np.array(result.similarities[0])
    apart = np.subtract.outer(shares, shares) > 1e-6
    assert apart.any()
    assert (np.subtract.outer(strength, strength)[apart] > 0).all()


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(3)), st.permutations(range(4)), st.integers(0, 9))
def test_the_order_of_terms_changes_no_bit(of_targets, of_attributes, seed):
    test, choose = words(3, 3, 4, 4), noisy(seed, decline=0.1)
    terms = {r: test.concept(r).terms for r in "XYAB"}
    moved = {r: tuple(terms[r][i] for i in of_targets) for r in "XY"}
    moved |= {r: tuple(terms[r][i] for i in of_attributes) for r in "AB"}
    one, other = (ask(choose, t, templates=THREE, resamples=50) for t in (test, make_test(**moved)))
    for place in ("level1", "level2", "over_attributes", "answers", "uncertainty", "level3"):
        assert getattr(one, place) == getattr(other, place), place


def swapped(test, *pairs):
    """The same test with groups in each other's place."""
    place = {role: role for role in "XYAB"} | {
        a: b for pair in pairs for a, b in (pair, pair[::-1])
    }
    return make_test(**{role: test.concept(place[role]).terms for role in "XYAB"})


@pytest.mark.parametrize("pairs", [("XY",), ("AB",)])
def test_groups_that_change_places_turn_the_sign(pairs):
    test, choose = words(3, 4, 4, 5), noisy(5, decline=0.2)
    one, other = (ask(choose, t, templates=THREE) for t in (test, swapped(test, *pairs)))
    assert other.level1.effect_size == pytest.approx(-one.level1.effect_size)
    assert other.over_attributes.effect_size == pytest.approx(-one.over_attributes.effect_size)
    low, high = one.answers.level1.bounds
    assert other.answers.level1.bounds == pytest.approx((-high, -low))
    low, high = one.answers.level1.difference.interval
    assert other.answers.level1.difference.interval == pytest.approx((-high, -low))


def test_pairs_ignore_groups_and_targets():
    test = words(2, 2, 9, 9)
    every = make_test(
        X=("u",), Y=("v",), A=(*test.B.terms[:4], *test.A.terms[4:]),
        B=(*test.A.terms[:4], *test.B.terms[4:]),
    )  # fmt: skip
    drawn = []
    for each in (test, every):
        design = Ask(templates=QUESTION, opponents=6).design(each)
        names = [name for _, name in design.competitors]
        drawn.append([tuple(names[i] for i in pair) for pair in design.pairs.tolist()])
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 18 * 6 / 2


# --- refusals and what is undefined ---------------------------------------------------------------


def test_a_model_that_takes_the_first_shows_nothing():
    test = words(3, 3, 4, 4)
    with pytest.warns(UndefinedWarning) as caught:
        result = ask(lambda _subject, first, *_: first, test, templates=THREE)
    assert caught[0].message.note.place == "level1"
    assert result.value is None
    assert result.level1.p.two_sided == 1
    assert {cell.mean for _, cell in result.level3} == {0.5}
    answers = result.answers
    assert answers.first_place == 1
    assert (answers.agreement, answers.first_place_interval) == (None, None)
    assert answers.level1.d.interval is None
    assert answers.level1.difference.interval is None
    codes = [note.code for note in result.warnings]
    assert codes.count("undefined.effect-size") == len(caught) >= 4
    assert "answers.first-place" in codes


def test_templates_show_what_they_have_where_many_answers_decline():
    result = ask(noisy(2, decline=0.3, lean=0.5), words(6, 6, 8, 8), templates=THREE)
    answers = result.answers
    assert all(template.effect_size is not None for template in answers.templates)
    assert answers.agreement is not None
    usable = [template.usable for template in answers.templates]
    assert np.mean(usable) == pytest.approx(1 - answers.refused, abs=1e-6)
    (note,) = (note for note in result.warnings if note.code == "answers.refused")
    assert "refused" in str(note)


@pytest.mark.parametrize("second", [5, 1])
def test_bounds_are_what_a_model_with_these_answers_would_show(second):
    test, honest = words(3, 4, 5, second), noisy(8, lean=0.4)

    def choose(toward):
        def answer(subject, first, second, text):
            if first[0] == second[0] or zlib.crc32(text.encode()) % 4:
                return honest(subject, first, second, text)
            if toward is None:
                return REFUSAL
            wanted = "a" if (subject[0] == "x") == toward else "b"
            return first if first[0] == wanted else second

        return answer

    answers = ask(choose(None), test, templates=THREE).answers
    assert 0.05 < answers.refused < 0.2
    for end, toward in enumerate((False, True)):
        result = ask(choose(toward), test, templates=THREE)
        for place, level, at in (
            (answers.level1, result.level1, end),
            (answers.level2.X, result.level2.X, end),
            (answers.level2.Y, result.level2.Y, 1 - end),
            (answers.over_attributes, result.over_attributes, end),
        ):
            assert place.bounds[at] == pytest.approx(level.effect_size, abs=1e-6)
            if second == 1:  # there are no questions with two options of B, so all answers count
                assert answers.alike == 0
                assert place.uneven == place.bounds
                assert place.p_uneven[at] == level.p.two_sided


def test_refusals_that_all_kinds_of_questions_share_do_not_count():
    test, honest = words(6, 6, 6, 6), noisy(8, lean=0.4)

    def model(declines):
        def answer(*asked):
            return REFUSAL if declines(*asked) else honest(*asked)

        return ask(answer, test, templates=THREE, opponents=6)

    by_chance = model(lambda *said: zlib.crc32(said[-1].encode()) % 10 == 0)
    assert 0.08 < by_chance.answers.refused < 0.12
    assert 0.08 < by_chance.answers.alike < 0.2
    level = by_chance.answers.level1
    d = by_chance.level1.effect_size
    assert level.bounds[0] < level.uneven[0] <= level.uneven[1] < level.bounds[1]
    # answers by halves, between words of one group, narrow the spread that divides a difference
    assert level.uneven == pytest.approx((d, d), abs=0.15)
    assert level.uneven[1] - level.uneven[0] < 0.5 * (level.bounds[1] - level.bounds[0])
    between = model(lambda _, a, b, text: a[0] != b[0] and zlib.crc32(text.encode()) % 5 == 0)
    assert between.answers.alike < 0.05
    level = between.answers.level1
    assert level.uneven[1] - level.uneven[0] > 0.7 * (level.bounds[1] - level.bounds[0])


def test_a_target_that_the_model_declines_is_left_out():
    def choose(subject, first, second, text):
        return REFUSAL if subject == "x1" else noisy(1)(subject, first, second, text)

    result = ask(choose, words(3, 3, 4, 4), templates=THREE)
    assert result.coverage.X.missing == ("x1",)
    assert result.coverage.X.reasons["x1"] == "no usable comparison with 8 of 8 attributes"
    shares = result.answers.unusable
    assert (shares["X"], shares["Y"]) == (round(1 / 3, 6), 0)
    (note,) = (note for note in result.warnings if note.code == "answers.unequal")
    assert "X and Y" in str(note)


def test_a_group_that_the_model_declines_is_refused():
    def choose(subject, first, second, text):
        return REFUSAL if subject[0] == "x" else first

    with pytest.raises(CoverageError) as caught:
        ask(choose, words(2, 2, 4, 4))
    assert "group X" in caught.value.what
    assert "no usable comparison with 8 of 8 attributes" in caught.value.got
    assert "templates=" in caught.value.remedy


def test_a_model_that_never_chooses_is_quoted():
    test = words(2, 2, 2, 2)
    with pytest.raises(CoverageError) as caught:
        ask(lambda subject, *_: REFUSAL if subject == "x0" else "It depends.", test)
    error = caught.value
    assert error.what == "test tiny: no answer chooses one of its two options"
    assert "32 answers (24 neither, 8 refused)" in error.got
    assert REFUSAL in error.got
    assert "templates=" in error.remedy


def test_templates_that_disagree_are_said():
    def choose(subject, first, second, text):
        turned = text.startswith("What") == (subject[0] == "x") != (subject[1] == "0")
        return min(first, second) if turned else max(first, second)

    result = ask(choose, words(4, 3, 4, 4), templates="; ".join(THREE.split("; ")[:2]))
    assert [np.sign(template.effect_size) for template in result.answers.templates] == [-1, 1]
    assert "answers.disagree" in [note.code for note in result.warnings]


def test_little_probability_of_both_options_is_said():
    test, measure = words(2, 2, 2, 2), Ask(templates=QUESTION, by="logprobs", resamples=0)

    class Model:
        name, fingerprint, notes, kind = "model", "sha256:0", (), "chat"
        about = LanguageModelRecord(model="m", architecture="none", kind="chat")

        def score(self, questions, tell=None):
            return {
                one: Reply(chances=tuple(np.log([0.02, 0.01 + 0.001 * i])))
                for i, one in enumerate(questions)
            }

    result = measure(test, Model())
    assert (result.answers.by, result.answers.temperature) == ("logprobs", None)
    assert (result.answers.answers, result.answers.asked) == (1, 32)
    (note,) = (note for note in result.warnings if note.code == "answers.mass")
    assert f"{result.answers.mass:.3f}" in str(note)


def test_groups_of_one_target():
    result = ask(noisy(4, decline=0.1, lean=2.0), words(1, 1, 8, 8), templates=THREE)
    assert result.level1.n == (1, 1)
    assert result.level1.p.greater == 0.5
    assert result.over_attributes.p.two_sided < 0.05
    assert result.uncertainty is None
    assert result.influence is None
    assert result.power.level1.smallest_d is None
    assert len(result.answers.templates) == 3
    assert result.answers.agreement is not None
    # what single templates show is over attributes: at level 1 all would be the same
    assert len({abs(one.effect_size) for one in result.answers.templates}) == 3


def test_one_term_a_group_is_measured():
    def choose(subject, first, second, text):
        return min(first, second) if subject == "x0" else max(first, second)

    result = ask(choose, words(1, 1, 1, 1))
    assert (result.level3.XA.mean, result.level3.YA.mean) == (1, 0)
    assert result.level2.X.effect_size == pytest.approx(np.sqrt(2))


# --- what else is found ---------------------------------------------------------------------------


def test_intervals_are_centred_on_what_is_found():
    result = ask(noisy(6, lean=0.5), words(6, 6, 8, 8), templates=THREE, resamples=200)
    for place in ("level1", "over_attributes"):
        level, moved = getattr(result, place), getattr(result.answers, place)
        low, high = moved.difference.interval
        assert low < level.difference < high
        sd = level.difference / level.effect_size
        assert moved.d.interval == pytest.approx((low / sd, high / sd), abs=2e-5)
    effect = result.effect("over_attributes")
    assert effect.interval == result.over_attributes_uncertainty.interval
    assert effect.interval[0] < effect.d < effect.interval[1]
    assert not effect.in_family


def test_intervals_are_those_of_effects_of_single_questions():
    measure = Ask(templates=THREE, resamples=0, opponents=8)
    result = ask(noisy(6, lean=0.5), words(3, 4, 4, 4), measure)
    sizes = [template.level2["X"] for template in result.answers.templates]
    assert all(size is not None for size in sizes)
    tables = preferences_of_model(noisy(6, lean=0.5), words(3, 4, 4, 4), measure).tables
    by_question = tables[:3, :4].mean(axis=(0, 1)) - tables[:3, 4:].mean(axis=(0, 1))
    low, high = stats.t.interval(0.95, 2, by_question.mean(), stats.sem(by_question))
    moved = result.answers.level2.X.difference
    assert moved.interval == pytest.approx((low, high), abs=2e-6)
    assert moved.se == pytest.approx(stats.sem(by_question), abs=2e-6)


def preferences_of_model(choose, test, measure):
    """What the measure makes of the answers of a model."""
    design = measure.design(test)
    each = len(design.prompts) // len(design.subjects)
    subjects = [design.subjects[i // each][1] for i in range(len(design.prompts))]
    replies = [
        Reply(texts=(choose(subject, *prompt.options, prompt.text),))
        for subject, prompt in zip(subjects, design.prompts, strict=True)
    ]
    return preferences_of(test, design, replies)


# --- questions are a facet ------------------------------------------------------------------------


def opinions(seed, sd, questions, lean=0.0):
    """A model that prefers something else in each question, and `lean` logits on average."""
    chance = np.random.default_rng(seed)
    of_question = lean + sd * chance.normal(size=questions)

    def choose(subject, first, second, text):
        own = np.random.default_rng([seed, zlib.crc32(text.encode())])
        sign = 1 if subject[0] == "x" else -1
        ahead = ((first[0] == "a") - (second[0] == "a")) * sign * of_question[number_in(text)]
        return first if own.random() < 1 / (1 + np.exp(-ahead)) else second

    return choose


def number_in(text):
    """The number of a question of `numbered`."""
    return int(text.rpartition("(")[2].rstrip(")?"))


def numbered(count):
    """Questions that a number tells apart."""
    return "; ".join(QUESTION.replace("?", f" ({i})?") for i in range(count))


def test_a_claim_is_about_other_questions_too():
    result = ask(opinions(1, 0.1, 8, lean=2.0), words(5, 5, 5, 5), templates=numbered(8))
    question = result.finding.questions["level1"]
    assert result.generalisation.facets == ("questions",)
    assert set(result.generalisation.level1.facets) == {"questions"}
    assert (question.verdict, question.facets) == ("supported", ("words", "questions"))
    assert result.sensitivity is None or result.sensitivity.new is not None


def test_what_questions_disagree_on_does_not_generalise():
    result = ask(opinions(3, 2.0, 3, lean=0.7), words(6, 6, 6, 6), templates=numbered(3))
    assert result.level1.p.two_sided < 0.05
    question = result.finding.questions["level1"]
    assert question.verdict == "these words"
    assert question.reason == "not shown to generalise to other words and questions"
    fixed = ask(opinions(3, 2.0, 3, lean=0.7), words(6, 6, 6, 6), templates=numbered(1))
    assert fixed.finding.questions["level1"].facets == ("words",)


def test_the_crossed_test_is_that_of_the_table_of_questions():
    test, measure = words(4, 5, 4, 6), Ask(templates=numbered(4), resamples=0)
    choose = opinions(5, 0.5, 4, lean=0.5)
    result = ask(choose, test, measure)
    table = preferences_of_model(choose, test, measure).tables
    assert not np.isnan(table).any()
    facets = [Facet.of_groups(sizes) for sizes in ((4, 5), (4, 6), (4,))]
    expected = contrast_test(table, facets)
    level = result.generalisation.level1
    assert level.p_two_sided == pytest.approx(expected.p_two_sided)
    assert level.facets["questions"] == pytest.approx(expected.variances[2,])
    alone = contrast_test(table[4:], [Facet.of_groups([5]), *facets[1:]])
    assert result.generalisation.level2.Y.p_two_sided == pytest.approx(alone.p_two_sided)


def test_questions_without_an_answer_about_a_group_are_left_out():
    choose = opinions(2, 0.3, 4, lean=1.0)

    def declining(subject, first, second, text):
        number = number_in(text)
        refuses = (number == 0 and subject[0] == "x") or (number == 1 and subject == "y0")
        return REFUSAL if refuses else choose(subject, first, second, text)

    test, measure = words(4, 4, 4, 4), Ask(templates=numbered(4), resamples=0)
    preferences = preferences_of_model(declining, test, measure)
    assert preferences.facets.values.shape == (8, 8, 3)
    assert not np.isnan(preferences.facets.values).any()
    assert ask(declining, test, measure).generalisation.level1.df > 0


def test_words_are_looked_up_by_frequency():
    test = eatlas.load_tests("weat-6")[0]
    kept = {role: test.concept(role).terms[:6] for role in "XYAB"}
    model = noisy(9, lean=0.5)
    result = ask(model, make_test(**kept), templates=QUESTION)
    assert result.frequency is not None
    assert result.adjusted is not None
    assert result.diagnosis is None
    plain = ask(model, make_test(**kept), templates=QUESTION, adjust="none")
    assert plain.adjusted is None
    assert plain.level1 == result.level1


def test_signatures():
    assert Ask(by="logprobs").signature == Ask(by="logprobs", answers=3, temperature=0).signature
    assert "temperature=0" in Ask(temperature=0).signature
    assert Ask(templates=THREE) == eatlas.get_measure(Ask(templates=THREE).signature)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"templates": "no-such-name"}, "no-such-name"),
        ({"templates": "Who is it, {first} or {second}?"}, "has no place {target}"),
        ({"templates": f"{QUESTION}; {PERSONS}"}, "others about an attribute"),
        ({"templates": " ; "}, "templates"),
        ({"opponents": 3}, "opponents"),
        ({"answers": 0}, "answers"),
        ({"temperature": -1}, "temperature"),
    ],
)
def test_what_cannot_be_asked_is_refused(parameters, what):
    with pytest.raises(SignatureError) as caught:
        Ask(**parameters)
    assert what in str(caught.value)
    assert caught.value.allowed


def test_options_that_no_answer_tells_apart_are_refused(tmp_path):
    test = make_test(X=("x",), Y=("y",), A=("Home", "go"), B=("home", "work"))
    with pytest.raises(StimulusError, match="no answer can distinguish 'Home' from 'home'"):
        Ask().design(test)
    path = tmp_path / "answers.csv"
    path.write_text("target,options,answer\nx,Home|work,home\n")
    with pytest.raises(StimulusError, match="only in case or punctuation"):
        eatlas.run(tests=test, vectors=path, measures="ask")
    turned = make_test(X=("Bob",), Y=("bob",), A=("go",), B=("work",))
    assert Ask(templates=QUESTION).design(turned).prompts  # targets are no options here


def test_a_language_without_questions_needs_ones_own():
    test = words(2, 2, 2, 2).model_copy(update={"language": "tr"})
    with pytest.raises(EatlasError) as caught:
        Ask().design(test)
    assert "a test in tr" in caught.value.got
    turkish = "{target}: {first} mi, {second} mi?"
    assert Ask(templates=turkish).design(test).templates == (turkish,)
