"""What a notebook shows of results: a small table with EAT-Maps, without altair."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.effects import Rule, over_stimuli
from eatlas.present.numbers import UNDEFINED, effect, interval, p_value
from eatlas.present.sentences import sentence
from eatlas.present.text import clean
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level
from eatlas.results.uncertainty import EffectInterval

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates" / "notebook"
MOST_ROWS = 50
"""Rows of a table; a notebook keeps every output in its file."""


class Line(NamedTuple):
    """One effect size of a result."""

    name: str
    effect_size: str
    interval: str
    p: str


def html(shown: object) -> str:
    """Show a result, or several, as HTML with its own light colours.

    Parameters
    ----------
    shown : result or iterable of results

    Examples
    --------
    >>> import eatlas
    >>> "BY-Singular" in html(eatlas.run(tests="weat-6"))
    True
    """
    if isinstance(shown, AssociationResult):
        return _one(shown)
    return _many(shown)


def _one(result: AssociationResult) -> str:
    lines = list(_lines(result))
    used, missing = result.coverage.counts()
    return _render(
        "result",
        result=result,
        said=sentence(result),
        map=EATMap.of(result).svg() if isinstance(result, ThreeLevelResult) else "",
        lines=lines[:MOST_ROWS],
        more=max(0, len(lines) - MOST_ROWS),
        with_intervals=any(line.interval for line in lines),
        stars=_stars(result),
        used=used,
        missing=missing,
    )


def _many(results: Any) -> str:
    found = list(results)
    return _render(
        "results",
        rows=[_row(result) for result in found[:MOST_ROWS]],
        count=len(found),
        more=max(0, len(found) - MOST_ROWS),
        rules=list(dict.fromkeys(_stars(result) for result in found)),
        failures=tuple(getattr(results, "failures", ())),
        with_sources=len({result.source for result in found}) > 1,
        with_maps=any(isinstance(result, ThreeLevelResult) for result in found),
        with_measures=len({result.measure for result in found}) > 1,
        with_periods=any(result.period is not None for result in found),
        source=found[0].source if found else "",
    )


def _stars(result: AssociationResult) -> str:
    """What a star says, and of tests of sentences what is relabelled."""
    over = ", over stimuli in tests of sentences" if over_stimuli(result) else ""
    return f"{Rule.of(result).meaning}{over}"


def _row(result: AssociationResult) -> dict[str, Any]:
    rule = Rule.of(result)
    row: dict[str, Any] = {"result": result, "d": "", "X": "", "Y": "", "pattern": "", "map": ""}
    if isinstance(result, ThreeLevelResult | WEATResult):
        row["d"] = _starred(result.primary.level1, rule)
    if isinstance(result, ThreeLevelResult):
        read = result.primary
        row |= {role: _starred(read.group(role), rule) for role in "XY"}
        row |= {"pattern": read.label, "map": EATMap.of(result).svg("mini")}
        if read.two_sided_label != read.label:
            row["two_sided"] = read.two_sided_label
    elif not isinstance(result, WEATResult):
        row["pattern"] = result.summary()
    return row


def _starred(level: Level | None, rule: Rule) -> str:
    return UNDEFINED if level is None else effect(level.effect_size) + rule.star(level)


def _lines(result: AssociationResult) -> Iterator[Line]:
    rule, names = Rule.of(result), result.concepts
    if isinstance(result, ThreeLevelResult | WEATResult):
        read, drawn = result.primary, result.primary.uncertainty
        name = f"Level 1: {names.X} against {names.Y}"
        yield _line(name, read.level1, rule, drawn.level1 if drawn else None)
    if isinstance(result, ThreeLevelResult):
        both = drawn.level2 if drawn else None
        for role in "XY":
            level = read.group(role)
            yield _line(
                f"Level 2: {names.name(role)}", level, rule, both.group(role) if both else None
            )
    if isinstance(result, SCEATResult):
        for entry in result.primary_terms:
            yield _line(entry.term, entry.level2, rule, None)


def _line(name: str, level: Level | None, rule: Rule, drawn: EffectInterval | None) -> Line:
    known = level is not None and level.effect_size is not None
    ends = "" if drawn is None else interval(drawn.interval, errors=drawn.error)
    p = ""
    if level is not None and known:
        p = p_value(rule.p(level), rule.alpha, rule.p_low(level))
    return Line(name, _starred(level, rule), ends, p)


def _render(name: str, **values: object) -> str:
    return _environment().get_template(f"{name}.html.j2").render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  (40 ms)

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )


def _safe(value: object) -> object:
    """Clean a text that a result brought along."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
