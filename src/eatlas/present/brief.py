"""The findings of a whole page, or of a scan, in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from eatlas.present.effects import OFTEN, matched_of, not_beyond, share_by_chance
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import lines
from eatlas.present.sections import Section, distinct
from eatlas.present.sentences import wording
from eatlas.present.series import Series
from eatlas.present.text import isolated
from eatlas.results.effects import UNDEFINED
from eatlas.results.scan import ScanResult

TRENDS = 3
"""Series whose trends are reported one by one."""
UNSTABLE = 0.5
"""Below this share of the resamples, a pattern is seen less often than others together."""


def in_brief(
    shown: Sequence[Section], family: DeclaredFamily, series: Sequence[Series] = ()
) -> list[str]:
    """Say in sentences what the results of a page show together; nothing for none."""
    if not shown:
        return []
    # several measures of one test look up the same terms
    counts = {(s.result.test, s.source): s.result.coverage.counts() for s in shown}
    used, missing = (sum(column) for column in zip(*counts.values(), strict=True))
    facts: dict[str, object] = {
        "finding": family.finding,
        "used": used,
        "missing": missing,
        "words": wording(s.result for s in shown),
        "lacking": _names(s for s in shown if s.missing),
        "gaps": any(one.missing for one in series),
    }
    return lines("brief", **facts, **_over_time(series), **_patterns(shown), **_doubts(shown))


def _over_time(series: Sequence[Series]) -> dict[str, object]:
    """Trends one by one while they are few, else the way that each goes."""
    known = [one for one in series if one.finding]
    if len(known) > TRENDS:
        return {"trends": [], "ways": [one.way for one in known]}
    trends = [
        f"{isolated(one.first.test)} from {one.span}: {one.finding[0].lower()}{one.finding[1:]}"
        for one in known
    ]
    return {"trends": trends, "ways": []}


def _patterns(shown: Sequence[Section]) -> dict[str, object]:
    """Which EAT patterns there are, and which of them another rule or other words change."""
    maps = [section for section in shown if section.result.pattern is not None]
    reads = [(section, section.result.primary) for section in maps]
    labels = Counter(read.label for _, read in reads)
    measures = {section.result.measure.upper() for section in maps}
    directional = [pair for pair in reads if pair[0].rule.tail == "directional"]
    known = [(_name(section), read.share) for section, read in reads if read.share is not None]
    return {
        "maps": len(maps),
        "labels": labels.most_common(),
        "called": measures.pop() if len(measures) == 1 else "test",
        "subjects": distinct(section.result.subject for section in maps),
        "read": list({read.over_stimuli for _, read in reads}),
        "undefined": UNDEFINED in labels,
        "found": len(maps) - labels["Non-Directional"] - labels[UNDEFINED],
        "directional": bool(directional),
        "changed": _names(s for s, read in directional if read.two_sided_label != read.label),
        "known": len(known),
        "weak": [name for name, share in known if share < UNSTABLE],
        "least": min(known, key=lambda pair: pair[1], default=None),
    }


def _doubts(shown: Sequence[Section]) -> dict[str, object]:
    """Which findings other words may not show, and which random words give too."""
    crossed = [
        (section, p)
        for section in shown
        if (found := section.result.generalisation) and found.level1
        if (p := found.level1.p_two_sided) is not None
    ]
    matched = [section for section in shown if matched_of(section.result) is not None]
    patterned = [s for s in matched if s.result.primary.label != "Non-Directional"]
    return {
        "tested": len(crossed),
        "doubtful": _names(section for section, p in crossed if p >= section.rule.alpha),
        "matched": bool(matched),
        "seldom": OFTEN,
        "often": _names(s for s in patterned if (share_by_chance(s.result) or 0.0) >= OFTEN),
        "by_chance": _names(s for s in matched if not_beyond(s.result)),
    }


def _names(shown: Iterable[Section]) -> list[str]:
    return list(map(_name, shown))


def _name(section: Section) -> str:
    """The test and, in a series, its year."""
    year = section.result.period
    return isolated(section.result.test) + ("" if year is None else f" ({year})")


def explain(result: ScanResult) -> tuple[str, ...]:
    """Say what each way of judging all words of a scan together can do, and what it found.

    Examples
    --------
    >>> import eatlas
    >>> for line in explain(eatlas.scan("glove-sample", "weat-7", first=1000))[1:3]:
    ...     print(line)
    Unadjusted: 64 of 992 words are below .05 (A 64, B 0); with no association at all, about 49 \
would be. All words share the attributes, so that number varies more than that of separate tests.
    Holm asks of the smallest p to be below 5.0e-5 (.05 / 992). No p of this design is: Holm, like \
Bonferroni, can reject no word here, however strong its association.
    """
    return tuple(lines("scan", family=result.family))
