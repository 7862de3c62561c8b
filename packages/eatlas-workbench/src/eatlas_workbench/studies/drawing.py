"""The specification curve of a study: effect sizes in order, and the choices behind each.

Simonsohn, Simmons and Nelson (2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from eatlas.errors import ResultsError, described
from eatlas.numbers import effect, number_of
from eatlas.present.drawings.sheet import Drawing, side_by_side
from eatlas.present.drawings.svg import Axis, dot, figure, label, path, short, tag, words
from eatlas.present.rendering import phrase
from eatlas.present.text import one_line
from eatlas_workbench.studies.analysis import choice_shares
from eatlas_workbench.studies.record import ChoiceShare, StudyRecord

Specification = Any
"""One of a study: numbered, with choices, a status, an effect size d and a pattern."""
MOST = 1000
"""Specifications of a curve; of more, as many that lie evenly in their order."""
MOST_ROWS = 12
"""Alternatives of a choice that have a row of their own; the others share one."""
NAMED = 200
"""Specifications of which each mark has a tooltip."""
STUDY, HEADS, NAMES, RIGHT = 920.0, 100.0, 235.0, 10.0
"""Pixels of the whole; where the names of choices end, those of alternatives, and the curve: on a
narrow drawing in the same shares."""
TOP, CURVE, ROW, GAP = 10.0, 230.0, 18.0, 8.0
OF_LINES = (
    "Intervals are for other words, or over bootstrap samples where a measure has no test for "
    "other words."
)


def thin_specifications(measured: Sequence[Specification]) -> list[Specification]:
    """The specifications that a curve shows, by effect size: all, or evenly some of many."""
    ordered = sorted(measured, key=lambda spec: (spec.d or 0.0, spec.number))
    if len(ordered) <= MOST:
        return ordered
    step = (len(ordered) - 1) / (MOST - 1)
    return [ordered[round(number * step)] for number in range(MOST)]


def rows_of(
    drawn: Sequence[Specification], choices: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, list[bool]]]:
    """Below a curve, by choice and alternative: which specifications take it.

    EAT patterns are first, the most frequent in front; alternatives beyond 12 share a row.
    """
    patterns = [spec.pattern or "" for spec in drawn]
    counts = sorted(Counter(patterns).items(), key=lambda item: (-item[1], item[0]))
    columns = {"EAT pattern": ([name for name, _ in counts], patterns)}
    for choice, names in choices.items():
        columns[choice] = list(names), [spec.choices.get(choice, "") for spec in drawn]
    rows: dict[str, dict[str, list[bool]]] = {}
    for choice, (names, taken) in columns.items():
        own = [name for name in names if name and name in taken]
        single = own if len(own) <= MOST_ROWS else own[: MOST_ROWS - 1]
        rows[choice] = {name: [value == name for value in taken] for name in single}
        if others := set(own) - set(single):
            rows[choice][f"{len(others)} others"] = [value in others for value in taken]
    return rows


def specification_curve(
    measured: Sequence[Specification],
    choices: Mapping[str, Sequence[str]],
    width: float = STUDY,
) -> str:
    """Effect sizes in order with their intervals, and below them the choices behind each.

    Filled marks are significant, hollow ones are not.
    """
    drawn = thin_specifications(measured)
    narrow = min(1.0, max(width / STUDY, 0.85))
    heads, names = HEADS * narrow, NAMES * narrow
    slot = (width - names - RIGHT) / len(drawn)
    at = [names + slot * (n + 0.5) for n in range(len(drawn))]
    ends = [end for spec in drawn for end in (spec.d, spec.low, spec.high) if end is not None]
    axis = Axis.with_zero(ends, TOP + CURVE, TOP)
    intervals, marks = "", []
    radius, tick = min(max(slot * 0.42, 1.3), 4.5), min(max(slot * 0.7, 0.6), 5.0)
    for x, spec in zip(at, drawn, strict=True):
        if spec.low is not None and spec.high is not None:
            intervals += f"M{x:.1f} {axis.at(spec.low):.1f}V{axis.at(spec.high):.1f}"
        chosen = ", ".join(f"{name}: {value}" for name, value in spec.choices.items() if value)
        text = f"{spec.number}: d = {effect(spec.d)}, {spec.pattern or 'no pattern'}; {chosen}"
        tooltip = tag("title", words(text)) if len(drawn) <= NAMED else ""
        kind = f"study-mark{' on' * bool(spec.significant)}"
        marks.append(path(dot(x, axis.at(spec.d or 0.0), radius), kind, tooltip))
    parts = [
        axis.grid(names, width - RIGHT, upright=True),
        label("Effect size d", 0, TOP + 8, size=12.5, font_weight=600),
        path(intervals, "study-interval") if intervals else "",
        *marks,
    ]
    y = TOP + CURVE + 14
    for choice, rows in rows_of(drawn, choices).items():
        y += GAP if rows else 0.0
        parts.append(
            label(short(choice, heads - 6, 12), 0, y + 13, font_weight=600) if rows else ""
        )
        for name, taken in rows.items():
            parts.append(path(f"M{names:g} {y + ROW / 2:.1f}H{width - RIGHT:g}", "fig-grid"))
            whole = tag("title", words(f"{choice}: {one_line(name)}"))
            written = label(short(name, names - heads - 6, 12), heads, y + 13)
            parts.append(tag("g", whole, written))
            for kind, on in (("study-tick", False), ("study-tick on", True)):
                strokes = "".join(
                    f"M{x:.1f} {y + 4:.1f}v{ROW - 8:g}"
                    for x, spec, own in zip(at, drawn, taken, strict=True)
                    if own and bool(spec.significant) == on
                )
                parts.append(path(strokes, kind, stroke_width=tick) if strokes else "")
            y += ROW
    effects = [spec.d or 0.0 for spec in measured]
    significant = sum(bool(spec.significant) for spec in measured)
    alt = (
        f"{number_of(len(measured), 'effect size')} in order, from {effect(min(effects))} to "
        f"{effect(max(effects))}; {significant} significant. Below each, a mark for its EAT "
        "pattern and for each of its choices."
    )
    title, kind = "Specification curve", "figure study-curve"
    return figure(y + 6, *parts, title=title, alt=alt, width=width, kind=kind)


def title_of_study(record: StudyRecord, shares: Iterable[ChoiceShare]) -> str:
    """How many specifications are significant, by the choice that explains most of d."""
    every, *alternatives = record.summaries()
    first = max(shares, key=attrgetter("shapley"), default=None)
    judged = [spec for spec in record.measured if spec.significant is not None]
    choice = "" if first is None else first.choice
    return phrase("study", "title", every, alternatives, choice, judged)


def draw_study(study: object, width: float) -> Drawing:
    """The curve of a study or of its record."""
    record: Any = getattr(study, "record", study)
    measured = [spec for spec in getattr(record, "measured", ()) if spec.symbol == "d"]
    if not measured:
        raise ResultsError(
            "no specification curve can be drawn from this",
            got=described(study),
            allowed="a study with effect sizes d: eatlas.multiverse(...) or eatlas.read_study(...)",
        )
    names = record.varying or ("test",)
    drawn = specification_curve(measured, {n: record.choices.get(n, ()) for n in names}, width)
    title = title_of_study(record, choice_shares(record)[1])
    note = "Each column is a specification: its effect size, and below it its pattern and choices."
    lines = " Lines: 95% intervals." * any(spec.low is not None for spec in measured)
    key = f"Filled: significant.{lines}"
    return side_by_side(
        [drawn], width, title=title, key=key, notes=(note, OF_LINES)[: 1 + bool(lines)]
    )
