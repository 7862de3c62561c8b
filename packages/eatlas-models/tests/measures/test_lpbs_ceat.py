"""LPBS within CEAT: draws against the plain formula, the p of their mean, what moves and what not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from statsmodels.stats.meta_analysis import combine_effects
from tests.encoders.language import tiny
from tests.measures.test_lpbs import Table, any_number, of_table, words
from tests.measures.test_lpbs_in_sentences import TINY, some_pairs

import eatlas
from eatlas import LPBS, LPBSCEAT
from eatlas.errors import UndefinedWarning
from eatlas.results.json_lines import record_from_dict
from eatlas.stats.effect_size import draw_effects
from eatlas_models.encoders.language import Answer
from eatlas_models.measures.lpbs_ceat import PairSentences

THREE = "{target} is {attribute}.; Here {target} is {attribute}.; {target} was {attribute}."
AGREEMENT = 1e-12
"""Worst difference of an effect size of a draw from the plain formula: 1e-15."""


def sentences_of(test, templates=THREE, answer=any_number):
    """Ratios of all sentences of a test, by their pairs."""
    measure = LPBSCEAT(templates=templates)
    answers = Table(answer).score(dict.fromkeys(measure.questions(test)))
    return PairSentences.of(measure.associate(test, answers))


def matrices(test, n, seed=0, replace="auto", **parameters):
    """The drawn M of each draw, made by hand of the same places; terms by name."""
    sentences = sentences_of(test, **parameters)
    return np.stack(list(sentences.draw(n, replace, seed))).transpose(2, 0, 1)


def plain(scores, n):
    """Effect size by its definition."""
    return (scores[:n].mean() - scores[n:].mean()) / np.std(scores, ddof=1)


def plain_effects(m, sizes):
    """d, d of X, d of Y and d over attributes of one matrix."""
    n_x, n_a = sizes[0], sizes[2]
    s = m[:, :n_a].mean(axis=1) - m[:, n_a:].mean(axis=1)
    x, y = m[:n_x].mean(axis=0), m[n_x:].mean(axis=0)
    return [plain(s, n_x), plain(x, n_a), plain(y, n_a), plain(x - y, n_a)]


def run(measure, test, answer=any_number, seed=0):
    return measure(test, Table(answer), seed=seed)


def levels(result):
    return [result.level1, result.level2.X, result.level2.Y, result.over_attributes]


def over(result):
    return [result.samples.level1, result.samples.level2.X, result.samples.level2.Y,
            result.samples.over_attributes]  # fmt: skip


def test_by_hand():
    # two sentences of a pair, of which the second adds 2 where x0 meets a0, nothing elsewhere
    two = "{target} is {attribute}.; Here {target} is {attribute}."

    def answer(question):
        known = of_table(question)
        moved = question.text.startswith("Here") and not question.hidden
        pair = (question.stimulus.lower(), question.other_stimulus)
        return Answer(known.log_probability + 2 * (moved and pair == ("x0", "a0")), 1, 1)

    result = run(LPBSCEAT(templates=two, n=400), words(), answer)
    # M is (2 1 -2 -3 | 2 2 0 -4 | -1 1 -1 0 | -2 0 3 3); s(a) is 3.5 or 4.5, 1, -2, -5
    either = [plain(np.array([first, 1.0, -2.0, -5.0]), 2) for first in (3.5, 4.5)]
    share = (result.over_attributes.difference - 5.75) / 0.5  # of the draws that took the second
    assert 0.4 < share < 0.6
    assert result.effect_size == pytest.approx((1 - share) * either[0] + share * either[1])
    # level 2 of Y never meets that pair
    assert result.samples.level2.Y.sd == pytest.approx(0, abs=1e-12)
    assert result.level2.Y.effect_size == pytest.approx(plain(np.array([-1.5, 0.5, 1, 1.5]), 2))
    # level 1: s(x) is 4 or 5, 4, .5, -4
    both = [plain(np.array([first, 4, 0.5, -4]), 2) for first in (4.0, 5.0)]
    assert result.level1.effect_size == pytest.approx((1 - share) * both[0] + share * both[1])
    assert result.similarities[0] == pytest.approx((2 + 2 * share, 1, -2, -3), abs=1e-6)
    assert pytest.approx((4 + share, 4)) == result.scores.X
    assert result.level3.XA.mean == pytest.approx((7 + 2 * share) / 4)
    assert (result.level3.XA.quantiles[4], result.level3.YB.n) == (4, 1600)


@pytest.mark.parametrize("replace", ["auto", "always"])
def test_each_draw_is_the_plain_formula_on_its_matrix(replace):
    test, sizes = words(3, 2, 4, 3), (3, 2, 4, 3)
    result = run(LPBSCEAT(templates=THREE, n=80, replace=replace), test)
    m = matrices(test, 80, replace=replace)
    d = np.array([plain_effects(one, sizes) for one in m])
    effects = [level.effect_size for level in levels(result)]
    assert effects == pytest.approx(d.mean(axis=0), abs=AGREEMENT)
    assert np.abs(np.array(result.samples.kept) - d[:, :3]).max() <= 0.5e-4 + AGREEMENT
    for one, column in zip(over(result), d.T, strict=True):
        assert one.sd == pytest.approx(column.std(ddof=1), abs=AGREEMENT)
        assert one.quantiles == pytest.approx(np.quantile(column, [0.025, 0.25, 0.5, 0.75, 0.975]))
    assert np.array(result.similarities) == pytest.approx(m.mean(axis=0), abs=1e-6)
    assert result.level3.YA.n == 80 * 8
    assert result.level3.YA.sd == pytest.approx(m[:, 3:, :4].std(ddof=1))


def test_the_p_is_that_of_relabelling_with_the_mean_over_draws_found_again():
    test, sizes = words(3, 2, 3, 3), (3, 2, 3, 3)
    result = run(LPBSCEAT(templates=THREE, n=30), test)
    m = matrices(test, 30)
    u = m[:, :3].mean(axis=1) - m[:, 3:].mean(axis=1)
    s = m[:, :, :3].mean(axis=2) - m[:, :, 3:].mean(axis=2)
    for scores, n, level in ((u, 3, result.over_attributes), (s, sizes[0], result.level1)):
        size = scores.shape[1]
        means = []
        for chosen in itertools.combinations(range(size), n):
            order = [*chosen, *(i for i in range(size) if i not in chosen)]
            means.append(np.mean([plain(one[order], n) for one in scores]))
        assert level.p.total == math.comb(size, n) == len(means)
        assert level.p.count.greater == sum(one >= means[0] - 1e-12 for one in means)
        assert level.p.count.two_sided == sum(abs(one) >= abs(means[0]) - 1e-12 for one in means)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # theirs, of a tau2 below 0
def test_the_combination_is_that_of_statsmodels():
    test = words(4, 4, 5, 5)
    measure = LPBSCEAT(templates=THREE, n=60, variance="ceat")
    of_draws = run(measure, test).samples.over_attributes
    found = of_draws.combined
    assert of_draws.published == found
    m = matrices(test, 60, 0)
    effects = draw_effects(m[:, :4].mean(axis=1) - m[:, 4:].mean(axis=1), 5)
    theirs = combine_effects(effects.d, effects.sd**2, method_re="dl")
    # the published variance is so large that none is left between draws
    assert (found.tau2, theirs.tau2 < 0) == (0, True)
    assert found.q == pytest.approx(theirs.q, rel=1e-10)
    assert found.effect_size == pytest.approx(theirs.mean_effect_fe, abs=1e-10)
    assert found.se == pytest.approx(theirs.sd_eff_w_fe, abs=1e-10)


def test_one_template_is_the_lpbs_with_it_in_every_draw():
    test = words(3, 4, 4, 4)
    ours, theirs = run(LPBSCEAT(n=25), test), run(LPBS(resamples=0), test)
    for level, other in zip(levels(ours), levels(theirs), strict=True):
        assert level.effect_size == pytest.approx(other.effect_size, abs=AGREEMENT)
        assert level.difference == pytest.approx(other.difference, abs=AGREEMENT)
        assert level.p == other.p
    assert ours.pattern == theirs.pattern
    assert ours.samples.patterns[ours.pattern.label] == 1
    assert ours.similarities == theirs.similarities
    assert pytest.approx(theirs.scores.X, abs=AGREEMENT) == ours.scores.X
    assert all(one.sd == pytest.approx(0, abs=AGREEMENT) for one in over(ours))
    shares = ours.samples.over_attributes.shares
    assert shares.contexts is None
    assert shares.stimuli + shares.groups == pytest.approx(1)
    assert (
        "Every pair has a single sentence, so all samples are the same and say nothing about other "
        "sentences. Use more templates, or sentences of a corpus."
    ) in map(str, ours.warnings)


def test_the_sentences_of_a_pair_do_not_depend_on_the_other_terms():
    one = matrices(words(3, 2, 4, 3), 40)
    two = matrices(words(2, 2, 3, 3), 40)  # without x2 and a3
    assert np.array_equal(one[:, :2, :3], two[:, :2, :3])
    assert np.array_equal(one[:, 3:, 4:], two[:, 2:, 3:])
    assert not np.array_equal(one[:, 0], one[:, 1])


def test_variance_shares_are_those_of_the_scores_of_draws():
    test, sizes = words(6, 6, 4, 4), (6, 6, 4, 4)
    result = run(LPBSCEAT(templates=THREE, n=4000), test)
    m = matrices(test, 4000)
    n_x, n_a = sizes[0], sizes[2]
    s = m[:, :, :n_a].mean(axis=2) - m[:, :, n_a:].mean(axis=2)
    u = m[:, :n_x].mean(axis=1) - m[:, n_x:].mean(axis=1)
    for scores, n, found in (
        (s, n_x, result.samples.level1.shares),
        (u, n_a, result.samples.over_attributes.shares),
    ):
        assert found.contexts + found.stimuli + found.groups == pytest.approx(1)
        # draws take three sentences, whose variance over draws lacks the factor 3 / 2
        within = s.var(axis=0).mean() if scores is s else u.var(axis=0).mean()
        assert found.contexts * found.variance == pytest.approx(1.5 * within, rel=0.05)
        means = scores.mean(axis=0)
        pooled = (n * means[:n].var() + (len(means) - n) * means[n:].var()) / (len(means) - 2)
        units = found.stimuli * found.variance
        assert units == pytest.approx(max(0, pooled - 0.5 * within), abs=0.05 * within)


def flat_or_not(question):
    """The same ratio for all pairs in sentences with Here; else another one for x0 with a0."""
    if question.hidden:
        return Answer(-13.1, 1, 1)
    if question.text.startswith("Here"):
        return Answer(-7.3, 1, 1)
    return Answer(-9.7 if (question.stimulus, question.other_stimulus) == ("X0", "a0") else -7.3, 1)


def test_draws_without_spread_are_counted_and_said():
    two = "{target} is {attribute}.; Here {target} is {attribute}."
    with pytest.warns(UndefinedWarning) as caught:
        result = run(LPBSCEAT(templates=two, n=30), words(), flat_or_not)
    lost = [one.undefined for one in over(result)]
    assert 0 < lost[0] == lost[1] == lost[3] < 30
    assert lost[2] == 30
    said = [str(one.message) for one in caught]
    assert len(said) == 4
    assert all(f"in {lost[0]} of 30 samples: their associations" in said[i] for i in (0, 1, 3))
    assert said[3].startswith("tiny: Undefined effect size of the effect size over attributes in")
    assert result.effect_size == pytest.approx(plain(np.array([-1.0, 0, 0, 0]), 2))
    assert result.samples.over_attributes.sd == pytest.approx(0, abs=AGREEMENT)
    assert result.level2.Y.effect_size is None
    assert result.samples.level2.Y.combined is None
    assert result.samples.level2.Y.shares is None
    assert result.pattern.Y is None
    assert sum(row[0] is None for row in result.samples.kept) == lost[0]


def test_sentences_of_a_corpus_are_drawn():
    model, tokenizer = tiny.bert()
    source = eatlas.language_model(model, tokenizer, name="tiny")
    pairs = some_pairs()
    results = eatlas.run(
        tests=TINY, vectors=source, measures=["lpbs", "lpbs-ceat(n=3000)"], contexts=pairs
    )
    lpbs, found = results
    assert found.sentences == lpbs.sentences == ((1, 2, 3, 1, 2), (2, 3, 1, 2, 3),
                                                 (3, 1, 2, 3, 1), (1, 2, 3, 1, 2))  # fmt: skip
    assert found.provenance.contexts == pairs.origin
    assert "templates=pairs" in found.signature
    assert "Pairs with a single sentence, which every sample contains: 7 of 20." in map(
        str, found.warnings
    )
    # the mean over draws is near the mean over sentences, which is that of LPBS
    spread = np.array(found.similarities) - np.array(lpbs.similarities)
    ones = np.array(found.sentences) == 1
    assert np.abs(spread[ones]).max() <= 1e-6
    assert 0 < np.abs(spread).max() < 0.2
    assert record_from_dict(found.to_dict()) == found
