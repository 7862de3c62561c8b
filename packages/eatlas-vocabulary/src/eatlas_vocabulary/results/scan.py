"""All words of a scan as a table of columns, CSV and Parquet; and the summary."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import Field, PrivateAttr

from eatlas.csv_cells import MARK
from eatlas.decoding import check_parquet, require_file
from eatlas.errors import EatlasError, ResultsError
from eatlas.lazy import as_frame, import_pandas
from eatlas.notes import Noted
from eatlas.results.base import Head
from eatlas.results.levels import Level
from eatlas.results.parts import (
    TAILS,
    Coverage,
    Probability,
    Provenance,
    Record,
)

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "word", "effect_size", "p_greater", "p_less", "p_two_sided", "p_max_t", "p_by", "difference",
    "rank", "attribute", "method", "rel_err",
)  # fmt: skip
"""Columns of the table; what does not apply to a word is empty."""
TEXT = ("word", "attribute", "method")
SUFFIXES = (".csv", ".parquet")


def read_words(path: Path) -> pd.DataFrame:
    """Read a file of words as a pandas frame.

    Words such as ``nan`` and ``=1+1`` come back as they are; `eatlas.csv_cells` says how they are
    in a CSV file.
    """
    pandas = import_pandas()
    precision: Any = {} if pandas.__version__ >= "3.1" else {"float_precision": "round_trip"}
    require_file(path, ResultsError)
    try:
        if path.suffix.lower() == ".parquet":
            check_parquet(path, import_module("pyarrow.parquet"))
            frame: pd.DataFrame = pandas.read_parquet(path)
        else:
            frame = pandas.read_csv(
                path,
                keep_default_na=False,
                # an empty cell is not a number; in a column of text it is an empty text
                na_values={name: [""] for name in COLUMNS if name not in TEXT},
                dtype=dict.fromkeys(TEXT, str),
                encoding="utf-8",
                **precision,
            )
            frame["word"] = frame["word"].str.removeprefix(MARK)
        return frame[list(COLUMNS)]
    except (OSError, ValueError, KeyError, ImportError) as error:  # Parquet needs pyarrow
        raise ResultsError(
            f"{path}: not a table of a scan",
            got=getattr(error, "strerror", None) or str(error),
            allowed=f"a file of eatlas scan with the columns {', '.join(COLUMNS)}",
        ) from error


SCHEMA: Literal["eatlas/scan/1"] = "eatlas/scan/1"

Side = Literal["A", "B"]
Sort = Literal["effect_size", "difference", "p"]
"""What lists of words are sorted by."""
SIDES: tuple[Side, ...] = get_args(Side)


class Sides(Record):
    """How many words are associated with either side: effect size above 0 is A, below 0 is B."""

    A: int = 0
    B: int = 0

    @property
    def total(self) -> int:
        """Words of both sides."""
        return self.A + self.B


class Band(Record):
    """Words by their rank in the source, a proxy for frequency."""

    first: int
    last: int

    @property
    def label(self) -> str:
        """The places as readers write them.

        Examples
        --------
        >>> Band(first=1001, last=10_000).label
        '1,001–10,000'
        """
        return f"{self.first:,}–{self.last:,}"


class Rejected(Record):
    """How many words on each side have a two-sided p-value below alpha, by adjustment."""

    words: int
    """Words in the family: all that were tested, less the attribute words."""
    leaning: Sides
    """By the sign of the effect size only."""
    unadjusted: Sides
    holm: Sides
    benjamini_yekutieli: Sides
    max_t: Sides


class BandSummary(Rejected):
    """The same for the words of one band."""

    band: Band


class WordAssociation(Record):
    """One word in a list of the most associated ones."""

    word: str
    rank: int
    """Place in the source, from 1."""
    level2: Level
    p_max_t: Probability
    """Two-sided p adjusted by Westfall and Young's maxT over the whole vocabulary."""
    p_by: Probability
    """Two-sided p adjusted by Benjamini and Yekutieli over the whole vocabulary."""


class TopList(Record):
    """The words of one band that are most associated with one side."""

    band: Band
    side: Side
    words: tuple[WordAssociation, ...]


class Vocabulary(Record):
    """The words that were read, and how many were tested."""

    read: int
    tested: int
    attributes: int
    """Tested words that are attributes themselves; in no family and in no list."""
    undefined: int
    """Tested words without an effect size, because their cosines have no spread; their p is 1."""
    missing: dict[str, int]
    """Words without a usable vector, by reason."""
    examples: dict[str, tuple[str, ...]]
    """The first few of them, by reason."""
    alphabetical: bool
    """Whether the words are in alphabetical order, so that positions say nothing about
    frequency."""
    methods: dict[str, int]
    """How p-values were found, by word."""
    rel_err: float | None
    """The greatest stated relative error of a p-value; None where all are counts."""


class MaxTFamily(Record):
    """Westfall and Young's single-step maxT over the vocabulary."""

    relabellings: int
    """Permutations counted; a mirror image counts with its original."""
    enumerated: bool
    """Whether these are all there are; otherwise they were sampled at random."""
    min_p: Probability
    """The smallest adjusted p that is possible."""
    critical: float | None
    """Effect sizes beyond this are below alpha; None where none can be."""


class Family(Rejected):
    """All hypotheses of a scan judged together, two-sided."""

    alpha: float
    design: tuple[int, int]
    """Attributes of A and of B that were found."""
    total: int
    """C(N, n), the number of permutations of the attributes."""
    min_two_sided: Probability
    """The smallest two-sided p of the design."""
    by_chance: float
    """Words that would be below alpha, unadjusted, if none had an association."""
    at_min: int
    """Words of the family that have it."""
    holm_needs: float
    """What Holm, or Bonferroni, asks of the smallest p: to be below alpha / words."""
    holm_possible: bool
    """Whether any p of the design is below that."""
    by_needs: int | None
    """Words that must share the smallest p before Benjamini and Yekutieli can reject; None where
    even all together would not do."""
    max_t_details: MaxTFamily


class ScanHead(Head):
    """What was scanned, and for what; concepts have the roles A and B, or G1, G2 and so on."""

    test: str | None  # type: ignore[assignment]
    """Id of the test that the groups come from; None for words that were handed over."""
    coverage: Coverage
    words_file: str | None = None
    """Where all words are, where they were written."""


class ScanResult(ScanHead):
    """What :func:`eatlas.scan` found: the summary, and the way to all words."""

    schema_version: Literal["eatlas/scan/1"] = Field(default=SCHEMA, alias="schema")
    measure: Literal["sc-eat"] = "sc-eat"
    vocabulary: Vocabulary
    family: Family
    bands: tuple[BandSummary, ...]
    sort: Sort = "effect_size"
    """What the lists are sorted by."""
    tops: tuple[TopList, ...]
    warnings: tuple[Noted, ...] = ()
    """What a reader should know before trusting the numbers, in whole sentences."""
    provenance: Provenance

    _words: Mapping[str, Any] | None = PrivateAttr(default=None)
    """All words, a column each as :data:`COLUMNS` name them, where no file holds them."""

    def to_frame(self) -> pd.DataFrame:
        """Return every word as a row of a pandas frame, in the order of the source.

        Raises
        ------
        ResultsError
            If the words are neither in memory nor in a file that can be read.
        """
        if self._words is not None:
            words: pd.DataFrame = import_pandas().DataFrame(self._words)
            return words
        if self.words_file is None:
            raise ResultsError(
                "this scan only has a summary, not its words",
                remedy="scan again with out=FILE, or without it in Python",
            )
        return read_words(Path(self.words_file))

    def top(self, side: Side | None = None, *, n: int | None = None) -> pd.DataFrame:
        """Return the most associated words, by band and side, as a pandas frame.

        Parameters
        ----------
        side : {"A", "B"}, optional
            By default both.
        n : int, optional
            So many of each list; by default all that were stored.

        Raises
        ------
        EatlasError
            If there is no such side.
        """
        if side is not None and side not in SIDES:
            raise EatlasError("there is no such side", got=repr(side), allowed="A or B")
        names = ["band", "side", "word", "rank", "effect_size", "difference"]
        names += [*(f"p_{tail}" for tail in TAILS), "p_max_t", "p_by"]
        rows = []
        for top in self.tops:
            for word in top.words[:n] if side in {None, top.side} else ():
                level = word.level2
                row = [top.band.label, top.side, word.word, word.rank, level.effect_size]
                row += [level.difference, *(level.p[tail] for tail in TAILS)]
                rows.append((*row, word.p_max_t, word.p_by))
        return as_frame(rows, names)

    def __eq__(self, other: object) -> bool:
        """Whether both say the same; where the words are stored does not count."""
        if not isinstance(other, ScanResult):
            return NotImplemented
        return self.model_dump(exclude={"words_file"}) == other.model_dump(exclude={"words_file"})

    __hash__ = None  # type: ignore[assignment]  # its dictionaries have none either

    def summary(self) -> str:
        """The finding in a few words."""
        below = self.family.max_t.total
        return f"{self.vocabulary.tested:,} words, {below:,} below {self.family.alpha:g} by maxT"

    def __repr__(self) -> str:
        return (
            f"<{self.signature} scan of {self.source} with {self.concepts.A} and "
            f"{self.concepts.B}: {self.summary()}>"
        )


def summary_of(words: Path) -> Path:
    """Where the summary of a file of words is."""
    return words.with_name(f"{words.name}.json")


def files_of(path: Path) -> tuple[Path, Path]:
    """The file of words of a scan and its summary, by the name of either."""
    words = path.with_name(path.name.removesuffix(".json"))
    return words, summary_of(words)
