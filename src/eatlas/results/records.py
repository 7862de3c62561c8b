"""Which record belongs to which measure, and the JSON Schema of them all."""

from __future__ import annotations

from functools import cache
from typing import Any

from eatlas.errors import ResultsError, described
from eatlas.plugins import added
from eatlas.results.base import SCHEMA, AssociationResult
from eatlas.results.ceat import CEATResult
from eatlas.results.lpbs import LPBSResult
from eatlas.results.lpbs_ceat import LPBSCEATResult
from eatlas.results.ml_eat import MLEATResult
from eatlas.results.parts import Record
from eatlas.results.sc_eat import SCEATResult
from eatlas.results.trend import TrendResult
from eatlas.results.weat import WEATResult

BUILT_IN: tuple[type[AssociationResult], ...] = (
    MLEATResult,
    WEATResult,
    SCEATResult,
    CEATResult,
    LPBSResult,
    LPBSCEATResult,
)
ENTRY_POINTS = "eatlas.records"


@cache
def record_types() -> dict[str, type[AssociationResult]]:
    """Record types by measure name; other packages add theirs as entry points."""
    known = {record.model_fields["measure"].default: record for record in BUILT_IN}
    return known | added(ENTRY_POINTS, AssociationResult)


def measures_with(part: str) -> tuple[str, ...]:
    """Names of the measures whose records have a part, such as ``level3`` or ``draws``.

    Examples
    --------
    >>> measures_with("draws")
    ('ceat', 'lpbs-ceat')
    """
    return tuple(name for name, record in record_types().items() if part in record.model_fields)


def record_from_dict(values: dict[str, Any]) -> AssociationResult:
    """Rebuild a record from what :meth:`Record.to_dict` gave.

    Raises
    ------
    ResultsError
        If the schema or the measure is unknown.
    pydantic.ValidationError
        If a value does not fit the record.
    """
    if values.get("schema") != SCHEMA:
        raise ResultsError(
            "the schema of a result is unknown",
            got=described(values.get("schema")),
            allowed=SCHEMA,
            remedy="read it with the version of eatlas that wrote it",
        )
    measure = values.get("measure")
    if not isinstance(measure, str) or measure not in record_types():
        raise ResultsError(
            "the measure of a result is unknown",
            got=described(measure),
            allowed=", ".join(record_types()),
        )
    return record_types()[measure].from_dict(values)


def json_schema() -> dict[str, Any]:
    """The JSON Schema that every built-in result satisfies, draft 2020-12."""
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415  (only tools need it)

    records: tuple[type[Record], ...] = (*BUILT_IN, TrendResult)
    refs, definitions = models_json_schema(
        [(record, "serialization") for record in records], title="eatlas result, version 1"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions,
        "oneOf": [refs[record, "serialization"] for record in records],
    }
