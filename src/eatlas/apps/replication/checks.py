"""Checks of printed numbers against each other, which need no vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from eatlas.measures.patterns import associated_with, eat_pattern
from eatlas.results.levels import Attribute
from eatlas.results.replication import Check, Printed
from eatlas.stats.paired import spearman

ALPHA, THRESHOLD = 0.05, 0.2
STARRED, PLAIN = 0.01, 0.5
"""Any p below and any above alpha: a star says no more."""
CELLS = ("AX", "BX", "AY", "BY")
CORRELATED_IN = "context of 3 sentences"


def checked(names: Iterable[str], cells: Sequence[Printed]) -> tuple[Check, ...]:
    """Make the checks of these names."""
    return tuple(check for name in names for check in CHECKS[name](cells))


def _rows(cells: Iterable[Printed]) -> dict[tuple[str, str], dict[str, Printed]]:
    """Cells by table and row, then by column."""
    found: dict[tuple[str, str], dict[str, Printed]] = {}
    for cell in cells:
        found.setdefault((cell.table, cell.row), {})[cell.column] = cell
    return found


def _value(cell: Printed) -> float:
    return float(cell.text)


def _patterns(cells: Sequence[Printed]) -> Iterator[Check]:
    """The EAT pattern that a paper names is the one of the row's own level 2."""
    for (table, row), columns in _rows(cells).items():
        if "Pattern" not in columns or "Level 2, X" not in columns:
            continue
        x, y = (columns[f"Level 2, {role}"] for role in "XY")
        found = eat_pattern(_side(x), _side(y))[0]
        named = columns["Pattern"].text
        shown = f"level 2 is {_starred(x)} and {_starred(y)}, which is {found}"
        yield Check("pattern", f"{table}, {row}", found == named, f"named {named}; {shown}")


def _side(cell: Printed) -> Attribute | None:
    p = STARRED if cell.star else PLAIN
    return associated_with(_value(cell), p, alpha=ALPHA, threshold=THRESHOLD)


def _starred(cell: Printed) -> str:
    return f"{cell.text}{'*' if cell.star else ''}"


def _repeats(cells: Sequence[Printed]) -> Iterator[Check]:
    """A number that is printed in several tables is the same in all of them."""
    found: dict[str, list[Printed]] = {}
    for cell in cells:
        if cell.quantity and cell.text:
            found.setdefault(cell.quantity, []).append(cell)
    for several in found.values():
        first, *others = several
        for other in others:
            same = (first.text, first.star) == (other.text, other.star)
            where = f"{first.table} and {other.table}, {other.row}, {other.column}"
            yield Check("repeat", where, same, f"{_starred(first)} and {_starred(other)}")


def _labels(cells: Sequence[Printed]) -> Iterator[Check]:
    """A test of one model has one name in all tables."""
    names: dict[tuple[str, str], Printed] = {}
    for cell in cells:
        if not cell.test or cell.period:
            continue
        first = names.setdefault((cell.model, cell.test), cell)
        if cell.table != first.table and cell.column == first.column:
            where = f"{first.table} and {cell.table}, {cell.test}"
            said = f"{first.row!r} and {cell.row!r}"
            yield Check("name", where, first.row == cell.row, said)


def _signs(cells: Sequence[Printed]) -> Iterator[Check]:
    """Effect sizes have the signs of the differences of the printed mean cosines.

    Differences that rounding could turn are left out: each mean is known to half a unit of its
    last digit.
    """
    for (table, row), columns in _rows(cells).items():
        means = {
            role: columns.get(f"{role[0]},{role[1]} mean") for role in ("AX", "BX", "AY", "BY")
        }
        known = {role: cell for role, cell in means.items() if cell is not None}
        if len(known) < len(means):
            continue
        value = {role: _value(cell) for role, cell in known.items()}
        slack = {role: cell.half_unit for role, cell in known.items()}
        for column, plus, minus in (
            ("Level 2, X", ("AX",), ("BX",)),
            ("Level 2, Y", ("AY",), ("BY",)),
            ("Level 1", ("AX", "BY"), ("BX", "AY")),
        ):
            difference = sum(value[one] for one in plus) - sum(value[one] for one in minus)
            least = sum(slack[one] for one in (*plus, *minus))
            d = columns[column]
            if abs(difference) <= least + 1e-9 or _value(d) == 0:
                continue
            yield Check(
                "sign",
                f"{table}, {row}, {column}",
                (difference > 0) == (_value(d) > 0),
                f"d is {d.text}, the difference of the printed means {difference:+.2f}",
            )


def _prompted(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 2 of ML-EAT: with a prompt "the mean cosine similarity increases" everywhere.

    Means that are printed alike do not contradict it.
    """
    rows = _rows(cells)
    for (table, row), columns in rows.items():
        if table != "table-2-no-prompt":
            continue
        prompted = rows["table-2-with-prompt", row]
        for name, cell in columns.items():
            if name.endswith(" mean"):
                holds = _value(prompted[name]) >= _value(cell)
                shown = f"{cell.text} without a prompt, {prompted[name].text} with it"
                yield Check("increase", f"table-2, {row}, {name}", holds, shown)


def _sums(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 6 of DivDist: the third column is the sum of the first two, but for rounding."""
    for (table, row), columns in _rows(cells).items():
        if table != "table-6":
            continue
        parts = [columns[name] for name in ("L2; L1", "L3; L2")]
        whole = columns["L3; L1"]
        total = sum(map(_value, parts))
        slack = sum(cell.half_unit for cell in (*parts, whole))
        holds = abs(total - _value(whole)) <= slack + 1e-9
        shown = f"{parts[0].text} and {parts[1].text} sum to {total:.3f}; printed {whole.text}"
        yield Check("sum", f"{table}, {row}", holds, shown)


def _correlation(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 4 of DivDist follows from two columns of Table 3: contexts of three sentences."""
    human, automated = (
        np.array([_value(one) for one in cells if (one.table, one.column) == ("table-3", name)])
        for name in ("text, human", "text, automated")
    )
    found = {
        "rho": spearman(human, automated),
        "R2": float(np.corrcoef(human, automated)[0, 1] ** 2),
    }
    for cell in cells:
        if cell.table == "table-4" and cell.row == CORRELATED_IN:
            value = found[cell.column]
            holds = abs(value - _value(cell)) <= cell.half_unit
            shown = f"{cell.column} is {cell.text}; the columns of Table 3 give {value:.3f}"
            yield Check("correlation", f"{cell.table}, {cell.row}", holds, shown)


def _targeted(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 7 of DivDist: "every method reduces bias for the targeted measure"."""
    for (table, row), columns in _rows(cells).items():
        if table == "table-7":
            before, after = (columns[f"targeted, {when}"] for when in ("original", "debiased"))
            holds = abs(_value(after)) < abs(_value(before))
            shown = f"the targeted metric goes from {before.text} to {after.text}"
            yield Check("reduced", f"{table}, {row}", holds, shown)


def _ours_not_reduced(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 7 of DivDist: for seven of eight methods the measure rises, says the text."""
    pairs = [
        [_value(columns[f"DivDist, {when}"]) for when in ("original", "debiased")]
        for (table, _), columns in _rows(cells).items()
        if table == "table-7"
    ]
    rises = sum(after > before for before, after in pairs)
    same = sum(after == before for before, after in pairs)
    shown = (
        f"the text says that bias is amplified for seven of {len(pairs)} methods; as printed it "
        f"rises for {rises} and stays for {same}"
    )
    yield Check("amplified", "table-7", rises == 7, shown)


CHECKS: dict[str, Callable[[Sequence[Printed]], Iterator[Check]]] = {
    "patterns": _patterns,
    "repeats": _repeats,
    "labels": _labels,
    "signs": _signs,
    "prompted": _prompted,
    "sums": _sums,
    "correlation": _correlation,
    "targeted": _targeted,
    "ours-not-reduced": _ours_not_reduced,
}
"""Checks by the names that the data files give them."""
