"""Published numbers of four papers, read from the data files of the package."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from eatlas.decoding import own_toml
from eatlas.errors import EatlasError, did_you_mean
from eatlas.results.replication import Printed

DATA = Path(__file__).parent / "data"
PAPERS = ("ml-eat", "seat", "divdist", "mind-your-bias")
STARS = {"*": True, "none": False, "": None}


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
    """Everything that the package knows of a paper."""

    title: str
    citation: str
    checks: tuple[str, ...]
    left_out: tuple[str, ...]
    reasons: tuple[str, ...]
    signless: bool = False
    model: tuple[PaperModel, ...]
    table: tuple[PaperTable, ...]

    def model_named(self, name: str) -> PaperModel:
        """The model of this id."""
        return next(one for one in self.model if one.id == name)

    def table_named(self, name: str) -> PaperTable:
        """The table of this id."""
        return next(one for one in self.table if one.id == name)


@cache
def paper(name: str) -> Paper:
    """What is known of a paper."""
    if name not in PAPERS:
        raise EatlasError(
            f"no paper {name!r} is known{did_you_mean(name, PAPERS)}", allowed=", ".join(PAPERS)
        )
    return Paper(**own_toml(DATA / f"{name}.toml"))


@cache
def printed_numbers(name: str) -> tuple[Printed, ...]:
    """The cells of a paper's tables, in their order."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Printed(
                table=row["table"],
                model=row["model"],
                row=row["row"],
                column=row["column"],
                test=row["test"],
                period=int(row["period"]) if row["period"] else None,
                place=row["place"],
                text=row["printed"],
                star=STARS[row["star"]],
                quantity=row["quantity"],
            )
            for row in csv.DictReader(file)
        )
