"""Notes on results, each said once with the tests and settings that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from eatlas.errors import listed
from eatlas.present.numbers import count
from eatlas.results import AssociationResult
from eatlas.results.settings import Settings

FEW = 3
"""Results that are named one by one where a note is about all of them."""
NAMED = 8
"""Settings of one test that a note names."""
MOST = 25
"""Notes that are printed; the report has all of them beside their results."""
_VARIES = re.compile(r"(?<![\d.,])(?:\d+\.\d+%?|\d+%)(?![\d.,]*\d)")
"""Figures in which notes of the same kind differ: with decimals, or in percent."""


def notes(results: Sequence[AssociationResult]) -> Iterator[tuple[str, str]]:
    """Who a note is about, and the note; notes that differ in their figures alone are one.

    Parameters
    ----------
    results : sequence of AssociationResult

    Yields
    ------
    who, text : str
    """
    settings = Settings.among(results)
    about: dict[str, list[tuple[AssociationResult, str]]] = {}
    for result in results:
        for note in dict.fromkeys((*result.warnings, *_missing(result))):
            about.setdefault(_VARIES.sub("\0", note), []).append((result, note))
    groups = list(about.values())
    if len(groups) > MOST:  # the widest in front, as some are left out
        groups.sort(key=len, reverse=True)
    for members in groups:
        text = settings.without_paths(_text(note for _, note in members))
        yield _who([one for one, _ in members], results, settings), text


def _missing(result: AssociationResult) -> list[str]:
    """Terms that a result does without."""
    found = [
        f"{result.concepts[role]}: {listed(group.missing, 100)}"
        for role, group in result.coverage.items()
        if group.missing
    ]
    return [f"Missing terms: {'; '.join(found)}."] if found else []


def _text(texts: Iterable[str]) -> str:
    """A note; figures that differ become ranges."""
    given = list(dict.fromkeys(texts))
    if len(given) == 1:
        return given[0]
    figures = zip(*map(_VARIES.findall, given), strict=True)
    ranges = iter([_range(some) for some in figures])
    return _VARIES.sub(lambda _: next(ranges), given[0])


def _range(figures: Sequence[str]) -> str:
    ordered = sorted(set(figures), key=lambda one: float(one.rstrip("%")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


def _who(
    members: Sequence[AssociationResult],
    results: Sequence[AssociationResult],
    settings: Settings,
) -> str:
    """The tests of a note, with their settings where there are several.

    Tests of the same settings are named together.
    """
    if len(members) == len(results) > FEW:
        return f"all {count(len(results))} results"
    by_test: dict[str, list[str]] = {}
    for one in members:
        by_test.setdefault(one.test, []).append(settings.of(one))
    together: dict[tuple[str, ...], list[str]] = {}
    for test, some in by_test.items():
        together.setdefault(tuple(some), []).append(test)
    parts, known = [], len({one.test for one in results})
    for own, tests in together.items():
        every = [settings.of(one) for one in results if one.test == tests[0]]
        told = _settings(own, every, settings.noun)
        named = f"all {count(len(tests))} tests" if len(tests) == known > FEW else ", ".join(tests)
        parts.append(f"{named}{f' ({told})' if told else ''}")
    return ", ".join(parts)


def _settings(some: Sequence[str], every: Sequence[str], noun: str) -> str:
    """Settings in words, such as "both sources", "layers 0, 2, 5"; empty where there is one."""
    if len(every) < 2:
        return ", ".join(filter(None, some))
    if len(some) == len(every):
        return f"both {noun}s" if len(every) == 2 else f"all {count(len(every))} {noun}s"
    if len(some) > 1 and all(one.startswith(f"{noun} ") for one in some):
        return f"{noun}s {_few([one.removeprefix(f'{noun} ') for one in some])}"
    return _few(some)


def _few(names: Sequence[str]) -> str:
    between = "; " if any(", " in name for name in names) else ", "
    more = f" and {count(len(names) - NAMED)} more" if len(names) > NAMED else ""
    return f"{between.join(names[:NAMED])}{more}"
