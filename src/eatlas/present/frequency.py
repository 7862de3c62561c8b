"""What is said of frequency: ranks of the words, and findings among random words of these ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eatlas.present.drawings.cells import MARKS, Mark
from eatlas.present.effects import LevelRow, Rule
from eatlas.present.numbers import count, effect, p_equals, p_value, percent
from eatlas.present.sentences import short_name
from eatlas.results import AssociationResult, ThreeLevelResult, WEATResult
from eatlas.results.frequency import Matched, MatchedLevel
from eatlas.results.parts import Level

OFTEN = 0.1
"""Share of the random lists from which a pattern is said to be seen often by chance."""
RUNNER_UP = 0.05


@dataclass(frozen=True)
class MatchedRow:
    """One effect size among those of random lists, as the page shows it."""

    title: str
    what: str
    d: float
    null: MatchedLevel
    mark: Mark
    beyond: bool
    """Whether the p that the rule reads is below alpha."""
    tail: str
    """The tail that the rule reads."""


def matched_of(result: AssociationResult) -> Matched | None:
    """What random words of the same frequencies show, where that is known."""
    return None if result.frequency is None else result.frequency.matched


def own_share(result: AssociationResult) -> float | None:
    """How often random lists show the result's own pattern."""
    matched = matched_of(result)
    if matched is None or matched.patterns is None or not isinstance(result, ThreeLevelResult):
        return None
    return matched.patterns.get(result.pattern.label)


def level1_p(result: AssociationResult) -> float | None:
    """The p of level 1 among random lists, in the tail that the rule reads."""
    matched = matched_of(result)
    if matched is None or matched.level1 is None:
        return None
    if not isinstance(result, ThreeLevelResult | WEATResult):
        return None
    return matched.level1.tail(Rule.of(result).tail_of(result.level1))


def not_beyond(result: AssociationResult) -> bool:
    """Whether level 1 is significant by permutation, and not among random lists."""
    p = level1_p(result)
    if p is None or not isinstance(result, ThreeLevelResult | WEATResult):
        return False
    rule = Rule.of(result)
    return rule.significant(result.level1) and p >= rule.alpha


def chance_cell(result: AssociationResult) -> tuple[str, str]:
    """Share of the pattern among random lists, and the p of level 1; empty where unknown."""
    share, p = own_share(result), level1_p(result)
    alpha = Rule.of(result).alpha
    return (
        "" if share is None else percent(share),
        "" if p is None else p_value(p, alpha),
    )


def legend(results: Sequence[AssociationResult]) -> str:
    """What stands in the column of a table; nothing where it has none."""
    known = [matched for result in results if (matched := matched_of(result)) is not None]
    if not known:
        return ""
    draws = count(known[0].draws)
    tail = "two-sided" if Rule.of(results[0]).tail == "two-sided" else "in the direction of d"
    p = f"the p of d at level 1 among them, {tail}"
    if any(matched.patterns is not None for matched in known):
        p = f"share that shows the same pattern; below, {p}"
    return f"Chance: {draws} lists of random words of the same frequencies; {p}."


def about_frequency(result: AssociationResult) -> str:
    """How frequent the words are, and what random words of these frequencies show."""
    if result.frequency is None:
        return f"Not known: {result.frequency_reason}." if result.frequency_reason else ""
    ranks = result.frequency.ranks
    medians = ", ".join(
        f"{short_name(result.concepts.name(role))} "
        + ("–" if median is None else count(round(median)))
        for role, median in ranks.medians().items()
    )
    said = f"Median ranks of the words in {ranks.vocabulary}: {medians}."
    matched = result.frequency.matched
    if matched is None:
        return f"{said} Not compared with random words: {result.frequency.reason}."
    return " ".join([said, *_among(result, matched)])


def _among(result: AssociationResult, matched: Matched) -> list[str]:
    of = f"{count(matched.draws)} lists of random words of the same frequencies"
    found = []
    if matched.patterns is not None and isinstance(result, ThreeLevelResult):
        own = result.pattern.label
        shares = f"{percent(matched.patterns.get(own, 0.0))} show {own} too"
        others = {label: share for label, share in matched.patterns.items() if label != own}
        label, share = max(others.items(), key=lambda pair: pair[1])
        if share >= RUNNER_UP:
            shares += f", {percent(share)} {label}"
        found.append(f"Of {of}, {shares}.")
        of = "these lists"
    p = level1_p(result)
    if p is not None and matched.level1 is not None:
        low, high = (
            effect(end) for end in (matched.level1.quantiles[0], matched.level1.quantiles[4])
        )
        alpha = Rule.of(result).alpha
        beyond = "beyond" if p < alpha else "not beyond"
        found.append(
            f"95% of {of} give a d at level 1 between {low} and {high}: the observed one is "
            f"{beyond} what frequency gives by chance ({p_equals(p, alpha)})."
        )
    return found


def matched_rows(result: AssociationResult, levels: Sequence[LevelRow]) -> list[MatchedRow]:
    """Each effect size with the random lists behind it; none where there are none."""
    matched = matched_of(result)
    if matched is None or not isinstance(result, ThreeLevelResult | WEATResult):
        return []
    nulls: dict[str, MatchedLevel | None] = {"level1": matched.level1}
    own: dict[str, Level] = {"level1": result.level1}
    if matched.level2 is not None and isinstance(result, ThreeLevelResult):
        for role in "XY":
            nulls[f"level2.{role}"] = matched.level2.group(role)
            own[f"level2.{role}"] = result.level2.group(role)
    rule = Rule.of(result)
    rows = []
    for row in levels:
        null, level = nulls.get(row.place), own.get(row.place)
        if null is None or level is None or level.effect_size is None:
            continue
        tail = rule.tail_of(level)
        rows.append(
            MatchedRow(
                row.title, row.what, level.effect_size, null, MARKS[row.place],
                null.tail(tail) < rule.alpha, tail,
            )
        )  # fmt: skip
    return rows


@dataclass(frozen=True)
class RankRow:
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
        return RankRow(None, "–", "–")
    ends = [f"{term} ({count(rank)})" for rank, term in (known[0], known[-1])]
    return RankRow(group.median, *ends)
