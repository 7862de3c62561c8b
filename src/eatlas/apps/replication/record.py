"""The record of a replication: published numbers beside those of one's own, and checks of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from eatlas.lazy import as_frame
from eatlas.results.collection import Results

if TYPE_CHECKING:
    import pandas as pd

NUMERIC_SLACK = 1e-9
"""Beyond half a unit of the last printed digit, for the rounding of binary fractions."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PaperModel(_Strict):
    """A model that a paper measured, and how to get it."""

    id: str
    title: str
    published: str = ""
    """Name by which ``eatlas vectors fetch`` fetches it."""
    scheme: str = ""
    """Before the source, such as ``cbow:``."""
    get: str = ""
    options: dict[str, str] = {}
    """Options of a transformer that the paper's method needs."""
    prompt: str = ""
    not_run: str = ""
    """Why eatlas cannot measure it without help."""
    stand_in: str = ""
    """Source of the package that is measured in its place."""
    stand_in_is: str = ""
    note: str = ""


class PaperTable(_Strict):
    """A table of a paper."""

    id: str
    title: str
    measure: str
    """Signature of the measure that gives its numbers."""
    says: str = ""
    not_run: str = ""


class Paper(_Strict):
    """A paper: its models, its tables, and why numbers differ."""

    title: str
    citation: str
    left_out: tuple[str, ...]
    """What of the paper is not among the cells, and why."""
    reasons: tuple[str, ...]
    """Known reasons why numbers differ."""
    signless: bool = False
    """Whether the text has lost the signs, so that absolute values are compared."""
    model: tuple[PaperModel, ...]
    table: tuple[PaperTable, ...]


@dataclass(frozen=True)
class Printed:
    """One cell of a published table, as printed."""

    table: str
    model: str
    row: str
    column: str
    test: str = ""
    """Id of the test that gives the number; empty where eatlas has none."""
    period: int | None = None
    place: str = ""
    """Where a record of eatlas has the number, such as ``level1.effect_size``."""
    text: str = ""
    """The number or label as printed; empty where it is missing in what was transcribed."""
    star: bool | None = None
    """Whether a star is printed; None where the column has no stars."""
    quantity: str = ""
    """What is counted: cells of one quantity, in whatever tables, should agree."""

    @property
    def number(self) -> float | None:
        """The number; None for labels, and where it is missing."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def decimals(self) -> int:
        """Decimals that are printed; 2 where the number is missing."""
        return len(self.text.partition(".")[2]) if self.text else 2

    @property
    def half_unit(self) -> float:
        """Half a unit of the last digit that is printed."""
        return 0.5 * 10.0**-self.decimals

    @property
    def is_detail(self) -> bool:
        """Whether only the page shows the cell."""
        return self.place.startswith("level3.")


@dataclass(frozen=True)
class Compared:
    """A published cell beside what was computed for it."""

    printed: Printed
    source: str = ""
    """Source string of the vectors; empty where nothing was computed."""
    stand_in: bool = False
    """Whether these are other vectors than the paper's."""
    value: float | str | None = None
    """What was computed; None where nothing was, or where it is undefined."""
    star: bool | None = None
    signless: bool = False
    """Whether the text has lost the signs, so that absolute values are compared."""

    @property
    def difference(self) -> float | None:
        """What was computed less what is printed; None without both."""
        number = self.printed.number
        if number is None or not isinstance(self.value, int | float):
            return None
        return abs(self.value) - abs(number) if self.signless else self.value - number

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same to the digits printed; None where one is missing."""
        if self.value is None or not self.printed.text:
            return None
        if isinstance(self.value, str):
            return self.value == self.printed.text
        if self.difference is None:
            return None
        return abs(self.difference) <= self.printed.half_unit + NUMERIC_SLACK

    def columns(self) -> dict[str, Any]:
        """The cell as a row of a flat table."""
        cell, label = self.printed, isinstance(self.value, str)
        return {
            "table": cell.table, "model": cell.model, "row": cell.row, "column": cell.column,
            "test": cell.test, "period": cell.period, "place": cell.place,
            "published": cell.number, "published_text": cell.text or None,
            "published_star": cell.star,
            "source": self.source or None, "stand_in": self.stand_in if self.source else None,
            "ours": None if label else self.value, "ours_text": self.value if label else None,
            "ours_star": self.star,
            "difference": self.difference, "agrees": self.agrees,
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


@dataclass(frozen=True)
class ModelUse:
    """What became of one of the paper's models."""

    id: str
    title: str
    source: str = ""
    """What was measured; empty where nothing was."""
    stand_in_is: str = ""
    """What the vectors are, where they are not the paper's."""
    missing: str = ""
    """Why nothing was measured, or how to get the model."""
    note: str = ""


@dataclass(frozen=True)
class Replication(Sequence[Compared]):
    """Published numbers beside one's own: a sequence of compared cells.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.replicate("ml-eat")
    >>> sum(check.holds for check in found.checks if check.name == "pattern")
    21
    >>> found.to_frame().columns[:4].tolist()
    ['table', 'model', 'row', 'column']
    """

    name: str
    paper: Paper
    cells: tuple[Compared, ...]
    models: tuple[ModelUse, ...]
    checks: tuple[Check, ...]
    results: Results = field(default_factory=lambda: Results([]))
    """What was measured."""

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.cells)

    def __repr__(self) -> str:
        agree = [cell.agrees for cell in self.cells if cell.agrees is not None]
        return (
            f"<Replication of {self.name}: {len(self.cells)} published cells, "
            f"{len(agree)} compared, {sum(agree)} the same; {len(self.checks)} checks of printed "
            f"numbers, {len(self.failed_checks)} of which fail>"
        )

    __str__ = __repr__

    @property
    def computed(self) -> tuple[Compared, ...]:
        """The cells for which something was computed."""
        return tuple(one for one in self.cells if one.source)

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """Printed numbers that do not follow from others."""
        return tuple(check for check in self.checks if not check.holds)

    def to_frame(self) -> pd.DataFrame:
        """One row for each published cell."""
        return as_frame(one.columns() for one in self.cells)
