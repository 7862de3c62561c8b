"""How tables of numbers by term and group are read, for measures that need counts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eatlas.engine.readers import Lookup, Reader, require_terms
from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources import open_counts, period_of
from eatlas.sources.spec import FileSpec, parse_file_spec
from eatlas.sources.tables import group_numbers
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas_corpora.reading.counts import CountsOfDocuments
from eatlas_corpora.reading.storing import about_of

if TYPE_CHECKING:
    from eatlas.measures import Measure
    from eatlas.sources import CaseRule, Counts
    from eatlas.sources.tables import CountTable

REMEDY = "use terms that the table has numbers for, or count a larger text"


class CountsReader(Reader):
    """Numbers of the targets of a test; the groups are columns of the table."""

    name = "a table of counts"

    def open(self, spec: Any) -> tuple[Counts, ...]:
        """Open a table, or each year of one; with counts by document where these were written."""
        tables = open_counts(spec)
        if not isinstance(spec, str | Path) or len(tables) != 1:
            return tables
        parsed = FileSpec(spec) if isinstance(spec, Path) else parse_file_spec(spec)
        return (CountsOfDocuments.of(cast("CountTable", tables[0]), about_of(parsed.path)),)

    def look_up(self, measure: Measure, test: Any, source: Counts, case: CaseRule) -> Lookup:  # noqa: ARG002
        """Look up the targets of a test, and the words of the measure's own."""
        names = [group.name for group in test.groups]
        rows = {term: source.counts(term) for term in test.targets.terms}
        reasons = {
            term: f"{'not' if row is None else 'no numbers'} in {source.name}"
            for term, row in rows.items()
            if not row
        }
        used = {term: row for term, row in rows.items() if row}
        covered = GroupCoverage(used=tuple(used), missing=tuple(reasons), reasons=reasons)
        groups = {group.name: GroupCoverage(used=group.terms, missing=()) for group in test.groups}
        coverage = Coverage({OF_TARGETS: covered, **groups})
        require_terms(measure, test, coverage, source.name, "row of numbers", REMEDY)
        numbers = {
            term: group_numbers(row, names, f"{source.name}, {term}") for term, row in used.items()
        }
        others = {group for row in used.values() for group in row} - set(map(str.casefold, names))
        notes: list[Note | str] = [*source.notes]
        if others:
            values = {"source": source.name, "groups": sorted(others)}
            notes.append(Note("source.other-groups", values=values))
        totals = {
            word: group_numbers(source.counts(word) or {}, names, f"{source.name}, {word}")
            for word in measure.needs.words
        }
        measured = hashlib.sha256(repr(sorted((numbers | totals).items())).encode()).hexdigest()
        fields = {"coverage": coverage, "counts": np.array(list(numbers.values()))}
        for total in totals.values():
            fields["totals"] = np.array(total)
        if hasattr(source, "block_counts"):
            words = [*used, *totals]
            by_block = [
                [source.block_counts(word)[name.casefold()] for name in names] for word in words
            ]
            blocks = np.moveaxis(np.array(by_block, np.float64), 2, 0)
            measured = hashlib.sha256(measured.encode() + blocks.tobytes()).hexdigest()
            fields["blocks"] = blocks
        return Lookup(fields, measured, {"period": period_of(source)}, notes)
