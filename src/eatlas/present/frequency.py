"""Frequency in words: ranks of terms, and findings among random words of these ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from eatlas.present.effects import runner_up
from eatlas.present.numbers import UNDEFINED, count, effect, p_equals, p_value, percent
from eatlas.present.sentences import short_name
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.frequency import Matched, MatchedLevel

OFTEN = 0.1
"""Share of the random lists from which a pattern counts as often seen by chance."""


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
    """The p of level 1 among random lists, in the tail that the rule reads."""
    matched = matched_of(result)
    if matched is None or matched.level1 is None:
        return None
    return matched.level1.tail(_level1(result).tail)


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
    """What stands in the column of a table; nothing where it has none."""
    known = [matched for result in results if (matched := matched_of(result)) is not None]
    if not known:
        return ""
    tail = "two-sided" if results[0].rule.tail == "two-sided" else "in the direction of d"
    p = f"the p of d at level 1 among them, {tail}"
    if any(matched.patterns is not None for matched in known):
        p = f"share that shows the same pattern; below, {p}"
    draws = count(known[0].draws)
    return f"Chance: {draws} lists of random words of the same frequencies; {p}."


def about_frequency(result: AssociationResult) -> str:
    """How frequent the words are, and what random words of these frequencies show."""
    if result.frequency is None:
        return f"Not known: {result.frequency_reason}." if result.frequency_reason else ""
    ranks = result.frequency.ranks
    medians = ", ".join(
        f"{short_name(result.concepts.name(role))} "
        + (UNDEFINED if median is None else count(round(median)))
        for role, median in ranks.medians().items()
    )
    text = f"Median ranks of the words in {ranks.vocabulary}: {medians}."
    matched = result.frequency.matched
    if matched is None:
        return f"{text} Not compared with random words: {result.frequency.reason}."
    return " ".join([text, *_among(result, matched)])


def _among(result: AssociationResult, matched: Matched) -> list[str]:
    """How often random lists show the pattern, and where d at level 1 lies among theirs."""
    of = f"{count(matched.draws)} lists of random words of the same frequencies"
    found = []
    if matched.patterns is not None and result.pattern is not None:
        own = result.pattern.label
        shares = f"{percent(matched.patterns.get(own, 0.0))} show {own} too"
        if other := runner_up(matched.patterns, own):
            shares += f", {percent(other[1])} {other[0]}"
        found.append(f"Of {of}, {shares}.")
        of = "these lists"
    p = level1_p(result)
    if p is not None and matched.level1 is not None:
        low, high = (
            effect(end) for end in (matched.level1.quantiles[0], matched.level1.quantiles[4])
        )
        alpha = result.rule.alpha
        beyond = "beyond" if p < alpha else "not beyond"
        found.append(
            f"95% of {of} give a d at level 1 between {low} and {high}: the observed one is "
            f"{beyond} what frequency gives by chance ({p_equals(p, alpha)})."
        )
    return found


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
