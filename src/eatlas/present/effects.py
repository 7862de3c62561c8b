"""What is known of a result and of its effect sizes, as tables, sentences and pages need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from eatlas.errors import join_names
from eatlas.numbers import UNDEFINED, count, effect, p_value
from eatlas.present.text import isolate, wrap
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import Matched, MatchedLevel, draws_of
from eatlas.results.parts import at
from eatlas.stimuli.kinds import ROLES

if TYPE_CHECKING:
    from eatlas.results.finding import Finding

RUNNER_UP = 0.05
"""Proportion of samples from which another pattern is worth a mention."""
LONGEST_NAME = 80
"""Characters; a longer one would hide the sentence, and is in full beside it."""


def levels_of(result: AssociationResult, finding: Finding | None = None) -> list[Effect]:
    """The effect sizes of a result as a whole, with what its finding says of each."""
    levels = [effect for effect in result.effects() if effect.term is None]
    questions = finding.questions if finding else {}
    return [
        replace(level, verdict=question.verdict)
        if (question := questions.get(level.place))
        else level
        for level in levels
    ]


def number_of_result(result: AssociationResult) -> str:
    """The number of a result as text, if no effect size d to three decimals; else its summary."""
    effects = result.effects()
    if not effects:
        return result.summary()
    return effect(result.value, 2 if effects[0].symbol == "d" else 3)


def effect_in_papers(result: AssociationResult) -> Effect | None:
    """The effect size that papers print: of LPBS over attributes, else level 1; or None."""
    by_place = {effect.place: effect for effect in result.effects()}
    return by_place.get("over_attributes") or by_place.get("level1")


def only_terms(effects: Sequence[Effect]) -> bool:
    """Whether effect sizes are all of single terms."""
    return bool(effects) and all(effect.term is not None for effect in effects)


def concerns_single_terms(result: AssociationResult) -> bool:
    """Whether a result says nothing but what single terms are associated with."""
    effects = result.effects()
    return only_terms(effects) or not (effects or result.rows())


def shares_of(result: AssociationResult) -> tuple[dict[str, float], dict[str, float]]:
    """Share of each pattern among draws of contexts, or else resamples, and its standard error."""
    if (draws := draws_of(result)) is not None:
        return draws.patterns, {}
    known = result.primary.uncertainty
    return ((known and known.patterns) or {}), ((known and known.patterns_error) or {})


def own_share(result: AssociationResult) -> float | None:
    """The share of the result's own pattern, where it is known."""
    return shares_of(result)[0].get(result.primary.label)


def runner_up(shares: Mapping[str, float], own: str) -> tuple[str, float] | None:
    """The most frequent of the other patterns, with its share; None where it is seldom seen."""
    others = ((label, share) for label, share in shares.items() if label != own)
    label, share = max(others, key=lambda pair: pair[1], default=("", 0.0))
    return (label, share) if share >= RUNNER_UP else None


def short_name(text: str) -> str:
    """A name for the middle of a sentence, not longer than 80 characters."""
    return isolate(wrap(text, LONGEST_NAME, len, 1)[0])


def names_of(result: AssociationResult) -> dict[str, str]:
    """Concept names by role, fit for the middle of a sentence."""
    return {role: short_name(name) for role, name in result.concepts.items()}


def name_of_d(results: Iterable[AssociationResult]) -> str:
    """What effect sizes d are called: in tests of sentences with the unit that they are over."""
    units = {result.read_over for result in results}
    return f"d over {units.pop()}" if len(units) == 1 and "terms" not in units else "d"


def unit_of(result: AssociationResult, roles: Iterable[str] = ROLES, word: str = "term") -> str:
    """What some groups of a result are made of: words, stimuli of sentences, or images."""
    images = [bool(result.coverage[role].image) for role in roles]
    if all(images):
        return "image"
    return "stimulus" if result.over_stimuli or any(images) else word


def of_random_weights(result: AssociationResult) -> bool:
    """Whether the model was not trained, as a control."""
    return any(note.code == "source.random-weights" for note in result.warnings) or (
        result.encoding is not None and result.encoding.weights == "random"
    )


def topic_baseline(result: AssociationResult) -> Matched | None:
    """What random topics show in the place of a test's lists, where that is known."""
    return None if result.frequency is None else result.frequency.matched


def chance_cell(result: AssociationResult) -> str:
    """The p of level 1 among random topics: two-sided, as no direction was stated before."""
    matched = topic_baseline(result)
    known = matched.level1 if matched else None
    return p_value(known.p_two_sided, result.rule.alpha) if known else ""


def chance_legend(results: Sequence[AssociationResult]) -> str:
    """What is in the column of chance of a table; nothing where it has none."""
    if not any(map(topic_baseline, results)):
        return ""
    return (
        "Random topics: proportion of pairs of random topics, as near to each other as the lists, "
        "that differ as much at level 1."
    )


def chance_line(effect: Effect) -> str:
    """How many random topics differ as much; empty where that is not known.

    Examples
    --------
    >>> import eatlas
    >>> (result,) = eatlas.run("weat-1")
    >>> chance_line(result.effect("level1"))
    'Among pairs of random topics as near to each other, 1.5% differ as much.'
    """
    if effect.matched is None:
        return ""
    p = effect.matched.p_two_sided
    share = "fewer than 0.1%" if p < 0.001 else f"{p:.1%}" if p < 0.1 else f"{p:.0%}"
    if effect.place == "level1":
        return f"Among pairs of random topics as near to each other, {share} differ as much."
    return f"Among random topics against pairs as near to each other, {share} differ as much."


def chance_range(effect: Effect) -> tuple[float, float]:
    """Where 95% of the differences of random topics are that an effect is compared with, as d."""
    unit = effect.d / effect.difference if effect.d and effect.difference else 0.0
    low, *_, high = cast("MatchedLevel", effect.matched).quantiles
    return low * unit, high * unit


def covariates_of(results: Iterable[AssociationResult]) -> list[str]:
    """Names of the covariates that are accounted for in any of the results."""
    names = (name for r in results if r.adjusted for name in r.adjusted.covariates)
    return list(dict.fromkeys(names))


def covariates_in_words(names: Sequence[str]) -> str:
    """Covariates in a sentence."""
    return "the words' frequency" if list(names) == ["frequency"] else join_names(names)


def at_equal(results: Iterable[AssociationResult]) -> str:
    """At equal values of what, where that is so of all results; empty where it is not.

    The beginning of a title says it after "for other words".
    """
    every = list(results)
    if not all(result.adjusted for result in every):
        return ""
    names = covariates_of(every)
    return f"at equal {'word frequency' if names == ['frequency'] else join_names(names)}"


def interval_in_words(results: Iterable[AssociationResult]) -> str:
    """What the intervals of results are, behind "95% interval"; empty if there are none."""
    every = list(results)
    bases = {
        effect.interval_basis
        for result in every
        for effect in result.effects()
        if effect.term is None and effect.interval
    }
    if not bases & {"adjusted", "crossed"}:
        return "over bootstrap samples" if bases else ""
    names = covariates_of(every)
    held = "word frequency" if names == ["frequency"] else join_names(names)
    text = f"for other {join_names(facets_of(every))}"
    if "adjusted" in bases:
        text += f", at equal {held} if it is known" if len(bases) > 1 else f" at equal {held}"
    return f"{text}, else over bootstrap samples" if "bootstrap" in bases else text


def facets_of(results: Iterable[AssociationResult]) -> list[str]:
    """Over what claims of results generalise: words, and what else varies in all of them."""
    further = [at(result, "generalisation.facets") or () for result in results]
    shared = [name for name in (further[0] if further else ()) if all(name in f for f in further)]
    return ["words", *shared]


def p_heads(results: Iterable[AssociationResult]) -> dict[str, str]:
    """Heads of the columns of the three p-values of a question, by their names in a record."""
    every = list(results)
    names = covariates_of(every) or ["frequency"]
    held = names[0] if len(names) == 1 else "covariates"
    new = f"new {join_names(facets_of(every))}"
    return {"these": "these words", "new": new, "adjusted": f"adjusted for {held}"}


def without_adjustment(result: AssociationResult) -> str:
    """Why a question has no p-value that is adjusted, in two words."""
    if result.adjustment_is_off:
        return "not adjusted"
    return "too few words" if result.adjustable else "frequency unknown"


def title_after(results: Iterable[AssociationResult]) -> str:
    """Head of the columns of numbers that are adjusted for covariates."""
    names = covariates_of(results)
    return f"Adjusted for {names[0] if len(names) == 1 else 'covariates'}"


def after_legend(results: Sequence[AssociationResult]) -> str:
    """What is in the column of adjusted numbers; nothing where a table has none."""
    after = [r for r in results if r.adjusted is not None and r.by_target is None]
    if not after:
        return ""
    what = "d and p of each term" if only_terms(after[0].effects()) else "d and p at level 1"
    return (
        f"{title_after(after)}: {what} between words of equal {join_names(covariates_of(after))}."
    )


class StrongestTerm(NamedTuple):
    """The term that contributes most to an effect size, and what d is without any single term."""

    role: str
    term: str
    without: float
    """The effect size without it."""
    low: float
    high: float


def strongest_term(effect: Effect, result: AssociationResult) -> StrongestTerm | None:
    """The term without which an effect size comes nearest to 0, or changes its sign."""
    if effect.influence is None or effect.d is None:
        return None
    changes = [
        (change, role, term)
        for role, values in effect.influence.items()
        for term, change in zip(result.coverage[role].stimuli, values, strict=False)
        if change is not None
    ]
    holding = [found for found in changes if found[0] * effect.d < 0]
    if not holding:
        return None
    change, role, term = max(holding, key=lambda found: abs(found[0]))
    every = [found[0] for found in changes]
    d = effect.d
    return StrongestTerm(role, term, d + change, d + min(every), d + max(every))


def rank_row(result: AssociationResult, role: str) -> tuple[float | None, str, str]:
    """Median rank of a group, its most frequent word and its rarest; dashes where none is known."""
    group = None if result.frequency is None else result.frequency.ranks[role]
    terms = {} if group is None else group.terms
    known = sorted((rank, term) for term, rank in terms.items() if rank is not None)
    if group is None or not known:
        return None, UNDEFINED, UNDEFINED
    first, last = (f"{term} ({count(rank)})" for rank, term in (known[0], known[-1]))
    return group.median, first, last
