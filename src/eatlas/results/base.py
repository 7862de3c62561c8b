"""What every result says about itself, whatever the measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.display import html_of
from eatlas.results.frequency import Frequency
from eatlas.results.parts import Concepts, Coverage, Encoding, Provenance, PValues, Record

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.stimuli import ContextsOrigin

SCHEMA: Literal["eatlas/result/1"] = "eatlas/result/1"


def _empty(value: object) -> bool:
    return not value


class AssociationResult(Record):
    """Head and tail of a result of an association test; each measure adds what it found."""

    subject: ClassVar[str] = "vectors"
    """What associates, as sentences name it; a plural."""
    unit: ClassVar[str] = "cosine"
    """What the association of one pair of terms is; with an s, of several."""
    scale: ClassVar[str] = ""
    """What it is counted in; empty for a number without a unit."""

    schema_version: Literal["eatlas/result/1"] = Field(default=SCHEMA, alias="schema")
    measure: str
    """Name of the measure, such as ml-eat."""
    signature: str
    """The measure with all its parameters."""
    test: str
    """Id of the test."""
    title: str = ""
    source: str
    """Source string of the vectors."""
    period: int | None = None
    """Year of the vectors, in a series of periods."""
    encoding: Encoding | None = None
    """How texts became vectors; None where vectors were looked up."""
    concepts: Concepts
    coverage: Coverage
    diagnosis: TermsDiagnosis | None = None
    """Whether cosines mean anything among the test's terms; None where a measure has none."""
    frequency: Frequency | None = None
    """How frequent the words of the test are, and what random words of these frequencies show;
    None where no order of frequency is known."""
    frequency_reason: str = Field(default="", exclude_if=_empty)
    """Why it is not known."""
    warnings: tuple[str, ...] = ()
    """What a reader should know before trusting the numbers, in whole sentences."""
    provenance: Provenance

    @property
    def contexts(self) -> ContextsOrigin | None:
        """Which contexts the stimuli stood in, and how much of a text; None where in none."""
        return self.provenance.contexts

    def head(self) -> dict[str, Any]:
        """First columns of every table."""
        return {
            "test": self.test,
            "source": self.source,
            **({} if self.period is None else {"period": self.period}),
            **({} if self.encoding is None else self.encoding.columns()),
            **({} if self.contexts is None else self.contexts.columns()),
            "measure": self.measure,
            "signature": self.signature,
            **{role: self.concepts.name(role) for role in "XYAB"},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Flat rows of the tidy table, one for each quantity of interest."""
        return [self.head()]

    def frequency_columns(self, label: str | None = None) -> dict[str, Any]:
        """Columns of a table on frequency; `label` is the EAT pattern whose share is given."""
        return {} if self.frequency is None else self.frequency.columns(label)

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a pandas frame, one row for each row of :meth:`rows`."""
        import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

        return pd.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<{self.signature} of {self.test} on {self.source}: {self.summary()}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return html_of(self)

    def summary(self) -> str:
        """The finding in a few words."""
        return f"{self.coverage.counts()[0]} terms"


def p_columns(p: PValues, suffix: str = "") -> dict[str, float]:
    """The three tails as columns of a table.

    A tail of which only bounds are known has its upper bound there, and the lower one in a column
    of its own, ``p_greater_low`` for instance.
    """
    tails = ("greater", "less", "two_sided")
    lows = {f"p_{tail}_low{suffix}": p.low(tail) for tail in tails}
    known = {name: low for name, low in lows.items() if low is not None}
    return {**{f"p_{tail}{suffix}": p.tail(tail) for tail in tails}, **known}


def interval_columns(interval: tuple[float, float] | None, suffix: str = "") -> dict[str, Any]:
    """The ends of an interval of an effect size as columns of a table."""
    low, high = interval or (None, None)
    return {f"low{suffix}": low, f"high{suffix}": high}


def show_effect(value: float | None) -> str:
    """An effect size for people; undefined is a dash."""
    return "–" if value is None else f"{value:.2f}"
