"""Themes of a vocabulary, and how much more each is associated with one group than another.

Also the reader of files of scans, of words or of themes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from eatlas.decoding import require_file
from eatlas.errors import ResultsError, require_whole
from eatlas.lazy import as_frame
from eatlas.notes import Noted
from eatlas.numbers import number_of, p_equals
from eatlas.results.json_lines import has_schema
from eatlas.results.parts import Probability, Provenance, Record, is_empty, is_none
from eatlas.stimuli import AssociationTest, Concept
from eatlas.stimuli.kinds import ExploredOn, identifier
from eatlas.stimuli.toml import write_toml
from eatlas_vocabulary.results.scan import SUFFIXES, ScanHead, ScanResult, files_of

if TYPE_CHECKING:
    import pandas as pd

SCHEMA: Literal["eatlas/themes/1"] = "eatlas/themes/1"
MOST_TERMS = 25
"""Words of a theme in a test that is made of it."""
NAMED, LISTED = 3, 12
"""Words in the name of a theme, and in its row of a table."""


class ThemeWord(Record):
    """A word of a theme, and its difference between the theme's two groups."""

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
    """Two-sided, unadjusted; with more than two groups, of the test that any differ."""
    p_max_t: Probability
    """The same adjusted for all themes by the step-down maxT of Westfall and Young."""
    stability: float | None = None
    """Proportion of other clusterings in which the theme with most of these words has a difference
    of the same sign below alpha; None where the themes are the user's."""
    other_counts: dict[int, bool] | None = None
    """Whether that holds with other counts of themes, by count."""
    associated: tuple[ThemeWord, ...]
    """Words most associated with the group of the theme."""
    against: tuple[ThemeWord, ...]
    """Words most associated with the other group; none if all are associated with one."""
    pairs: tuple[GroupDifference, ...] = Field(default=(), exclude_if=is_empty)
    """Of more than two groups in a theme that differs beyond chance: each two of them."""

    def lean(self, a: str, b: str) -> float:
        """The effect size of the theme towards one of two groups, by their roles."""
        if not self.difference or self.effect_size is None:
            return 0.0
        return (self.means[a] - self.means[b]) * self.effect_size / self.difference

    @property
    def central(self) -> str:
        """Its most central words, by which a theme is called before a user names it."""
        return ", ".join(self.words[:NAMED])

    @property
    def nearest(self) -> tuple[str, ...]:
        """The words nearest its centre, of which a test of the theme is made."""
        return self.words[:MOST_TERMS]

    @property
    def ends(self) -> tuple[str, str]:
        """Roles of the groups with which the theme is most and least associated."""
        first, second = self.sides
        return (second, first) if self.difference < 0 else (first, second)


class Clustering(Record):
    """How themes were made."""

    count: int
    """Number of themes."""
    by: str
    """The program and its version."""
    repeats: int
    """Further clusterings behind `stability`."""
    permutations: int
    """Permutations in each of these."""


class GroupUnits(Record):
    """What counts as one word of a group: near-synonyms are permuted, and summed, as one unit."""

    threshold: float
    """Least mean cosine of the residuals, from the mean of the list, of two joined clusters."""
    clusters: dict[str, tuple[tuple[str, ...], ...]]
    """The words of each cluster of two and more, by role."""
    sizes: dict[str, int]
    """Units of each group that the search compared, by role."""


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


class ThemesResult(ScanHead):
    """What :func:`eatlas.scan` found with ``themes``."""

    schema_version: Literal["eatlas/themes/1"] = Field(default=SCHEMA, alias="schema")
    measure: Literal["themes"] = "themes"
    vocabulary: ThemesVocabulary
    alpha: float
    covariates: tuple[str, ...]
    """What the differences are given; empty where the source does not know how frequent its words
    are."""
    shared: float | None = Field(default=None, exclude_if=is_none)
    """Proportion of the groups' variance that the covariates explain."""
    units: GroupUnits
    held_out: dict[str, tuple[str, ...]] = Field(default={}, exclude_if=is_empty)
    """Words of each group that the search did not use, by role: tests of its themes compare these.
    Empty if it used all of them, and then no test of these words confirms a theme."""
    total: int
    """Permutations of the groups' units."""
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

    @model_validator(mode="after")
    def _of_its_groups(self) -> Self:
        roles = set(self.concepts)
        named = (
            {*t.sides, *(role for pair in t.pairs for role in pair.groups)} for t in self.themes
        )
        alike = all(theme.means.keys() == roles for theme in self.themes)
        alike &= self.units.sizes.keys() == self.units.clusters.keys() == roles
        alike &= self.held_out.keys() in ({*()}, roles)
        two = len(roles) != 2 or roles == {"A", "B"}
        if not (self.themes and alike and two and all(each <= roles for each in named)):
            raise ValueError("a result has themes, each of the groups that it names")
        return self

    @property
    def strongest(self) -> tuple[Theme, ...]:
        """All themes, the strongest finding first."""
        return tuple(sorted(self.themes, key=strength))

    @property
    def found(self) -> tuple[Theme, ...]:
        """Themes with an adjusted p below alpha, the smallest first."""
        return tuple(theme for theme in self.strongest if theme.p_max_t < self.alpha)

    @property
    def searched(self) -> dict[str, tuple[str, ...]]:
        """Words of each group that the search used, by role."""
        return {
            role: tuple(word for word in group.used if word not in self.held_out.get(role, ()))
            for role, group in self.coverage.items()
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each theme, with its first words.

        `theme` is what a theme is called before a user names it in the column `name`: ``--names``
        reads both.
        """
        rows = []
        for theme in self.themes:
            default = theme.central if self.clustering else theme.name
            most, least = theme.ends
            low, high = theme.interval or (None, None)
            rows.append(
                {
                    "theme": default,
                    "name": theme.name if theme.name != default else "",
                    "n": theme.n,
                    "towards": self.concepts[most],
                    "away": self.concepts[least],
                    "difference": theme.difference,
                    "effect_size": theme.effect_size,
                    "low": low,
                    "high": high,
                    "p": theme.p,
                    "p_max_t": theme.p_max_t,
                    "stability": theme.stability,
                }
                | {f"again_of_{n}": again for n, again in (theme.other_counts or {}).items()}
                | {f"mean_{role}": mean for role, mean in theme.means.items()}
                | {"words": " ".join(theme.words[:LISTED])}
            )
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return :meth:`rows` as a pandas frame."""
        return as_frame(self.rows())

    def tests(
        self, top: int | None = None, *, of_searched_words: bool = False
    ) -> tuple[AssociationTest, ...]:
        """Make an association test of each theme that was found, for other words to confirm.

        X are the words nearest the centre of the theme, 25 at most; Y are those of the theme most
        strongly associated with the other group. A and B are the halves of the two groups that the
        search did not use; of more than two groups those with the largest and the smallest mean in
        the theme. If the search used all words, A and B are these words.

        Parameters
        ----------
        top : int, optional
            Take so many themes, the strongest first, whether their p is below alpha or not.
        of_searched_words : bool
            Take the words that the search used as A and B, to explore on. Such a test confirms
            nothing, on any vectors.

        Returns
        -------
        tuple of AssociationTest
            Each records in ``explored_on`` the words that the search used. Run it on the same or
            on other vectors, and look at :func:`eatlas.confirmations`.
        """
        themes = self.found if top is None else self.strongest[: require_whole("top", top, 0)]
        tests: dict[str, AssociationTest] = {}
        for theme in themes:
            base = name = identifier(f"theme-{theme.name.lower()}")
            while name in tests:  # names that differ in spaces or commas alone
                name = f"{base}-{len(tests) + 1}"
            tests[name] = self._test_of(theme, name, {} if of_searched_words else self.held_out)
        return tuple(tests.values())

    def _test_of(
        self, theme: Theme, name: str, held_out: Mapping[str, tuple[str, ...]]
    ) -> AssociationTest:
        """The test of one theme with the words that were held out, or else with those searched."""
        a, b = self.concepts if len(self.concepts) == 2 else theme.sides
        towards: Literal["A", "B"] = "A" if theme.lean(a, b) > 0 else "B"
        x = theme.nearest
        opposed = sorted(self.themes, key=lambda each: each.lean(a, b), reverse=towards == "B")
        for opposite in opposed:
            # themes of a user may share words
            y = [word for word in opposite.words if word not in x]
            if y and opposite != theme:
                break
        else:
            raise ResultsError(
                f"{theme.name}: this theme has no test",
                got="all other themes have the same words",
                allowed="themes that do not share all of their words",
            )
        source, provenance = self.source, self.provenance
        of_groups = f"; A and B: {provenance.citation}" if provenance.citation else ""
        concepts = {"X": (theme.name, x), "Y": (opposite.name, y[:MOST_TERMS])}
        for role, of in (("A", a), ("B", b)):  # no search used words that the source lacks
            words = (held_out.get(of) or self.searched[of]) + self.coverage[of].missing
            concepts[role] = self.concepts[of], words
        return AssociationTest(
            id=name,
            title=f"{theme.name}: a theme of {source}",
            citation=f"Theme found by eatlas {provenance.version} on {source}{of_groups}",
            language=provenance.language,
            notes=self._notes_of(
                theme, *((a, b) if towards == "A" else (b, a)), held_out=bool(held_out)
            ),
            explored=len(self.themes),
            explored_on=ExploredOn(
                source=source,
                fingerprint=provenance.source_fingerprint,
                theme=theme.name,
                towards=towards,
                p_max_t=theme.p_max_t,
                themes=len(self.themes),
                words=tuple(word for words in self.searched.values() for word in words),
            ),
            **{role: Concept(name=of, terms=terms) for role, (of, terms) in concepts.items()},
        )

    def _notes_of(
        self, theme: Theme, nearer: str, farther: str, *, held_out: bool
    ) -> tuple[str, ...]:
        """The provenance of the words in a theme's test, by the roles of the two groups."""
        adjusted = ", adjusted for word frequency" if self.covariates else ""
        again = (
            "" if theme.stability is None else f"; again in {theme.stability:.0%} of clusterings"
        )
        notes = [
            f"X: of {theme.n} words of a theme those nearest its centre. Among {len(self.themes)} "
            f"themes of {self.source} it is associated with {self.concepts[nearer]}{adjusted}: "
            f"maxT {p_equals(theme.p_max_t)}{again}.",
            f"Y: of the theme most strongly associated with {self.concepts[farther]} there.",
        ]
        if self.groups_from:
            notes.append(f"A and B: clusters of the words of {self.groups_from} on {self.source}.")
        if held_out:
            return *notes, "A and B: the words that the search did not use, to confirm the theme."
        notes.append("A and B: the words of the search. Only other words can confirm the theme.")
        return tuple(notes)

    def write_tests(self, path: str | Path, top: int | None = None) -> None:
        """Write these tests to a TOML file, which ``eatlas run --tests`` reads.

        Parameters
        ----------
        path : path
            Such as ``themes.toml``; a file of this name is replaced.
        top : int, optional
            As of :meth:`tests`.

        Raises
        ------
        ResultsError
            If no theme was found, so that there is nothing to write.
        """
        tests = self.tests(top)
        if not tests:
            raise ResultsError(
                f"{path}: there are no tests to write",
                got=self.summary(),
                remedy="write_tests(path, top=1) writes the strongest theme anyway",
            )
        write_toml(tests, path)

    def summary(self) -> str:
        """The finding in a few words."""
        themes = number_of(len(self.themes), "theme")
        return f"{themes}, {len(self.found):,} below {self.alpha:g} by maxT"

    def __repr__(self) -> str:
        groups = ", ".join(self.concepts.values())
        return f"<{self.signature} of {self.source} with {groups}: {self.summary()}>"


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
        If the file does not exist, or is not such a summary.

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
    words, summary = files_of(Path(path))
    require_file(summary, ResultsError)
    try:
        data = summary.read_bytes()
        kind = ThemesResult if b'"eatlas/themes/' in data[:200] else ScanResult
        result: ScanResult | ThemesResult = kind.model_validate_json(data)
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"{summary}: not a summary of a scan",
            got=getattr(error, "strerror", None) or str(error).split("\n")[0],
        ) from error
    # the two files may have been moved together
    return result.model_copy(update={"words_file": str(words)}) if words.exists() else result


def is_scan(path: Path) -> bool:
    """Whether a file is one that a scan writes, by its name or its first characters."""
    require_file(path, ResultsError)
    endings = (*SUFFIXES, *(f"{suffix}.json" for suffix in SUFFIXES))
    return path.name.endswith(endings) or has_schema(path, "themes", "scan")


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
