"""Drawings of one result: influence, random labels, targets, the triangle of three groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.numbers import count, effect, in_powers, level_of, number_of, p_equals
from eatlas.present.drawings.point_names import free_place, square_at, text_box
from eatlas.present.drawings.sheet import Drawing, Sheet
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    aside,
    broken,
    cross,
    dot,
    figure,
    label,
    outline,
    path,
    short,
    text_lines,
)
from eatlas.present.effects import levels_of, short_name
from eatlas.present.targets import at_ends, leans
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect

LETTERS = 12.0
LEGEND = 14.0
"""Pixels that letters of names in a legend have on a phone, where they are larger."""
DRIVERS, ENDS = 6, 15
"""Terms of an effect size, and targets at either end, that a drawing shows."""
DRAWN, BINS, SEED, TIED = 20_000, 41, 0, 1e-9
"""Permutations of a null distribution; bars of it, an odd number so that one is at zero; the seed;
the difference of two effect sizes that are equal but for rounding."""
DRIVEN = {
    "X": ("x", "circle"), "Y": ("y", "square"), "A": ("a", "triangle"), "B": ("n", "diamond"),
}  # fmt: skip
"""Colour and shape of the terms of a group."""


def changes_of(row: Effect, result: AssociationResult) -> list[tuple[float, str, str]]:
    """How an effect size changes without each term, with the term and its role, largest first."""
    changes = [
        (change, term, role)
        for role, values in (row.influence.items() if row.influence else ())
        for term, change in zip(result.scored(role), values, strict=False)
        if change is not None
    ]
    return sorted(changes, key=lambda change: -abs(change[0]))


def _largest_change(result: AssociationResult) -> tuple[float, str]:
    """By how much single terms change an effect size at most, and how, in words."""
    found = [(0.0, "")]
    for row in levels_of(result):
        if row.d is not None and (changes := changes_of(row, result)):
            change, term, _ = changes[0]
            of = "d at level 1" if row.place == "level1" else f"d of {short_name(row.name)}"
            text = f"without “{short_name(term)}”, {of} is {effect(row.d + change)}"
            found.append((abs(change), f"{text} instead of {effect(row.d)}"))
    return max(found)


def influence_title(results: Sequence[AssociationResult]) -> str:
    """The largest change of an effect size by a single term."""
    (size, text), test = max((_largest_change(result), result.test) for result in results)
    of = f" ({test})" * (len(results) > 1)
    return f"Single terms change d by at most {effect(size)}: {text}{of}" if text else ""


def influence(result: AssociationResult, width: float) -> Drawing:
    """Each effect size without single terms, those that change it most."""
    sheet, names = Sheet(width), min(0.4 * width, 220.0)
    x = LEFT
    for role, (colour, shape) in DRIVEN.items():  # direct labels of the groups, in one or two lines
        lines = broken(result.concepts[role], width - LEFT - RIGHT - 22, 3, LEGEND)
        wide = max(pixels(line, LEGEND) for line in lines)
        if x > LEFT and x + wide + 22 > width - RIGHT:
            x, sheet.y = LEFT, sheet.y + 14
        sheet.add(path(outline(shape, x + 5, sheet.y + 8, 0.8), f"m on {colour}"))
        for i, line in enumerate(lines):
            sheet.y += 14 if i else 0
            y, name = sheet.y + 12, f"fig-name {colour}"
            sheet.add(label(isolate(line), x + 14, y, size=11, class_=name))
        x += wide + 24
    sheet.y += 18
    phrases = []
    for row in levels_of(result):
        if (d := row.d) is None or row.influence is None:
            continue
        changes = changes_of(row, result)
        most = changes[:DRIVERS]
        sheet.write(f"{row.name}: d = {effect(d)}", font_weight=700)
        if len(changes) > len(most):
            text = f"the {len(most)} most influential of {len(changes)} terms"
            sheet.write(text, size=11, class_="eat-muted")
        sheet.y += 6
        axis = Axis.with_margin([d, *(d + change for change, *_ in most)], names + 10, width - 84)
        names_of = {term: broken(term, names - LEFT - 8, 3, LETTERS) for _, term, _ in most}
        heights = {term: 14.0 * len(lines) + 5 for term, lines in names_of.items()}
        bottom, whole = sheet.y + sum(heights.values()), f"M{axis.at(d):.1f} "
        sheet.add(axis.grid(sheet.y, bottom, strong=None))
        sheet.add(path(f"{whole}{sheet.y:g}V{bottom:g}", "fig-ink"))
        for change, term, role in sorted(most, key=lambda change: change[0] * d):
            y, x, (colour, shape) = sheet.y + heights[term] / 2, axis.at(d + change), DRIVEN[role]
            lines = names_of[term]
            look: Any = {"size": LETTERS, "class_": f"fig-name {colour}"}
            first = y + 4 - 7.0 * (len(lines) - 1)
            for n, line in enumerate(lines):
                sheet.add(label(isolate(line), LEFT, first + 14 * n, **look))
            sheet.add(
                path(f"{whole}{y:g}H{x:.1f}", f"i {colour}"),
                path(outline(shape, round(x, 1), y), f"m{' on' * (change * d < 0)} {colour}"),
                label(effect(d + change), width - RIGHT, y + 4, anchor="end"),
            )
            sheet.y += heights[term]
        sheet.y += 26
        sheet.end_block()
        drivers = ", ".join(f"{isolate(term)} {effect(d + c)}" for c, term, _ in most[:3])
        phrases.append(f"{row.title}, {isolate(row.name)}: d = {effect(d)}; without {drivers}")
    return sheet.close(
        f"Influence of single terms in {result.test}. {'. '.join(phrases)}.",
        title=influence_title([result]),
        about="Effect size d without each term; line: with all",
        key="Filled: without the term, d is nearer to 0 or changes sign.",
    )


def null_title(results: Sequence[AssociationResult]) -> str:
    """How many of several tests have a d that is rare among random permutations."""
    rare = sum(
        level.p.two_sided <= result.rule.alpha
        for result in results
        if (level := result.primary.level1) is not None
    )
    alpha = level_of(results[0].rule.alpha)
    return f"Random permutations: two-sided p ≤ {alpha} in {rare} of {len(results)} results"


def null(result: AssociationResult, width: float) -> Drawing:
    """The effect sizes of random permutations, with the observed one of level 1."""
    level, scores = result.primary.level1, result.primary.scores
    values = np.array([*scores.X, *scores.Y] if scores else [])
    if not (level and scores and level.difference and level.effect_size) or len(values) < 2:
        raise ResultsError(
            f"the result of {result.test} has no distribution of its level 1",
            got="no scores of single words" if not len(values) else "no difference, or no spread",
            allowed="results with the scores of their targets and an effect size other than 0",
        )
    n, d, unit = len(scores.X), level.effect_size, level.effect_size / level.difference
    order = np.random.default_rng(SEED).permuted(np.tile(values, (DRAWN, 1)), axis=1)
    chance = (order[:, :n].mean(axis=1) - order[:, n:].mean(axis=1)) * unit
    reach = max(abs(d), float(np.abs(chance).max())) * (1 + 1e-9)
    counts, ends = np.histogram(chance, BINS, range=(-reach, reach))
    sheet, high = Sheet(width), 150.0
    top, bottom = sheet.y + 38, sheet.y + 38 + high
    axis = Axis.with_zero((-reach, reach), LEFT + 20, width - RIGHT - 20)
    sheet.add(axis.grid(top, bottom))
    bars = {"b": "", "b on": ""}
    for number, first, last in zip(counts.tolist(), ends[:-1], ends[1:], strict=True):
        left, right = axis.at(float(first)) + 0.5, axis.at(float(last)) - 0.5
        tall = high * number / counts.max()
        kind = "b on" if abs(first + last) / 2 >= abs(d) else "b"
        bars[kind] += f"M{left:.1f} {bottom:g}v-{tall:.1f}H{right:.1f}V{bottom:g}z"
    sheet.add(*(path(drawn, kind) for kind, drawn in bars.items() if drawn))
    p = in_powers(p_equals(level.p.two_sided, result.rule.alpha))
    x, text = axis.at(d), f"observed d = {effect(d)}"
    sheet.add(path(f"M{x:.1f} {top - 4:g}V{bottom:g}", "fig-reference"))
    side, shift = ("end", 6) if x > width / 2 else ("start", -6)
    sheet.add(label(text, x + shift, top - 24, anchor=side))
    sheet.add(aside(f"two-sided {p}", x + shift, top - 9, anchor=side))
    what, (towards_a, towards_b) = f"d of {DRAWN:,} random permutations", result.sides[-1][:2]
    sheet.y = bottom + 52
    for name, at, y, anchor in (
        (f"← {towards_b}", axis.start, bottom + 34, "start"),
        (f"{towards_a} →", axis.end, bottom + 34, "end"),
        (what, (axis.start + axis.end) / 2, bottom + 50, "middle"),
    ):
        sheet.add(label(short(name, 0.5 * width, 12), at, y, anchor=anchor))
    notes = (
        f"{DRAWN:,} random permutations of the scores of the targets; dark: as far from 0 as the "
        "observed d, or farther.",
    )
    alt = f"What random labels show in {result.test}: {text}, two-sided {p}. {notes[0]}"
    far = int((np.abs(chance) >= abs(d) - TIED).sum())
    title = f"{count(far) if far else 'None'} of {DRAWN:,} random permutations "
    title += (
        f"{'give' if far > 1 else 'gives'} a d at least as far from 0 as the observed {effect(d)}"
    )
    return sheet.close(alt, title=title, notes=notes)


def targets(result: AssociationResult, width: float) -> Drawing:
    """Targets at either end, and in each column their deviation from the proportion of a group.

    Those without a proportion clipped at 0 come first: they say more than that a cosine was
    below 0.
    """
    shown, sheet = leans(result), Sheet(width)
    whole = [row for row in shown.known if not row.is_clipped]
    every = shown.known if len(shown.known) <= 2 * ENDS or len(whole) < ENDS else whole
    rows, left = at_ends(every, ENDS)
    cut = len(shown.known) - len(every)
    if not rows:
        raise ResultsError(f"no bias of {result.test} is defined", got=f"{len(shown.rows)} targets")
    names = min(0.28 * width, 200.0)
    column = (width - names - LEFT) / len(shown.columns)
    values = [value for row in rows for value in row.points if value is not None]
    values += [end for row in rows for pair in row.intervals if pair for end in pair]
    scale = Axis.with_zero(values, 0.0, 1.0)
    groups = [isolate(group) for group in shown.groups]
    heads = [f"← {groups[1]} · {groups[0]} →"] if len(groups) == 2 else groups
    axes, written = [], []
    for i, head in enumerate(heads):
        edge = names + i * column
        axis = scale.on(edge + 0.1 * column, edge + 0.9 * column)
        middle = axis.at(0) if len(groups) == 2 else (axis.start + axis.end) / 2
        axes.append(axis.sparse())
        text = short(head, column - 8, 12)
        written.append(label(text, middle, 14, anchor="middle", font_weight=600))
    sheet.begin(22.0)
    for row in rows:
        lines = broken(row.term, names - LEFT - 10, 3, LETTERS)
        high = 14.0 * len(lines) + 5
        y = sheet.y + high / 2
        first = y + 4 - 7.0 * (len(lines) - 1)
        sheet.add(text_lines(lines, LEFT, first, step=14, size=LETTERS))
        for axis, group in zip(axes, shown.columns, strict=True):
            value, ends, zero = row.points[group], row.intervals[group], f"{axis.at(0):.1f}"
            if value is not None:
                kind = " cut" if row.is_clipped else " on" if row.towards is not None else ""
                box = f"M{zero} {y - 5:g}H{axis.at(value):.1f}v10H{zero}z"
                sheet.add(path(box, f"lean{kind}"))
            if ends is not None:
                sheet.add(path(f"M{axis.at(ends[0]):.1f} {y:g}H{axis.at(ends[1]):.1f}", "i"))
        sheet.y += high
        sheet.end_block()
    key = [f"Axis: {' to '.join(scale.ends())}."] if len(axes[0].ticks()) == 1 else []
    key += [f"{left} targets between them are not shown."] if left else []
    key += ["Pale: closer to no group."] if any(row.towards is None for row in rows) else []
    key += ["Dashed: a proportion clipped at 0."] if any(row.is_clipped for row in rows) else []
    notes = [f"Reference: {shown.reference}. {shown.meaning('Lines')}"]
    if cut:
        notes.append(
            f"{number_of(cut, 'more target')} {'has' if cut == 1 else 'have'} a proportion clipped "
            "at 0, because a cosine below 0 counts as 0."
        )
    alt = f"Associations of {len(shown.known)} targets of {result.test}: "
    return sheet.close(
        f"{alt}{'; '.join(row.sentence for row in rows)}.",
        about="Proportion minus reference, in percentage points", heads=tuple(written),
        around=lambda first, last: ("".join(a.grid(first, last) for a in axes), last + 20),
        key=" ".join(key), notes=tuple(notes),
    )  # fmt: skip


SIDE, TOP, DOT = 380.0, 34.0, 2.6
"""Pixels of the triangle, above it, and of half a dot."""


def triangle(result: AssociationResult, width: float = WIDTH) -> str:
    """Proportions of targets among three groups, as points in a triangle; the strongest are named.

    At a corner its group has a proportion of 1; the cross is the reference.
    """
    shown = leans(result)
    points = [(row.term, p) for row in shown.known if (p := row.shown.distribution) and min(p) >= 0]
    whole = [row for row in shown.known if not row.is_clipped] or shown.known
    chosen = {row.term for row in shown.examples or whole[:1]}
    side, tall = width - WIDTH + SIDE, math.sqrt(3) / 2

    def at(shares: Sequence[float]) -> tuple[float, float]:
        """Pixels of three proportions."""
        _, second, third = shares
        return (width - side) / 2 + side * (second + third / 2), TOP + side * tall * (1 - third)

    lines, numbers = "", []
    for share in (0.25, 0.5, 0.75):
        rest = 1 - share
        for turn in range(3):  # a line across each corner
            ends = [(share, rest, 0), (share, 0, rest)]
            first, last = (at(end[-turn:] + end[:-turn]) for end in ends)
            lines += f"M{first[0]:.1f} {first[1]:.1f}L{last[0]:.1f} {last[1]:.1f}"
        x, y = at((0, rest, share))
        numbers.append(aside(f"{share:.0%}", x + 6, y + 4, anchor="start"))
    corners = [at((1, 0, 0)), at((0, 1, 0)), at((0, 0, 1))]
    border = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
    x, y = (round(value, 1) for value in at(shown.result.reference))
    dots = "".join(dot(*at(p), DOT) for _, p in points)
    parts = [path(lines, "fig-grid"), *numbers, path(border, "fig-frame"), path(dots, "fig-dot")]
    parts.append(path(cross(x, y, 7), "fig-reference"))
    taken = [square_at(at(p), DOT + 1) for _, p in points] + [square_at((x, y), 8)]
    for first, last in zip(corners, (*corners[1:], corners[0]), strict=True):
        across, down = (np.linspace(*ends, 80).tolist() for ends in zip(first, last, strict=True))
        taken += [square_at(spot, 2) for spot in zip(across, down, strict=True)]
    looks = (("start", -8, 20), ("end", 8, 20), ("middle", 0, -12))
    for corner, group, (anchor, dx, dy) in zip(corners, shown.groups, looks, strict=True):
        name, spot = short(group, 180), (corner[0] + dx, corner[1] + dy)
        parts.append(label(name, *spot, size=12.5, font_weight=600, anchor=anchor))
        taken.append(text_box(name, spot, anchor, 12.5))
    taken += [text_box("75%", at((0, 1 - s, s)), "start", 12) for s in (0.25, 0.5, 0.75)]
    for term, dot_at in [(t, at(p)) for t, p in points if t in chosen] + [("reference", (x, y))]:
        name = short(term, 110)
        if (free := free_place(name, dot_at, taken, width)) is not None:
            spot, anchor, far = free
            end = f"L{spot[0]:.1f} {spot[1] - 4:.1f}"
            kind = "eat-muted" if term == "reference" else None
            parts.append(path(f"M{dot_at[0]:.1f} {dot_at[1]:.1f}{end}", "fig-line") if far else "")
            parts.append(label(name, *spot, size=11, anchor=anchor, class_=kind))
            taken.append(text_box(name, spot, anchor, 11))
    title = f"Proportions of {len(points)} targets among {', '.join(map(isolate, shown.groups))}"
    alt = f"{title}, as points in a triangle; the cross is the reference."
    return figure(TOP + side * tall + 34, *parts, title=title, width=width, alt=alt)
