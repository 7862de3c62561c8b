"""Default units of documents: documents of one speaker or author belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from eatlas_corpora.reading.files import Account, Part, read_documents
from eatlas_corpora.reading.local import Parting

NAMES = (
    "speaker", "speaker_id", "author", "author_id", "user", "user_id", "username", "person",
    "person_id", "writer", "participant", "participant_id", "respondent", "respondent_id",
)  # fmt: skip
"""Fields that say who speaks or writes; the first whose values repeat is the unit."""
LOOKED_AT = 1_000
"""Documents whose values are looked at."""


def find_unit(parting: Parting, parts: Sequence[Part]) -> Parting:
    """Take as units what the first documents share: the values of one of NAMES, or nothing."""
    names = [way for name in NAMES for way in (name, name.capitalize())]
    names = [name for name in names if name not in parting.naming_fields]
    values: list[Counter[str]] = [Counter() for _ in names]
    looked_at = 0
    for part in parts:
        if looked_at >= LOOKED_AT or part.kind in {"line", "paragraph"}:
            break
        for _, rows in read_documents(part, Account(part.label), names):
            looked_at += len(rows)
            for row in rows:
                for seen, value in zip(values, row, strict=True):
                    seen.update([] if value is None else [value])
            if looked_at >= LOOKED_AT:
                break
    repeat = (name for name, seen in zip(names, values, strict=True) if seen.total() > len(seen))
    unit = next(repeat, "")
    return replace(parting, unit=unit, unit_found=bool(unit))
