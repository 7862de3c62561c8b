"""Which tests are significant in which settings, after adjustment for all of them.

May et al. (2019), Figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eatlas.errors import ResultsError, described, listing
from eatlas.numbers import effect, in_powers, level_of, p_equals
from eatlas.present.drawings.sheet import Drawing, Sheet
from eatlas.present.drawings.svg import (
    LEFT,
    aside,
    broken,
    label,
    path,
    short,
    tag,
    text_lines,
    words,
)
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import Family, FamilyMember
from eatlas.results.settings import source_name

ALPHA = 0.01
"""As in the paper."""
LETTERS, ROW, GAP = 12.0, 17.0, 3.0
"""Pixels of letters, of a row, and between two cells."""
LEAST, LARGEST, NUMBERS = 14.0, 90.0, 46.0
"""Pixels of a column at least and at most, and those from which on it has numbers."""
HEAD = 260.0
"""Pixels of the longest upright name of a setting, which has 40 letters."""
TAILS = {"two_sided": "two-sided", "greater": "one-sided, d > 0", "less": "one-sided, d < 0"}


def significance(
    given: Family | Sequence[AssociationResult], width: float, *, alpha: float = ALPHA
) -> Drawing:
    """Draw a cell for each test in each setting, filled if it is significant after adjustment.

    Of results all level 1 comparisons are one family, whose two-sided p-values Holm adjusts.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0.0 < alpha < 1.0:
        raise ResultsError(
            "alpha is a level of significance", got=described(alpha), allowed="above 0, below 1"
        )
    family = given if isinstance(given, Family) else Results(given).family(settings=True)
    if not len(family):
        raise ResultsError("a family without p-values has no significance", got="0 p-values")
    columns = _by(family, _setting)
    rows = _by(family, _row)
    total = _total(columns)
    longest = max(pixels(isolate(name), LETTERS) for name in (*rows, total))
    sheet, names = Sheet(width), LEFT + min(0.4 * width, 260.0, longest + 10)
    column = min(LARGEST, (width - names - LEFT) / len(columns))
    if column < LEAST:
        most = int((width - names - LEFT) // LEAST)
        raise ResultsError(
            "the matrix of significance does not fit into this width",
            got=f"{len(columns)} settings",
            allowed=f"{most} at most",
            remedy="take a greater width, or fewer settings",
        )
    lefts = {name: names + column * n for n, name in enumerate(columns)}
    heads = _heads(sheet, lefts, column)
    sheet.begin(sheet.y)
    for row, members in rows.items():
        lines = broken(row, names - LEFT - 8, 4, LETTERS)
        sheet.add(text_lines(lines, LEFT, sheet.y + 12, whole=row, step=14.0, size=LETTERS))
        found = {_setting(member): member for member in members}
        for name, x in lefts.items():
            sheet.add(_cell(found.get(name), row, name, x, sheet.y, column, alpha))
        sheet.y += ROW + 14.0 * (len(lines) - 1)
        sheet.end_block()
    _totals(sheet, total, columns, lefts, column, alpha)
    below = family.below(alpha)
    level = level_of(alpha)
    title = f"{len(below)} of {len(family)} significant at {level} after adjustment"
    return sheet.close(
        f"{title}. {_in_words(columns, alpha)}.",
        title=title,
        about=_adjustment_in_words(family),
        heads=heads,
        key=f"Filled: adjusted p < {level}. Outlined: p < {level} only before adjustment.",
        notes=("Red, +: d above 0. Blue, −: d below 0. Gray: not significant.",),
    )


def _by(family: Family, name: Callable[[FamilyMember], str]) -> dict[str, list[FamilyMember]]:
    """The members of a family by a name, in their order."""
    groups: dict[str, list[FamilyMember]] = {}
    for member in family:
        groups.setdefault(name(member), []).append(member)
    return groups


def _setting(member: FamilyMember) -> str:
    """What the column of a member is called: its setting, or the one source of all."""
    return member.setting or source_name(member.source)


def _row(member: FamilyMember) -> str:
    """What the row of a member is called: its test, and what is compared unless X with Y."""
    side = member.level.partition(".")[2]
    return ", ".join(filter(None, (member.test, side, member.term)))


def _heads(sheet: Sheet, lefts: Mapping[str, float], column: float) -> tuple[str, ...]:
    """The names of settings over their columns, upright if a word is wider than a column."""
    words_of = [part for name in lefts for part in isolate(name).split()]
    if max(pixels(word, LETTERS) for word in words_of) <= column - 6:
        lines = {name: broken(name, column - 6, 6, LETTERS) for name in lefts}
        high = 15.0 * max(map(len, lines.values()))
        parts = [
            text_lines(
                lines[name], x + column / 2, sheet.y + 12 + high - 15 * len(lines[name]),
                whole=name, size=LETTERS, text_anchor="middle",
            )
            for name, x in lefts.items()
        ]  # fmt: skip
    else:
        shown = {name: short(name, HEAD, LETTERS) for name in lefts}
        high = max(pixels(name, LETTERS) for name in shown.values())
        foot = sheet.y + high
        parts = [
            tag(
                "g", tag("title", words(name)), label(shown[name], 0, 0, size=LETTERS),
                transform=f"translate({x + column / 2 + 4:g} {foot:g}) rotate(-90)",
            )
            for name, x in lefts.items()
        ]  # fmt: skip
    sheet.y += high + 8
    return tuple(parts)


def _cell(
    member: FamilyMember | None,
    row: str,
    setting: str,
    x: float,
    y: float,
    column: float,
    alpha: float,
) -> str:
    """A cell with the sign of d, or d itself where there is room; a dash without a p-value."""
    middle, half = x + column / 2, y + (ROW - GAP) / 2
    if member is None:
        return aside("–", middle, half + 4)
    d, on, before = member.effect_size, member.adjusted < alpha, member.p < alpha
    state = "on" if on else "before" if before else "off"
    side = "" if state == "off" else "r" if (d or 0.0) > 0 else "x"
    inset = 0.75 if state == "before" else 0.0  # half of its outline
    wide, high = column - GAP - 2 * inset, ROW - GAP - 2 * inset
    box = f"M{x + GAP / 2 + inset:.2f} {y + inset:g}h{wide:.2f}v{high:g}h-{wide:.2f}z"
    text = f"{row}, {setting}: d = {effect(d)}, {p_equals(member.p, alpha)}, adjusted "
    about = tag("title", words(in_powers(text + p_equals(member.adjusted, alpha))))
    drawn = path(box, f"tile {state} {side}".strip(), about)
    if column >= NUMBERS:
        kind = f"tile-text {state}"
        return drawn + label(effect(d), middle, half + 4, size=11, anchor="middle", class_=kind)
    if state == "off":
        return drawn
    plus = f"M{middle:.1f} {half - 3:g}v6" if side == "r" else ""
    return drawn + path(f"M{middle - 3:.1f} {half:g}h6{plus}", f"tile-sign {state} {side}")


def _total(columns: Mapping[str, Sequence[FamilyMember]]) -> str:
    """What the last row is called: "significant, of 30", if settings have as many tests."""
    sizes = {len(members) for members in columns.values()}
    return f"significant, of {sizes.pop()}" if len(sizes) == 1 else "significant"


def _totals(
    sheet: Sheet,
    total: str,
    columns: Mapping[str, Sequence[FamilyMember]],
    lefts: Mapping[str, float],
    column: float,
    alpha: float,
) -> None:
    """How many tests are significant in each setting."""
    sheet.y += 4
    room = min(lefts.values()) - LEFT - 8
    sheet.add(aside(short(total, room, LETTERS), LEFT, sheet.y + 12, anchor="start"))
    for name, members in columns.items():
        number = sum(member.adjusted < alpha for member in members)
        sheet.add(aside(str(number), lefts[name] + column / 2, sheet.y + 12))
    sheet.y += ROW
    sheet.end_block()


def _adjustment_in_words(family: Family) -> str:
    """What was adjusted, how, and over what."""
    levels = {"level1": "Level 1", "level2": "Level 2", "both": "Levels 1 and 2"}[family.levels]
    sizes = sorted({member.together for member in family})
    over = f"all {sizes[0]}" if len(family.settings) == 1 else "the tests of each setting"
    return f"{levels}, p {TAILS[family.tail]}, adjusted by {family.method_name} over {over}"


def _in_words(columns: Mapping[str, Sequence[FamilyMember]], alpha: float) -> str:
    """Which tests are significant in each setting."""
    phrases = []
    for name, members in columns.items():
        below = [_row(member) for member in members if member.adjusted < alpha]
        tests = f": {listing(map(isolate, below))}" if below else ""
        phrases.append(f"{isolate(name)}, {len(below)} of {len(members)}{tests}")
    return "; ".join(phrases)
