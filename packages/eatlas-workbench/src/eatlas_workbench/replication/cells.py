"""Cells of published tables: what is printed, what was computed for it, and whether both agree."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from eatlas.results import AssociationResult
from eatlas.results.parts import at
from eatlas.stats.permutation import PermutationResult, permutation_test
from eatlas_workbench.replication.recipe import CELLS, DATA, read_recipe

CHECKS = "checks.csv"
STARS = {"": None, "none": 0, "*": 1, "**": 2}
ONE_LESS = "1-"
RHO = "rho"
"""Place of a rank correlation, which has a star if it is significant."""
EFFECT = ".effect_size"
"""End of the place of an effect size, which may have a star."""
NUMERIC_SLACK = 1e-9
"""Beyond half a unit of the last printed digit, for the rounding of binary fractions."""


@dataclass(frozen=True)
class Question:
    """What a cell asks: a number of one test by one method."""

    method: str
    """Of the recipe; empty where eatlas has none."""
    test: str
    """Id of the test that gives the number; empty where eatlas has none."""
    period: int | None = None
    place: str = ""
    """Where a record of eatlas has the number, such as ``level1.effect_size``; behind two stages
    and a slash, or ``1-``, as a recipe has it."""

    @property
    def can_be_measured(self) -> bool:
        """Whether a model can be asked."""
        return bool(self.method and self.test and self.place)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stage whose number it is, and the one whose number is subtracted; or none."""
        stages, slash, _ = self.place.rpartition("/")
        return tuple(stages.split("-")) if slash else ()

    @property
    def target(self) -> str:
        """The target whose number it is; empty for other numbers."""
        parts = self.place.rpartition("/")[2].split(".")
        return ".".join(parts[1:-1]) if parts[0] == "targets" else ""

    def value(self, results: Sequence[AssociationResult]) -> float | str | None:
        """The number or label in a result, or that of the first less that of the second."""
        place = self.place.rpartition("/")[2]
        values = [value_at(result, place.removeprefix(ONE_LESS)) for result in results]
        numbers = [value for value in values if isinstance(value, int | float)]
        if len(numbers) < len(values):
            return None if numbers or len(values) > 1 else values[0]
        number = numbers[0] - sum(numbers[1:])
        return 1 - number if place.startswith(ONE_LESS) else number


@dataclass(frozen=True)
class Cell:
    """A cell of a published table as printed, beside what was computed for it.

    Or, of a model that the paper does not have, what was computed alone.
    """

    table: str
    model: str
    """Id of the paper's model, or the name of another one."""
    row: str
    column: str
    question: Question
    text: str = ""
    """The number or label as printed; empty where it is missing in what was transcribed."""
    like: str = ""
    """Of a model that the paper does not have, the printed number in whose place it is."""
    star: int | None = None
    """How many stars are printed, or are in whose place it is; None in a column without stars."""
    source: str = ""
    """Source string of the vectors, or their name; empty where nothing was computed."""
    own: bool = False
    """Whether this is a model that the paper does not have."""
    value: float | str | None = None
    """What was computed; None where nothing was, or where it is undefined."""
    own_star: int | None = None
    """How many stars what was computed has; None for numbers without stars."""
    p: float | None = None
    """p-value of an effect size in the tail that its star reads."""
    exact_p: float | None = None
    """The same by counting permutations, where `p` is that of a normal distribution."""
    exact_star: int | None = None
    """How many stars it has by that p."""
    missing: tuple[str, ...] = ()
    """Terms of the test that the source lacks."""
    why: str = ""
    """Why the cell differs, where that is known."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it asks: its own, or two stages of it."""
        return tuple(f"{self.model}.{stage}" for stage in self.question.stages) or (self.model,)

    @property
    def number(self) -> float | None:
        """The printed number; None for labels, and where it is missing."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def decimals(self) -> int:
        """Decimals that are printed; 2 where the number is missing."""
        return len(self.form.partition(".")[2]) if self.form else 2

    @property
    def form(self) -> str:
        """The printed number that says how many digits are shown."""
        return self.text or self.like

    @property
    def difference(self) -> float | None:
        """What was computed less what is printed; None without both."""
        number = self.number
        if number is None or not isinstance(self.value, int | float):
            return None
        return self.value - number

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same to the digits printed; None where one is missing."""
        if self.value is None or not self.text:
            return None
        if isinstance(self.value, str):
            return self.value == self.text
        if self.difference is None:
            return None
        return abs(self.difference) <= 0.5 * 10.0**-self.decimals + NUMERIC_SLACK

    def columns(self) -> dict[str, Any]:
        """The cell as a row of a flat table."""
        label = isinstance(self.value, str)
        return {
            "table": self.table, "model": self.model, "row": self.row, "column": self.column,
            "method": self.question.method or None, "test": self.question.test,
            "period": self.question.period, "place": self.question.place,
            "published": self.number, "published_text": self.text or None,
            "published_star": None if self.own else self.star,
            "source": self.source or None, "of_paper": not self.own,
            "ours": None if label else self.value, "ours_text": self.value if label else None,
            "ours_star": self.own_star, "p": self.p, "p_exact": self.exact_p,
            "difference": self.difference, "agrees": self.agrees,
            "missing": ", ".join(self.missing) or None, "why": self.why or None,
        }  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A check of printed numbers against other printed numbers of the same paper."""

    name: str
    """What is checked."""
    where: str
    """Table and row."""
    holds: bool
    finding: str
    """What is printed, and what follows from the other numbers."""

    def is_of(self, tables: Collection[str]) -> bool:
        """Whether it is about one of some tables."""
        named = self.where.partition(",")[0].split(" and ")
        return any(f"{table}-".startswith(f"{name}-") for table in tables for name in named)


@cache
def paper_cells(name: str) -> tuple[Cell, ...]:
    """The cells of a paper's tables, in their order."""
    tables = read_recipe(name).table
    methods = {table.id: table.method for table in tables if not table.not_run}
    return tuple(
        Cell(
            row["table"],
            row["model"],
            row["row"],
            row["column"],
            Question(
                row["method"] or methods.get(row["table"], ""),
                row["test"],
                int(row["period"]) if row["period"] else None,
                row["place"],
            ),
            row["printed"],
            star=STARS[row["star"]],
        )
        for row in _rows(name, CELLS)
    )


@cache
def checks_of(name: str) -> tuple[Check, ...]:
    """What the printed numbers of a paper say of each other; it follows from them alone."""
    return tuple(
        Check(row["name"], row["where"], row["holds"] == "yes", row["finding"])
        for row in _rows(name, CHECKS)
    )


def _rows(paper: str, name: str) -> Iterator[dict[str, str]]:
    """The rows of a file of a paper; none of a file that it does not have."""
    path = DATA / paper / name
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


# --- what a result says in place of a printed number ------------------------------------------


def value_at(result: AssociationResult, place: str) -> float | str | None:
    """The number or label at a place of a result; of a test of groups, ``targets.TERM.FIELD``."""
    head, _, rest = place.partition(".")
    if head == "targets":
        term, _, name = rest.rpartition(".")
        result_of = {target.term: target for target in result.by_target or ()}
        value = getattr(result_of.get(term), name, None)
    else:
        value = at(result, place)
    return value if isinstance(value, str | float | None) else float(value)


def significance_at(result: AssociationResult, place: str) -> dict[str, Any]:
    """The p-value of an effect size and its star, as fields of a cell; none for other numbers."""
    if not place.endswith(EFFECT):
        return {}
    level = at(result, place.removesuffix(EFFECT))
    if level is None or level.effect_size is None:
        return {"own_star": 0}
    tail, alpha = result.rule.tail_at(level.effect_size), result.rule.alpha
    p = getattr(level.p, tail)
    fields = {"p": p, "own_star": int(p < alpha)}
    exact = permutation_test_at(result, place.removesuffix(EFFECT))
    if at(level, "p.method") == "normal" and exact is not None:
        p = getattr(exact, tail).p
        fields |= {"exact_p": p, "exact_star": int(p < alpha)}
    return fields


def permutation_test_at(result: AssociationResult, place: str) -> PermutationResult | None:
    """The permutation test behind a level, counted; None where the result has no scores of it."""
    scores = result.scores
    side = place.partition("level2.")[2]
    groups = scores and (getattr(scores, f"attributes_with_{side}") if side else scores)
    if not groups:
        return None
    first, second = (groups[role] for role in ("AB" if side else "XY"))
    if not first or not second:
        return None
    roundoff = None if result.encoding is None else result.encoding.roundoff
    return permutation_test([*first, *second], len(first), scale=1.0, precision=roundoff)


def missing_in(result: AssociationResult, *, beside: str = "") -> tuple[str, ...]:
    """Stimuli of a test that a source lacks, each once; but for those of a group."""
    groups = [group for name, group in result.coverage.items() if name != beside]
    return tuple(dict.fromkeys(term for group in groups for term in group.missing))
