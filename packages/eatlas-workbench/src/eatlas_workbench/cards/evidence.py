"""The record of a measure card: what each study of a testing protocol found about a measure."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from eatlas.decoding import own_toml
from eatlas.results.json_lines import record_of_file
from eatlas.results.parts import Record, is_empty, is_none

Criterion = Literal[
    "face", "content", "convergent", "predictive", "hypothesis", "consequential",
    "inter-annotator", "sensitivity",
]  # fmt: skip
"""The eight criteria of Bommasani and Liang (2022), Table 2, in their order."""
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
Cell = str | int | float | bool | None


@cache
def criteria() -> tuple[dict[str, Any], ...]:
    """Each criterion with its `id`, `title`, `text`, and its studies in the order of the card."""
    data = own_toml(resources.files("eatlas_workbench.cards") / "data" / "studies.toml")
    return tuple(data["criterion"])


class Figure(Record):
    """One number of a study, with what is known about its uncertainty."""

    name: str
    """What it is, such as "Spearman's rho"."""
    value: float | None = None
    """None where it is undefined, or where `text` is the answer."""
    low: float | None = Field(default=None, exclude_if=is_none)
    """Interval."""
    high: float | None = Field(default=None, exclude_if=is_none)
    interval: str = Field(default="", exclude_if=is_empty)
    """What the interval is, such as "95% Clopper-Pearson"."""
    n: int | None = Field(default=None, ge=0, exclude_if=is_none)
    """How many things it is of."""
    of: str = Field(default="", exclude_if=is_empty)
    """What is counted in `n`, a plural such as "professions"."""
    p: Annotated[float, Field(ge=0.0, le=1.0)] | None = Field(default=None, exclude_if=is_none)
    test: str = Field(default="", exclude_if=is_empty)
    """What p is the p-value of, such as "exact binomial, two-sided"."""
    text: str = Field(default="", exclude_if=is_empty)
    """The answer in words, where it is not a number."""


class Table(Record):
    """A small table: what the figures of a study are made of."""

    title: str = ""
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Mark(Record):
    """One labelled point of a drawing, with an interval where there is one."""

    label: str
    value: float | None
    low: float | None = Field(default=None, exclude_if=is_none)
    high: float | None = Field(default=None, exclude_if=is_none)
    group: str = Field(default="", exclude_if=is_empty)
    """What it belongs to: marks of one group have one colour."""


class Drawing(Record):
    """Labelled points on one axis, one below the other."""

    title: str
    axis: str
    """What the axis shows, with its unit."""
    marks: tuple[Mark, ...]
    low: float | None = Field(default=None, exclude_if=is_none)
    """Ends of the axis; those of the marks where there are none."""
    high: float | None = Field(default=None, exclude_if=is_none)
    neutral: float | None = 0.0
    """Where a line is plotted; None for none."""


class Evidence(Record):
    """What one study shows about a measure on one source, or why it was not run.

    Evidence holds no verdict: a reader judges whether it speaks for the measure.

    Examples
    --------
    >>> found = Evidence(
    ...     criterion="face",
    ...     study="signs",
    ...     title="Signs",
    ...     question="Do signs agree with stereotypes?",
    ...     figures=(Figure(name="agreement", value=0.75, n=8),),
    ... )
    >>> found.ran, Evidence.from_dict(found.to_dict()) == found
    (True, True)
    """

    criterion: Criterion
    study: str
    """Id of the study, such as ``stereotyped-professions``."""
    title: str
    question: str
    """What is asked, a question that ends in a question mark."""
    source: str = Field(default="", exclude_if=is_empty)
    """Source string of the vectors, or names of the files, that the study was run on."""
    not_run: str = Field(default="", exclude_if=is_empty)
    """Why it was not run; empty where it was."""
    figures: tuple[Figure, ...] = Field(default=(), exclude_if=is_empty)
    tables: tuple[Table, ...] = Field(default=(), exclude_if=is_empty)
    drawings: tuple[Drawing, ...] = Field(default=(), exclude_if=is_empty)
    remarks: tuple[str, ...] = Field(default=(), exclude_if=is_empty)
    """Whole sentences that a reader of the figures needs."""
    citation: str = Field(default="", exclude_if=is_empty)
    """Where the study comes from."""

    @property
    def ran(self) -> bool:
        """Whether the study was run."""
        return not self.not_run

    def figure(self, name: str) -> Figure:
        """Return the figure of a name.

        Raises
        ------
        KeyError
            If there is none.
        """
        return {figure.name: figure for figure in self.figures}[name]


class Given(Record):
    """An input of a card."""

    name: str
    """Option that it was given by, such as ``vectors``."""
    value: str
    """As it was given: a source string, the id of a test, a file name."""
    sha256: str = Field(default="", exclude_if=is_empty)
    """Fingerprint of a source, or hash of a file."""
    notes: tuple[str, ...] = Field(default=(), exclude_if=is_empty)
    """What is known about it."""


class Covered(Record):
    """How many terms of a group of a test a source has."""

    source: str
    test: str
    group: str
    used: int = Field(ge=0)
    total: int = Field(ge=0)
    missing: tuple[str, ...] = Field(default=(), exclude_if=is_empty)


class Card(Record):
    """A measure card: the evidence that the eight criteria of a protocol give about a measure."""

    schema_: Literal["eatlas/card/1"] = Field("eatlas/card/1", alias="schema")
    version: str
    """Of eatlas."""
    measure: str
    """Name of the measure, such as ml-eat."""
    title: str
    """Name of the measure in texts."""
    full_name: str = ""
    """As a methods section names it, with its citation."""
    signature: str
    """The measure with all its parameters."""
    seed: int = Field(ge=0)
    given: tuple[Given, ...] = ()
    """Sources, tests and files that the card was made from."""
    coverage: tuple[Covered, ...] = ()
    evidence: tuple[Evidence, ...]
    """In the order of the criteria."""

    def of(self, criterion: Criterion) -> tuple[Evidence, ...]:
        """Return the evidence of one criterion."""
        return tuple(piece for piece in self.evidence if piece.criterion == criterion)

    @property
    def ran(self) -> tuple[Evidence, ...]:
        """The evidence of studies that were run."""
        return tuple(piece for piece in self.evidence if piece.ran)

    def to_json(self) -> str:
        """Return the card as JSON text that ends in a newline."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        return text + "\n"

    def __repr__(self) -> str:
        return (
            f"<Card of {self.signature}: {len(self.ran)} of {len(self.evidence)} pieces of "
            f"evidence in {len(CRITERIA)} criteria>"
        )


def read_card(path: str | Path) -> Card:
    """Read a measure card from its JSON file.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    ResultsError
        If the file cannot be read, or holds no card of a known version.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> card = eatlas.protocol("mac", criteria=["face"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _, data = eatlas.write_card(card, folder)
    ...     print(eatlas.read_card(data))
    <Card of MAC(): 0 of 2 pieces of evidence in 8 criteria>
    """
    remedy = "eatlas protocol MEASURE writes one, card.json"
    return record_of_file(Path(path), Card, "the measure card", remedy)
