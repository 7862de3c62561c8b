"""Associations given frequency, of the measures that are none of words and cosines alone."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant
from tests.inputs import Encoder, make_test
from tests.measures.test_lpbs import Table, any_number
from tests.measures.test_lpbs_ceat import matrices

import eatlas
from eatlas.results.levels import draws_of

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
AGREEMENT = 1e-10
WORDS = {  # in no order of the alphabet; dorp has no rank
    "X": ("tulip", "aster", "rose", "iris", "dorp", "clover", "lily"),
    "Y": ("moth", "ant", "flea", "wasp", "gnat", "bee"),
    "A": ("peace", "love", "joy", "heaven", "lucky", "honest"),
    "B": ("war", "hatred", "filth", "agony", "prison", "poison"),
}
TEMPLATES = "{target} is {attribute}.; Here {target} is {attribute}.; {target} was {attribute}."


def in_contexts(most=5, turned=False):
    """A test in one or more sentences of each word, and vectors of these."""
    rng = np.random.default_rng(0)
    concepts = {}
    for role, words in WORDS.items():
        sentences = [
            {"text": f"{word} {i}.", "stimulus": word}
            for word in words
            for i in range(rng.integers(1, most + 1))
        ]
        concepts[role] = sentences
    texts = [one["text"] for sentences in concepts.values() for one in sentences]
    source = Encoder(texts, rng.normal(size=(len(texts), 8)))
    step = -1 if turned else 1
    each = {role: eatlas.Concept(name=role, sentences=s[::step]) for role, s in concepts.items()}
    return eatlas.AssociationTest(id="said", **each), source


def by_least_squares(scores, ranks, n):
    """Difference of two groups given log rank and its square; of rows, of each."""
    x = np.log(np.array(ranks, float))
    x = (x - x.mean()) / x.std()
    label = (np.arange(len(x)) < n).astype(float)
    columns = add_constant(np.column_stack([x, x**2, label]))
    return OLS(np.transpose(scores), columns).fit().params[-1]


def levels(result):
    """Each level, with the scores and the ranks of words that have one, and its first group."""
    scores = result.primary.scores
    for place, groups, values in (
        ("level1", "XY", {"X": scores.X, "Y": scores.Y}),
        ("level2.X", "AB", scores.attributes_with_X),
        ("level2.Y", "AB", scores.attributes_with_Y),
    ):
        known = [
            (result.frequency.ranks[group].terms[name], score)
            for group in groups
            for name, score in zip(result.scored(group), values[group], strict=True)
            if name != "dorp"
        ]
        n = len([name for name in result.scored(groups[0]) if name != "dorp"])
        yield result.effect(place), *map(np.array, zip(*known, strict=True)), n


def result_of(measure):
    if measure.needs.source == "masked":
        return measure(make_test(**WORDS), Table(any_number))
    if measure.name == "zero-shot":
        return measure(eatlas.load_tests("weat-6")[0], "glove-sample")
    return measure(*in_contexts())


MEASURES = (
    eatlas.MLEAT(),
    eatlas.CEAT(n=50),
    eatlas.LPBS(),
    eatlas.LPBSCEAT(n=50, templates=TEMPLATES),
    eatlas.ZeroShot(scale=20),
)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_the_difference_is_that_of_least_squares(measure):
    result = result_of(measure)
    for effect, ranks, scores, n in levels(result):
        level = effect.adjusted
        assert level.difference == pytest.approx(by_least_squares(scores, ranks, n), rel=AGREEMENT)
        assert level.n == (n, len(scores) - n)
        assert 0 < level.p.two_sided <= 1
        if draws_of(result) is None:
            d = level.difference / np.std(scores, ddof=1)
            assert level.effect_size == pytest.approx(d, rel=AGREEMENT)
    assert result.adjusted.pattern is not None
    codes = {note.code for note in result.warnings}
    assert "adjusted.none" not in codes
    assert ("adjusted.left-out" in codes) == (measure.name != "zero-shot")


@pytest.mark.parametrize("measure", [eatlas.MLEAT, eatlas.LPBS])
def test_the_interval_and_the_p_value_agree(measure):
    for alpha in (0.5, 0.05, 0.001):
        level = result_of(measure(resamples=0, confidence=1 - alpha)).adjusted.level1
        assert level.interval[0] < level.estimate < level.interval[1]
        assert (level.p.two_sided < alpha) == (level.interval[0] > 0 or level.interval[1] < 0)


def test_the_effect_size_over_draws_is_the_mean_of_those_of_the_draws():
    result = result_of(eatlas.LPBSCEAT(n=50, templates=TEMPLATES))
    m = matrices(make_test(**WORDS), 50, templates=TEMPLATES)
    scores = m[:, :, :6].mean(axis=2) - m[:, :, 6:].mean(axis=2)
    names = [*sorted(WORDS["X"]), *sorted(WORDS["Y"])]
    ranks = {n: r for g in "XY" for n, r in result.frequency.ranks[g].terms.items()}
    known = [i for i, name in enumerate(names) if name != "dorp"]
    differences = by_least_squares(scores[:, known], [ranks[names[i]] for i in known], 6)
    d = differences / scores.std(axis=1, ddof=1)
    assert result.adjusted.level1.effect_size == pytest.approx(d.mean(), rel=AGREEMENT)


def test_draws_of_the_only_context_are_the_words():
    one = in_contexts(most=1)
    drawn, words = (measure(*one).adjusted for measure in (eatlas.CEAT(n=9), eatlas.MLEAT()))
    for role in "XY":
        a, b = drawn.level2[role], words.level2[role]
        assert a.effect_size == pytest.approx(b.effect_size, rel=AGREEMENT)
        assert a.interval == pytest.approx(b.interval, abs=1e-4)  # of cosines with six decimals
        assert a.p.two_sided == pytest.approx(b.p.two_sided, rel=1e-4)


def test_the_crossed_test_over_draws_of_one_sentence_is_that_of_its_scores():
    one = {"templates": "{target} is {attribute}."}
    drawn, scored = map(result_of, (eatlas.LPBSCEAT(n=9, **one), eatlas.LPBS(**one)))
    for place in ("level2.X", "level2.Y"):  # all words of which have a rank
        a, b = drawn.effect(place), scored.effect(place)
        assert a.adjusted.p.two_sided == pytest.approx(b.adjusted.p.two_sided, rel=1e-4)
        assert a.interval == pytest.approx(b.interval, abs=1e-4)
        assert (a.interval_basis, a.adjusted.interval) == ("adjusted", a.interval)


@pytest.mark.parametrize(
    "measure", [eatlas.CEAT(n=9), eatlas.SCEAT(p="normal"), eatlas.MLEAT(resamples=9)]
)
def test_the_order_of_contexts_changes_nothing(measure):
    one, other = (measure(*in_contexts(turned=turned)).effects() for turned in (False, True))
    by_term = {effect.title + effect.name: effect.adjusted for effect in one}
    for effect in other:
        a, b = effect.adjusted, by_term[effect.title + effect.name]
        assert (a.p, a.interval) == (b.p, b.interval)
        assert a.difference == pytest.approx(b.difference, rel=AGREEMENT)


def test_each_target_of_an_sc_eat():
    test, source = in_contexts()
    result = eatlas.SCEAT(p="normal")(test, source)
    rows = {}
    for role in "XYAB":
        for name in WORDS[role]:
            texts = [t for t, of in test.concept(role).stimulus_of.items() if of == name]
            units = [v / np.linalg.norm(v) for v in map(source.lookup(texts).get, texts)]
            rows[name] = np.mean(units, axis=0)
    both = [*WORDS["A"], *WORDS["B"]]
    ranks = [result.frequency.ranks[g].terms[name] for g in "AB" for name in WORDS[g]]
    assert [term.term for term in result.adjusted.terms] == [*WORDS["X"], *WORDS["Y"]]
    for entry in result.adjusted.terms:
        scores = [rows[entry.term] @ rows[name] for name in both]
        difference = by_least_squares(scores, ranks, 6)
        assert entry.level2.difference == pytest.approx(difference, rel=AGREEMENT)
        d = difference / np.std(scores, ddof=1)
        assert entry.level2.effect_size == pytest.approx(d, rel=AGREEMENT)
    assert result.adjusted.left_out == {}
