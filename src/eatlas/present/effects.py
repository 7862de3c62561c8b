"""What is known of a result and of its effect sizes, as tables, sentences and pages need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from eatlas.present.numbers import UNDEFINED, count, ends_of, interval, p_value, percent
from eatlas.present.text import isolated, wrap
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.inference import Matched, MatchedLevel

RUNNER_UP = 0.05
"""Share of resamples, draws or random lists from which another pattern is worth a mention."""
OFTEN = 0.1
"""Share of the random lists from which a pattern counts as often seen by chance."""
LONGEST_NAME = 80
"""Characters; a longer one would hide the sentence, and is in full beside it."""
OVER_SENTENCES = (
    "Sentences of one stimulus are not independent, so p-values that relabel single sentences are "
    "smaller than the number of stimuli warrants. What is read, starred and adjusted is over "
    "stimuli: the associations of the sentences of one stimulus are averaged first, and the "
    "p-values relabel stimuli."
)
"""Why findings over single sentences are below those over stimuli."""


def levels_of(result: AssociationResult) -> list[Effect]:
    """The effect sizes of a result as a whole, without those of single terms."""
    return [effect for effect in result.effects() if effect.term is None]


def about_terms(result: AssociationResult) -> bool:
    """Whether a result says nothing but what single terms are associated with."""
    effects = result.effects()
    return only_terms(effects) or not (effects or result.rows())


def only_terms(effects: Sequence[Effect]) -> bool:
    """Whether effect sizes are all of single terms."""
    return bool(effects) and all(one.term is not None for one in effects)


def compared(effect: Effect) -> str:
    """What an effect size compares, in the concepts' names, and what else it is known as."""
    return f"{effect.name}: {effect.remark}" if effect.remark else effect.name


def ends(effect: Effect) -> tuple[str, str] | None:
    """The ends of the bootstrap interval, with the digits that resampling can tell."""
    if effect.resampled is None or effect.resampled.interval is None:
        return None
    return ends_of(effect.resampled.interval, errors=effect.resampled.error)


def bracketed(effect: Effect) -> str:
    """The bootstrap interval in brackets; a dash where it is undefined."""
    given = effect.resampled
    return UNDEFINED if given is None else interval(given.interval, errors=given.error)


def shares_of(result: AssociationResult) -> tuple[dict[str, float], dict[str, float]]:
    """Share of each pattern among draws of contexts, or else resamples, and its standard error."""
    if result.draws is not None:
        return result.draws.patterns, {}
    given = result.primary.uncertainty
    return ((given and given.patterns) or {}), ((given and given.patterns_error) or {})


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
    return isolated(wrap(text, LONGEST_NAME, len, 1)[0])


def names_of(result: AssociationResult) -> dict[str, str]:
    """Concept names by role, fit for the middle of a sentence."""
    return {role: short_name(name) for role, name in result.concepts.items()}


def one_stimulus(result: AssociationResult, roles: str) -> str:
    """Why a level is undefined over stimuli."""
    names = [short_name(result.concepts.name(r)) for r in result.primary.alone if r in roles]
    return f"all sentences of {' and of '.join(names)} are made of one stimulus"


def matched_of(result: AssociationResult) -> Matched | None:
    """What random words of the same frequencies show, where that is known."""
    return None if result.frequency is None else result.frequency.matched


def matched_effects(levels: Iterable[Effect]) -> list[tuple[Effect, MatchedLevel]]:
    """Effect sizes, over single sentences in tests of sentences, among those of random lists."""
    return [(one.over_sentences or one, one.matched) for one in levels if one.matched]


def share_by_chance(result: AssociationResult) -> float | None:
    """How often random lists show the result's own pattern."""
    matched = matched_of(result)
    if matched is None or matched.patterns is None or result.pattern is None:
        return None
    return matched.patterns.get(result.pattern.label)


def level1_p(result: AssociationResult) -> float | None:
    """The two-sided p of level 1 among lists of random words: no direction was stated before."""
    matched = matched_of(result)
    if matched is None or matched.level1 is None:
        return None
    return matched.level1.p_two_sided


def not_beyond(result: AssociationResult) -> bool:
    """Whether level 1 is significant by permutation, and not among random lists."""
    p = level1_p(result)
    return p is not None and p >= result.rule.alpha and _level1(result).significant


def _level1(result: AssociationResult) -> Effect:
    """Level 1, over single sentences in tests of sentences, as random lists are."""
    level1 = result.effect("level1")
    return level1.over_sentences or level1


def chance_cell(result: AssociationResult) -> tuple[str, str]:
    """Share of the pattern among random lists, and the p of level 1; empty where unknown."""
    share, p = share_by_chance(result), level1_p(result)
    return (
        "" if share is None else percent(share),
        "" if p is None else p_value(p, result.rule.alpha),
    )


def legend(results: Sequence[AssociationResult]) -> str:
    """What is in the column of random words of a table; nothing where it has none."""
    known = [matched for result in results if (matched := matched_of(result)) is not None]
    if not known:
        return ""
    p = "the p of d at level 1 among them, two-sided"
    if any(matched.patterns is not None for matched in known):
        p = f"share that shows the same pattern; below, {p}"
    draws = count(known[0].draws)
    return f"Random words: {draws} lists of unrelated words of the same frequencies; {p}."


def changes_of(result: AssociationResult, effect: Effect) -> list[tuple[float, str, str]]:
    """Change of an effect size without a term, the term and its group; the largest first."""
    changes = [
        (change, term, role)
        for role, some in (effect.influence.items() if effect.influence else ())
        for term, change in zip(result.scored(role), some, strict=False)
        if change is not None
    ]
    return sorted(changes, key=lambda row: -abs(row[0]))


class RankRow(NamedTuple):
    """Ranks of one group, as the page lists them."""

    median: float | None
    first: str
    """The most frequent word with its rank."""
    last: str


def rank_row(result: AssociationResult, role: str) -> RankRow:
    """The median rank of a group, and the words at both ends; dashes where none is known."""
    group = None if result.frequency is None else result.frequency.ranks.group(role)
    terms = {} if group is None else group.terms
    known = sorted((rank, term) for term, rank in terms.items() if rank is not None)
    if group is None or not known:
        return RankRow(None, UNDEFINED, UNDEFINED)
    first, last = (f"{term} ({count(rank)})" for rank, term in (known[0], known[-1]))
    return RankRow(group.median, first, last)
