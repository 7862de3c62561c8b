"""Themes of a vocabulary, and how much more each goes with one group than with another.

Also the reader of files of scans, of words or of themes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from eatlas.errors import ResultsError
from eatlas.lazy import as_frame
from eatlas.notes import Noted
from eatlas.results.parts import (
    Concepts,
    Coverage,
    Probability,
    Provenance,
    Record,
    is_empty,
    is_none,
    schema_of,
)
from eatlas.results.scan import SUFFIXES, ScanResult, summary_of

if TYPE_CHECKING:
    import pandas as pd

SCHEMA: Literal["eatlas/themes/1"] = "eatlas/themes/1"


class ThemeWord(Record):
    """A word of a theme, and how much more it goes with one of the theme's two groups."""

    word: str
    difference: float
    """Of its mean cosines with the two groups that the theme's difference is of, given the
    covariates."""


class GroupDifference(Record):
    """Two of more than two groups in one theme."""

    groups: tuple[str, str]
    """The one with the larger mean first."""
    difference: float
    effect_size: float | None
    p_holm: Probability
    """Two-sided, adjusted by Holm's procedure for all pairs of groups in the theme."""


class Theme(Record):
    """Words that are near each other, and their association with the groups."""

    name: str
    """The most central words; or what the user calls the theme."""
    words: tuple[str, ...]
    """All of them, the nearest to their mean first."""
    n: int
    """How many they are."""
    sides: tuple[str, str]
    """Roles of the two groups that `difference` is of: A and B; of more groups those with the
    largest and the smallest mean."""
    difference: float
    """Of the mean cosines of the theme's words with the words of both groups, given the
    covariates."""
    effect_size: float | None
    """The difference in standard deviations of the scores of all words of the groups; None where
    they do not differ."""
    interval: tuple[float, float] | None = None
    """Of the effect size, simultaneously for all themes; None with more than two groups."""
    means: dict[str, float]
    """Mean score of the words of each group, by role, at the mean of the covariates."""
    p: Probability
    """Two-sided, of this theme by itself; of more than two groups that any differ."""
    p_max_t: Probability
    """The same adjusted for all themes by the step-down maxT of Westfall and Young."""
    stability: float | None = None
    """Share of other clusterings in which the theme with most of these words has a difference of
    the same sign below alpha; None where the themes are the user's."""
    other_counts: dict[int, bool] | None = None
    """Whether that holds with other counts of themes, by count."""
    associated: tuple[ThemeWord, ...]
    """Words that go most with the group that the theme goes with."""
    against: tuple[ThemeWord, ...]
    """Words that go most with the other group; none where all words go with one."""
    pairs: tuple[GroupDifference, ...] = Field(default=(), exclude_if=is_empty)
    """Of more than two groups in a theme that differs beyond chance: each two of them."""


class Clustering(Record):
    """How themes were made."""

    count: int
    """Number of themes."""
    by: str
    """The program and its version."""
    repeats: int
    """Further clusterings behind `stability`."""
    draws: int
    """Relabellings in each of these."""


class ThemesVocabulary(Record):
    """The words that themes are made of."""

    read: int
    """Words that the source gave."""
    used: int
    """Those in themes."""
    of_groups: tuple[str, ...]
    """Words left out as they are words of the groups, or forms of these."""
    missing: dict[str, tuple[str, ...]] = Field(default={}, exclude_if=is_empty)
    """Words of the user's categories that the source lacks, by category."""


class ThemesResult(Record):
    """What :func:`eatlas.scan` found with ``themes``."""

    schema_version: Literal["eatlas/themes/1"] = Field(default=SCHEMA, alias="schema")
    measure: Literal["themes"] = "themes"
    signature: str
    """All settings that decide the numbers."""
    test: str | None
    """Id of the test that the groups come from; None for words that were handed over."""
    title: str = ""
    source: str
    """Source string of the vectors, or the name that the scan gives them."""
    source_from: str = Field(default="", exclude_if=is_empty)
    """Source string of vectors that the scan gives a name; empty where `source` is one."""
    concepts: Concepts
    """Names of the groups by role: A and B, or G1, G2 and so on of more than two."""
    coverage: Coverage
    vocabulary: ThemesVocabulary
    alpha: float
    covariates: tuple[str, ...]
    """What the differences are given; empty where the source does not know how frequent its words
    are."""
    shared: float | None = Field(default=None, exclude_if=is_none)
    """Share of the groups' variance that the covariates explain."""
    total: int
    """Relabellings of the groups' words."""
    relabellings: int
    """So many of them were looked at."""
    clustering: Clustering | None
    """None where the themes are the user's."""
    themes_file: str = Field(default="", exclude_if=is_empty)
    """Name of the file with the user's themes."""
    groups_from: str = Field(default="", exclude_if=is_empty)
    """Name of the file whose words were clustered into the groups."""
    themes: tuple[Theme, ...]
    """In the order of their effect sizes, those towards A first; of more than two groups by p."""
    warnings: tuple[Noted, ...] = ()
    provenance: Provenance
    words_file: str | None = None
    """Where all words are, where they were written."""

    @property
    def source_string(self) -> str:
        """What opens the source again."""
        return self.source_from or self.source

    @property
    def found(self) -> tuple[Theme, ...]:
        """Themes with an adjusted p below alpha, the smallest first."""
        below = (theme for theme in self.themes if theme.p_max_t < self.alpha)
        return tuple(sorted(below, key=strength))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each theme, without its words."""
        names = ["theme", "n", "towards", "difference", "effect_size", "low", "high", "p"]
        names += ["p_max_t", "stability", "words"]
        rows = []
        for theme in self.themes:
            low, high = theme.interval or (None, None)
            towards = self.concepts[theme.sides[theme.difference < 0]]
            row = (theme.name, theme.n, towards, theme.difference, theme.effect_size, low, high)
            rows.append((*row, theme.p, theme.p_max_t, theme.stability, " ".join(theme.words[:12])))
        return as_frame(rows, names)

    def summary(self) -> str:
        """The finding in a few words."""
        count = len(self.found)
        return f"{len(self.themes):,} themes, {count:,} below {self.alpha:g} by maxT"

    def __repr__(self) -> str:
        groups = ", ".join(self.concepts.values())
        return f"<{self.signature} of {self.source} with {groups}: {self.summary()}>"

    __str__ = __repr__


def strength(theme: Theme) -> tuple[float, float, float]:
    """Order of themes, the strongest finding first."""
    return theme.p_max_t, theme.p, -abs(theme.effect_size or 0.0)


def read_scan(path: str | Path) -> ScanResult | ThemesResult:
    """Read a scan that ``eatlas scan --out FILE`` wrote.

    Parameters
    ----------
    path : path
        The file of words, or its summary, ``FILE.json``.

    Returns
    -------
    ScanResult or ThemesResult
        Of a scan of words, `to_frame` reads the file of words.

    Raises
    ------
    ResultsError
        If there is no such summary, or it is none.

    Examples
    --------
    >>> import eatlas
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "words.csv")
    ...     _ = eatlas.scan("glove-sample", "weat-7", first=500, out=path)
    ...     result = eatlas.read_scan(path)
    ...     frame = result.to_frame()
    >>> len(frame), frame["word"][0]
    (500, 'the')
    """
    path = Path(path)
    summary = path if path.suffix == ".json" else summary_of(path)
    try:
        data = summary.read_bytes()
        kind = ThemesResult if b'"eatlas/themes/' in data[:200] else ScanResult
        result: ScanResult | ThemesResult = kind.model_validate_json(data)
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"{summary}: this is not a summary of a scan",
            got=getattr(error, "strerror", None) or str(error).split("\n")[0],
        ) from error
    # the two files may have been moved together
    words = summary.with_name(summary.name.removesuffix(".json"))
    return result.model_copy(update={"words_file": str(words)}) if words.exists() else result


def is_scan(path: Path) -> bool:
    """Whether a file is one that a scan writes, by its name or its first characters."""
    if path.name.endswith((*SUFFIXES, *(f"{suffix}.json" for suffix in SUFFIXES))):
        return True
    try:
        with path.open("rb") as file:
            return re.search(rb'"eatlas/(themes|scan)/', file.read(200)) is not None
    except OSError:
        return False


def read_themes(path: str | Path) -> ThemesResult:
    """Read the themes that ``eatlas scan --themes --out FILE`` wrote."""
    result = read_scan(path)
    if not isinstance(result, ThemesResult):
        raise ResultsError(
            f"{path}: this is a scan of words, not of themes",
            allowed="FILE.csv of eatlas scan --themes, or FILE.csv.json",
            remedy="eatlas scan --themes N --out FILE.csv makes one",
        )
    return result


def themes_schema() -> dict[str, Any]:
    """The JSON Schema that every result satisfies, draft 2020-12."""
    return schema_of(ThemesResult, "eatlas scan --themes, version 1")
