"""The findings of a whole page in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import OFTEN, matched_of, not_beyond, share_by_chance
from eatlas.present.numbers import all_of, count, number_of, percent, some_of
from eatlas.present.sections import Section, distinct
from eatlas.present.sentences import wording
from eatlas.present.series import Series
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
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
    maps = [section for section in shown if section.result.pattern is not None]
    if maps:
        yield from _patterns(maps)
        yield from _two_sided(maps)
        yield from _unstable(maps)
    yield from _other_words(shown)
    yield from _of_frequency(shown)
    if family.finding:
        yield family.finding
    yield from _missing(shown, gaps=gaps)


def _patterns(maps: Sequence[Section]) -> Iterator[str]:
    """How many results show an association of a target, and which patterns."""
    results = [section.result for section in maps]
    labels = Counter(result.primary.label for result in results)
    measures = {result.measure.upper() for result in results}
    called = measures.pop() if len(measures) == 1 else "test"
    read = _over_stimuli(results)
    if len(maps) == 1:
        (label,) = labels
        if label == UNDEFINED:
            yield f"The one {called} here has no pattern over stimuli."
        else:
            yield f"The one {called} here shows the pattern {label}{read}."
        return
    n = len(maps)
    found = sum(n for label, n in labels.items() if label not in {"Non-Directional", UNDEFINED})
    held = f"{all_of(n)} {called}s" if found == n else f"{found or 'none'} of {count(n)} {called}s"
    kinds = ", ".join(f"{label} ({n})" for label, n in labels.most_common())
    subject = " or ".join(distinct(result.subject for result in results))
    yield (
        f"In {held}, the {subject} associate at least one of the "
        f"two target groups with an attribute{read}. The patterns: {kinds}."
    )


def _over_stimuli(results: Sequence[AssociationResult]) -> str:
    """That tests of sentences are read over stimuli."""
    read = {result.primary.over_stimuli for result in results}
    if True not in read:
        return ""
    return " over stimuli" if read == {True} else " (in tests of sentences: over stimuli)"


def _two_sided(maps: Sequence[Section]) -> Iterator[str]:
    """Which patterns change under the two-sided rule."""
    directional = [section for section in maps if section.rule.tail == "directional"]
    if not directional:
        return
    reads = [(section, section.result.primary) for section in directional]
    changed = [section for section, read in reads if read.two_sided_label != read.label]
    if not changed:
        yield "Under the stricter two-sided rule, every pattern stays the same."
        return
    yield (
        f"Under the stricter two-sided rule, {number_of(len(changed), 'pattern')} "
        f"{'changes' if len(changed) == 1 else 'change'}: {_named(changed)}."
    )


def _unstable(maps: Sequence[Section]) -> Iterator[str]:
    """Which patterns fewer than half of the resamples of the words show."""
    known = [(s, share) for s in maps if (share := s.result.primary.share) is not None]
    weak = [section for section, share in known if share < UNSTABLE]
    if not known:
        return
    if weak:
        yield (
            "Fewer than half of the resamples of the words show the same pattern for "
            f"{_named(weak)}: take {'this pattern' if len(weak) == 1 else 'these patterns'} with "
            "caution."
        )
        return
    least, share = min(known, key=lambda pair: pair[1])
    yield (
        f"{'Every pattern' if len(known) == len(maps) else 'Each pattern of resampled words'} "
        "is that of more than half of the resamples of the words, least "
        f"often that of {_called(least)} ({percent(share)}); such a share is not the "
        "probability that other words would show it."
    )


def _other_words(shown: Sequence[Section]) -> Iterator[str]:
    """Whose level 1 other targets and other attributes may not show."""
    known = [
        (section, p < section.rule.alpha)
        for section in shown
        if (crossed := section.result.generalisation) and crossed.level1
        if (p := crossed.level1.p_two_sided) is not None
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


def _of_frequency(shown: Sequence[Section]) -> Iterator[str]:
    """Which findings random words of the same frequencies give too."""
    compared = [s for s in shown if matched_of(s.result) is not None]
    if not compared:
        return
    by_chance = [s for s in compared if not_beyond(s.result)]
    often = [
        s
        for s in compared
        if s.result.primary.label != "Non-Directional"
        and (share_by_chance(s.result) or 0.0) >= OFTEN
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
    used, missing = (sum(column) for column in zip(*counts.values(), strict=True))
    words = wording(s.result for s in shown)
    if not missing:
        where = ", in the years that have a result" if gaps else ""
        yield f"Every term of every test {words.complete}{where}."
        return
    yield (
        f"{count(missing)} of {number_of(missing + used, 'term')} "
        f"{words.missing_one if missing == 1 else words.missing_some} "
        f"({_named([section for section in shown if section.missing])}); each result lists its own."
    )


def _named(shown: Sequence[Section]) -> str:
    return some_of(distinct(_called(section) for section in shown), NAMED)


def _called(section: Section) -> str:
    """The test and, in a series, its year."""
    year = section.result.period
    return isolated(section.result.test) + ("" if year is None else f" ({year})")
