"""The findings of a whole page in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import OFTEN, matched_of, not_beyond, own_share
from eatlas.present.numbers import all_of, count, number_of, percent
from eatlas.present.sections import Section, distinct
from eatlas.present.series import Series
from eatlas.present.text import isolated
from eatlas.present.trust import crossed_cell
from eatlas.present.wording import VECTORS, wording
from eatlas.results import ThreeLevelResult
from eatlas.results.primary import UNDEFINED

NAMED = 6
"""Tests that a sentence names; more would hide what it says."""
TRENDS = 3
"""Series whose trends are told one by one."""
UNSTABLE = 0.5
"""Below this share of the resamples, a pattern is seen less often than others together."""


def in_brief(
    shown: Sequence[Section], family: DeclaredFamily, series: Sequence[Series] = ()
) -> list[str]:
    """Say in sentences what the results of a page show together; nothing for none."""
    if not shown:
        return []
    gaps = any(one.missing for one in series)
    return [*_over_time(series), *_sentences(shown, family, gaps=gaps)]


def _over_time(series: Sequence[Series]) -> Iterator[str]:
    """Trends one by one while they are few, then how many there are."""
    told = [one for one in series if one.finding]
    if len(told) <= TRENDS:
        for one in told:
            text = one.finding[0].lower() + one.finding[1:]
            yield f"{isolated(one.first.test)} from {one.span}: {text}"
        return
    ways = [one.way for one in told]
    yield (
        f"Of {count(len(told))} series, the effect size d at level 1 rises significantly with the "
        f"year in {ways.count(1) or 'none'} and falls in {ways.count(-1) or 'none'}."
    )


def _sentences(shown: Sequence[Section], family: DeclaredFamily, *, gaps: bool) -> Iterator[str]:
    maps = [(s, s.result) for s in shown if isinstance(s.result, ThreeLevelResult)]
    if maps:
        yield from _patterns(maps)
        yield from _two_sided(maps)
        yield from _unstable(maps)
    yield from _other_words(shown)
    yield from _of_frequency(shown)
    if family.finding:
        yield family.finding
    yield from _missing(shown, gaps=gaps)


def _other_words(shown: Sequence[Section]) -> Iterator[str]:
    """Whose level 1 other targets and other attributes may not show."""
    known = [
        (s, p < s.rule.alpha)
        for s in shown
        if (level := crossed_cell(s.result, "level1")) and (p := level.p_two_sided) is not None
    ]
    doubtful = [section for section, holds in known if not holds]
    if not known:
        return
    tested = "Tested against the spread of targets and attributes together, level 1"
    if not doubtful:
        what = "the one result" if len(known) == 1 else f"{all_of(len(known))} results"
        yield f"{tested} is significant in {what}."
        return
    yield (
        f"{tested} is not significant for {_named(doubtful)}: other words may not show "
        f"{'it' if len(doubtful) == 1 else 'them'}."
    )


def _patterns(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> Iterator[str]:
    labels = Counter(result.primary.label for _, result in maps)
    found = sum(n for label, n in labels.items() if label not in {"Non-Directional", UNDEFINED})
    read = _over_stimuli(maps)
    if len(maps) == 1:
        label = maps[0][1].primary.label
        if label == UNDEFINED:
            yield f"The one {_measured(maps)} here has no pattern over stimuli."
        else:
            yield f"The one {_measured(maps)} here shows the pattern {label}{read}."
        return
    n = len(maps)
    called = f"{_measured(maps)}s"
    held = f"{all_of(n)} {called}" if found == n else f"{found or 'none'} of {count(n)} {called}"
    kinds = ", ".join(f"{label} ({n})" for label, n in labels.most_common())
    yield (
        f"In {held}, the {_subject(maps)} associate at least one of the "
        f"two target groups with an attribute{read}. The patterns: {kinds}."
    )


def _over_stimuli(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> str:
    """That tests of sentences are read over stimuli."""
    read = {result.primary.over_stimuli for _, result in maps}
    if True not in read:
        return ""
    return " over stimuli" if read == {True} else " (in tests of sentences: over stimuli)"


def _measured(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> str:
    """What was done, in one word for all."""
    names = {result.measure.upper() for _, result in maps}
    return names.pop() if len(names) == 1 else "test"


def _subject(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> str:
    """What associates, in words for all."""
    return " or ".join(dict.fromkeys(result.subject for _, result in maps))


def _two_sided(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> Iterator[str]:
    directional = [pair for pair in maps if pair[0].rule.tail == "directional"]
    if not directional:
        return
    changed = [s for s, r in directional if r.primary.two_sided_label != r.primary.label]
    if not changed:
        yield "Under the stricter two-sided rule, every pattern stays the same."
        return
    yield (
        f"Under the stricter two-sided rule, {number_of(len(changed), 'pattern')} "
        f"{'changes' if len(changed) == 1 else 'change'}: {_named(changed)}."
    )


def _unstable(maps: Sequence[tuple[Section, ThreeLevelResult]]) -> Iterator[str]:
    known = [(s, share) for s, r in maps if (share := r.primary.share) is not None]
    weak = [s for s, share in known if share < UNSTABLE]
    if not known:
        return
    if weak:
        yield (
            "Fewer than half of the resamples of the words show the same pattern for "
            f"{_named(weak)}: take {'this pattern' if len(weak) == 1 else 'these patterns'} with "
            "caution."
        )
    else:
        least = min(known, key=lambda pair: pair[1])
        yield (
            f"{'Every pattern' if len(known) == len(maps) else 'Each pattern of resampled words'} "
            "is that of more than half of the resamples of the words, least "
            f"often that of {_called(least[0])} ({percent(least[1])}); such a share is not the "
            "probability that other words would show it."
        )


def _of_frequency(shown: Sequence[Section]) -> Iterator[str]:
    """Which findings random words of the same frequencies give too."""
    compared = [s for s in shown if matched_of(s.result) is not None]
    if not compared:
        return
    by_chance = [s for s in compared if not_beyond(s.result)]
    often = [
        s
        for s in compared
        if s.own_pattern != "Non-Directional" and (own_share(s.result) or 0.0) >= OFTEN
    ]
    if often:
        yield (
            f"{percent(OFTEN)} or more of the lists of random words of the same frequencies show "
            f"the same pattern: {_named(often)}."
        )
    if by_chance:
        yield (
            f"At level 1, {number_of(len(by_chance), 'effect')} that "
            f"{'is' if len(by_chance) == 1 else 'are'} significant by permutation "
            f"{'is' if len(by_chance) == 1 else 'are'} not beyond what random words of the same "
            f"frequencies give: {_named(by_chance)}."
        )
    if not often and not by_chance:
        yield "Random words of the same frequencies seldom show the same."


def _missing(shown: Sequence[Section], *, gaps: bool) -> Iterator[str]:
    # several measures of one test look up the same terms
    counts = {(s.result.test, s.source): s.result.coverage.counts() for s in shown}
    missing = sum(m for _, m in counts.values())
    words = wording(s.result for s in shown)
    if not missing:
        where = ", in the years that have a result" if gaps else ""
        yield f"Every term of every test {words.complete}{where}."
        return
    lacking = [section for section in shown if section.missing]
    said = "could not be used"
    if words is VECTORS:
        said = f"{'has' if missing == 1 else 'have'} no vector and {said}"
    yield (
        f"{count(missing)} of {number_of(missing + sum(u for u, _ in counts.values()), 'term')} "
        f"{said} "
        f"({_named(lacking)}); each result lists its own."
    )


def _named(shown: Sequence[Section]) -> str:
    names = distinct(_called(section) for section in shown)
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED])} and {count(len(names) - NAMED)} more"


def _called(section: Section) -> str:
    """The test and, in a series, its year."""
    year = section.result.period
    return isolated(section.result.test) + ("" if year is None else f" ({year})")
