"""Effect sizes that results list, held against the fields of their records."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.inputs import make_sentences, make_vectors

import eatlas
from eatlas.results import AssociationResult, Effect, WEATResult
from eatlas.results.levels import Level
from eatlas.results.parts import TAILS


@pytest.fixture(scope="module")
def words() -> eatlas.Results:
    return eatlas.run(tests="weat-6", measures=["ml-eat", "weat", "sc-eat"])


@pytest.fixture(scope="module")
def sentences() -> eatlas.Results:
    test = make_sentences(dict.fromkeys("XYAB", (2, 1, 3, 2)))
    return eatlas.run(test, make_vectors(test), measures=["ml-eat", "weat", "sc-eat"])


def _holds(effect: Effect, level: Level | None) -> None:
    if level is None:
        assert (effect.d, effect.n, effect.p) == (None, None, None)
        return
    known = level.effect_size, level.difference, level.n, level.p
    assert (effect.d, effect.difference, effect.n, effect.p) == known


def test_three_levels_have_three(words: eatlas.Results) -> None:
    result = words[0]
    found = result.effects()
    assert [effect.place for effect in found] == ["level1", "level2.X", "level2.Y"]
    assert [effect.roles for effect in found] == ["XY", "X", "Y"]
    read = result.primary
    for effect, level in zip(found, (read.level1, read.level2.X, read.level2.Y), strict=True):
        _holds(effect, level)
    assert found[0].name == "Male names against Female names"
    assert found[0].interval == result.adjusted.level1.interval
    assert found[0].resampled == result.uncertainty.level1
    assert found[2].crossed == result.generalisation.level2.Y
    assert found[1].influence == result.influence.level2.X
    assert found[1].design == found[2].design == result.power.level2
    assert found[0].matched == result.frequency.matched.level1
    assert all(effect.over_sentences is None for effect in found)


def test_p_is_read_by_the_rule_of_the_measure(words: eatlas.Results) -> None:
    level1, of_x, of_y = words[0].effects()
    assert level1.p_of() == level1.p.greater == level1.p_of(level1.direction)
    assert of_y.p_of() == of_y.p.less
    assert (level1.star, of_x.star) == ("*", "")
    assert of_y.p_of("two_sided") == of_y.p.two_sided
    two_sided = eatlas.run(tests="weat-6", measures="ml-eat(tail=two-sided)")[0].effects()[0]
    assert two_sided.p_of() == two_sided.p.two_sided


def test_sentences_are_read_over_stimuli(sentences: eatlas.Results) -> None:
    result = sentences[0]
    for effect in result.effects():
        assert effect.read_over == "stimuli"
        assert effect.over_sentences is not None
        assert effect.over_sentences.place == effect.place
    level1 = result.effects()[0]
    _holds(level1, result.stimulus_level.level1)
    _holds(level1.over_sentences, result.level1)
    assert level1.over_sentences.interval == result.uncertainty.level1.interval
    assert sentences[2].over_stimuli
    assert {effect.read_over for effect in sentences[2].effects()} == {"stimuli"}


def test_undefined_has_no_p_to_show() -> None:
    same = {"X": ["one", "two"], "Y": ["three", "four"], "A": ["five"], "B": ["six"]}
    vectors = {term: [1.0, 0.0] for terms in same.values() for term in terms}
    test = eatlas.AssociationTest(
        id="same", **{role: eatlas.Concept(name=role, terms=t) for role, t in same.items()}
    )
    effect = eatlas.run(tests=test, vectors=vectors, measures="weat")[0].effects()[0]
    assert (effect.d, effect.p_of(), effect.p_of("two_sided"), effect.star) == (
        None, None, None, ""
    )  # fmt: skip
    assert effect.p.two_sided == 1


class Numbers(AssociationResult):
    """A record of another package."""

    measure: Literal["numbers"] = "numbers"
    value: float
    spread: float | None = None
    level: Level | None = None
    note: str = ""


def test_a_record_of_another_package_lists_its_numbers(words: eatlas.Results) -> None:
    given = words[1]
    assert isinstance(given, WEATResult)
    head = {name: getattr(given, name) for name in AssociationResult.model_fields}
    result = Numbers(**head | {"measure": "numbers"}, value=0.7, level=given.level1)
    value, spread, level = result.effects()
    assert (value.d, value.symbol, value.title, value.p) == (0.7, "NUMBERS", "NUMBERS", None)
    assert (value.p_of(), value.star) == (None, "")
    assert (spread.d, spread.symbol) == (None, "Spread")
    assert (level.d, level.symbol, level.p) == (given.effect_size, "d", given.level1.p)
    assert (result.display_name, result.full_name) == ("NUMBERS", "NUMBERS")


class Counted(AssociationResult):
    """A record of another package with fields that are called as parts of others are."""

    measure: Literal["counted"] = "counted"
    terms: int
    alpha: float
    resamples: int


def test_fields_called_as_parts_of_others_are_numbers_without_parts(words: eatlas.Results) -> None:
    given = words[0]
    head = {name: getattr(given, name) for name in AssociationResult.model_fields}
    head |= {"measure": "counted", "pattern": None}
    adjusted = given.adjusted.model_copy(update={"terms": ()})
    numbers = {"terms": 12, "alpha": 0.8, "resamples": 5}
    result = Counted(**head | {"adjusted": adjusted} | numbers)
    for effect, d in zip(result.effects(), numbers.values(), strict=True):
        assert (effect.d, effect.adjusted, effect.design, effect.interval) == (d, None, None, None)
        assert effect.columns() == {effect.place: d}
    assert result.rows()
    assert result.finding.verdict is None


def test_after_covariates_an_effect_has_their_numbers_and_nothing_of_the_plain_one(
    words: eatlas.Results,
) -> None:
    result = words[0]
    for effect in result.effects():
        level, after = effect.adjusted, effect.after
        assert (after.d, after.difference, after.n, after.p) == (
            level.effect_size, level.difference, level.n, level.p,
        )  # fmt: skip
        assert (after.interval, after.name, after.rule) == (
            level.interval,
            effect.name,
            effect.rule,
        )
        assert (after.crossed, after.matched, after.influence, after.after) == (None,) * 4
    row = result.rows()[0]
    assert row["adjusted_for"] == "frequency"
    assert row["adjusted_pattern"] == result.adjusted.pattern.label
    assert row["adjusted_p_less_Y"] == result.adjusted.level2.Y.p.less
    assert row["adjusted_low"] == result.adjusted.level1.interval[0]


def test_without_covariates_there_is_nothing_after_them() -> None:
    result = eatlas.run(tests="weat-6", measures="weat(adjust=none)")[0]
    assert (result.changed_after, result.effects()[0].after) == (None, None)
    assert not any(name.startswith("adjusted") for name in result.rows()[0])


def _with(result, level1=None, pattern=None):
    """A result whose adjusted level 1, or pattern, is another."""
    adjusted = result.adjusted
    if level1:
        p = adjusted.level1.p.model_copy(update=dict(zip(TAILS, level1[1:], strict=True)))
        level = adjusted.level1.model_copy(update={"effect_size": level1[0], "p": p})
        adjusted = adjusted.model_copy(update={"level1": level})
    if pattern:
        label = adjusted.pattern.model_copy(update={"label": pattern})
        adjusted = adjusted.model_copy(update={"pattern": label})
    return result.model_copy(update={"adjusted": adjusted})


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ({}, False),
        ({"pattern": "Non-Directional"}, True),
        ({"level1": (0.4, 0.06, 0.95, 0.12)}, True),
        ({"level1": (0.4, 0.04, 0.97, 0.08)}, False),
        ({"level1": (-0.9, 0.98, 0.01, 0.02)}, True),
    ],
    ids=["same", "pattern", "not significant", "significant by the rule", "the other way"],
)
def test_a_conclusion_changes_with_pattern_and_level_1(words, changes, changed) -> None:
    assert _with(words[0], **changes).changed_after is changed


def test_groups_have_no_conclusion_that_could_change() -> None:
    names = {
        "Professions": "nurse pilot",
        "Women": "she her woman girl sister daughter",
        "Men": "he him man boy brother son",
    }
    targets, *groups = (eatlas.Concept(name=n, terms=t.split()) for n, t in names.items())
    test = eatlas.GroupsTest(id="work", targets=targets, groups=groups, reference="uniform")
    (result,) = eatlas.run(tests=test, vectors="glove-sample", measures="divdist(resamples=0)")
    assert result.adjusted is not None
    assert result.changed_after is None
