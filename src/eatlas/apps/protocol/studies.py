"""The criteria and what their studies ask, as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from eatlas.apps.protocol.evidence import Criterion
from eatlas.decoding import own_toml


@dataclass(frozen=True)
class Study:
    """What one study of a criterion asks."""

    criterion: Criterion
    id: str
    title: str
    question: str
    citation: str


@dataclass(frozen=True)
class CriterionOf:
    """A criterion: what it is called, what it asks of a measure, and its studies."""

    id: Criterion
    title: str
    text: str
    studies: tuple[Study, ...]


@cache
def criteria() -> tuple[CriterionOf, ...]:
    """The criteria in their order, with their studies in the order of the card."""
    data = own_toml(resources.files("eatlas.apps.protocol") / "data" / "studies.toml")
    return tuple(
        CriterionOf(row["id"], row["title"], row["text"],
                 tuple(Study(row["id"], **study) for study in row["study"]))
        for row in data["criterion"]
    )  # fmt: skip
