"""What other documents say of a result on a part of a corpus."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.results import AssociationResult
from eatlas.results.levels import Interval
from eatlas.results.parts import (
    BySide,
    KnownDifference,
    Magnitude,
    Part,
    Probability,
    Record,
    at,
    is_empty,
)


class DocumentsLevel(Record):
    """How far an effect size would be another with other documents."""

    interval: Interval | None
    """Expanded percentile interval over resamples of documents; None where too few of them have an
    effect size."""
    se: float | None
    """Standard deviation over these resamples."""


DocumentsLevel2 = BySide[DocumentsLevel]
"""Both level 2 associations with other documents."""


class PartDifference(Record):
    """The effect size in a part of a corpus less that in another part.

    Both are of as many contexts of each local term: the part with more of them is drawn down.
    """

    part: str
    """The other part."""
    level: Literal["level1", "level2.X", "level2.Y"]
    difference: Magnitude | None
    interval: Interval | None
    """Over resamples of documents."""
    over_both: Interval | None
    """Over resamples of documents and of words, the same words in both parts."""
    p: Probability | None
    """Two-sided, of documents permuted between the parts."""
    contexts: tuple[int, int] | None = None
    """Contexts of local terms that were compared, here and in the other part."""

    def opposite(self, part: str) -> PartDifference:
        """The same from the other part."""
        d, ends, contexts = self.difference, (self.interval, self.over_both), self.contexts
        names = ("interval", "over_both")
        changed = {
            name: (-pair[1], -pair[0]) if pair else None
            for name, pair in zip(names, ends, strict=True)
        }
        return self.model_copy(
            update={
                "part": part,
                "difference": None if d is None else -d,
                "contexts": contexts and contexts[::-1],
                **changed,
            }
        )


class Documents(Part):
    """The uncertainty about a result that is about documents, next to that about words."""

    terminal_tables: ClassVar[str] = "documents"
    heading: ClassVar[str] = "Other documents."
    facet: ClassVar[str] = "documents"
    words: ClassVar[str] = "documents"
    interval_name: ClassVar[str] = "documents"
    member_noun: ClassVar[str] = "part"
    difference_names: ClassVar[tuple[str, ...]] = (
        "difference_documents_low",
        "difference_documents_high",
        "difference_both_low",
        "difference_both_high",
        "difference_p",
    )

    part: str
    """Name of the part of the corpus."""
    corpus_sha256: str = ""
    """Hash of the beginnings and ends of the corpus's files."""
    vectors: str
    """Source of the vectors whose means the contexts are."""
    window: int
    """Words on each side that make a context."""
    quality: float
    """Of the transformation: median cosine of refitted words with their own vectors."""
    transformation_sha256: str = ""
    """Hash of its matrix."""
    unit: str
    """What was resampled: documents, or the field whose values are units, such as speaker."""
    unit_found: bool = Field(default=False, exclude_if=is_empty)
    """Whether the unit was taken because its values repeat, and not as the user names it."""
    documents: int
    """Documents of the part."""
    blocks: int
    """Units, or blocks of documents where there are more than 200, that were resampled."""
    resamples: int
    contexts: dict[str, int]
    """Contexts of each local term in the part."""
    level1: DocumentsLevel
    level2: DocumentsLevel2
    differences: tuple[PartDifference, ...] = ()
    """From other subcorpora: all of up to eight, of more the one before."""

    def of_level(self, place: str) -> tuple[PartDifference, ...]:
        """The differences of one effect size."""
        return tuple(gap for gap in self.differences if gap.level == place)

    def columns(self) -> dict[str, Any]:
        """What stands in a table."""
        return {
            "part": self.part,
            "documents": self.documents,
            "document_blocks": self.blocks,
            "document_contexts": sum(self.contexts.values()),
        }

    @property
    def member(self) -> str:
        """Name of the part."""
        return self.part

    @property
    def sources(self) -> tuple[str, ...]:
        """Source of the vectors whose means the contexts are."""
        return (self.vectors,)

    def interval_of(self, place: str) -> Interval | None:
        """Interval of an effect size over resamples of documents."""
        ends: Interval | None = at(self, f"{place}.interval")
        return ends

    def obstacle(self, place: str) -> str:
        """Whether other documents may show an effect size of the other sign."""
        ends = self.interval_of(place)
        holds = ends is not None and (ends[0] > 0 or ends[1] < 0)
        return "" if holds else "not shown to hold for other documents"

    def effect_columns(self, place: str) -> dict[str, Any]:
        """The interval over documents, and the difference from the part before."""
        if not isinstance(at(self, place), DocumentsLevel):
            return {}
        low, high = self.interval_of(place) or (None, None)
        columns: dict[str, Any] = {"documents_low": low, "documents_high": high}
        if found := self.of_level(place):
            before = found[-1]
            columns |= {"difference_from": before.part, "difference": before.difference}
            columns |= _columns_of(before)
        return columns

    def difference_from(
        self, first: AssociationResult, result: AssociationResult, place: str
    ) -> KnownDifference | None:
        """The difference of two subcorpora, as the later one has it."""
        other = documents_of(first)
        if other is None:
            return None
        corpora = {  # and which of their terms are local
            of_part.provenance.source_fingerprint.replace(f";part={known.part}", "", 1)
            for of_part, known in ((result, self), (first, other))
        }
        if len(corpora) > 1:
            return None
        own = [gap for gap in self.of_level(place) if gap.part == other.part]
        theirs = [gap for gap in other.of_level(place) if gap.part == self.part]
        found = next(iter((*own, *(gap.opposite(other.part) for gap in theirs))), None)
        if found is None:
            return None
        basis = "equal numbers of contexts"
        return KnownDifference(
            found.difference, found.over_both, found.p, _columns_of(found), basis
        )


def documents_of(result: AssociationResult) -> Documents | None:
    """What other documents say of a result; None of one that is of no part of a corpus."""
    found = result.parts.get("documents")
    return found if isinstance(found, Documents) else None


def _columns_of(found: PartDifference) -> dict[str, Any]:
    """The intervals and the p-value of a difference between parts, as columns."""
    ends = *(found.interval or (None, None)), *(found.over_both or (None, None))
    return dict(zip(Documents.difference_names, (*ends, found.p), strict=True))
