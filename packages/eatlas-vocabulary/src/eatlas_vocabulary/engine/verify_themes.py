"""Computing themes again from their record: their words are in it, so other clusterings do no harm.

Clusterings are repeated by the same version of scikit-learn alone, and with them the stability.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from eatlas.csv_cells import escape_cell
from eatlas.engine.verifiers import Repeated, Verifier
from eatlas.engine.verify import differences
from eatlas.errors import ResultsError
from eatlas.numbers import number_of
from eatlas.sources import Source
from eatlas.sources.tables import table_cells
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, Test, built_in_tests
from eatlas_vocabulary.engine.scan import scan
from eatlas_vocabulary.results.themes import ThemesResult, is_scan, read_themes

_SETTINGS = re.compile(r"themes\([^()]*,alpha=([^,()]+),ddof=(\d+),first=(\d+)(,split=off)?\)")
_NOT_KEPT = frozenset(
    f"themes.{name}"
    for name in ("from-a-scan", "groups-made", "names-left", "not-split", "own-words")
)
"""Notes on the user's files of names and of categories, and wishes, which the record has not."""
_LAST_DECIMAL = 1.01e-6
"""Of the table, which has six."""


class ThemesVerifier(Verifier):
    """Computes themes again from the words in their record."""

    plural = "scans for themes"

    def holds(self, path: Path) -> bool:
        """Whether a scan writes such a file."""
        return is_scan(path)

    def read(self, path: Path) -> ThemesResult:
        """Read themes."""
        return read_themes(path)

    def repeat(self, record: ThemesResult, source: Source, tests: Mapping[str, Test]) -> Repeated:
        """Compute themes again on their source."""
        against, groups = groups_to_verify(record, tests)
        again, of_table, remarks = repeat(record, source, groups)
        lines = [*differences(as_compared(record), as_compared(again)), *of_table]
        # those of all themes come last
        lines.sort(key=lambda line: ".interval" in line or ".p_max_t" in line)
        return Repeated(tuple(lines), remarks, against)


def groups_to_verify(result: ThemesResult, vouched: Mapping[str, Test]) -> tuple[str, Any]:
    """The groups, and whether their test was given or is built in; of neither those of the file."""
    for against, tests in (
        ("given", vouched.values()),
        ("built in", built_in_tests(sentences=False)),
    ):
        for test in tests:
            if test.id == result.test and isinstance(test, AssociationTest | GroupsTest):
                return against, test
    terms = {role: (*group.used, *group.missing) for role, group in result.coverage.items()}
    if result.test is None:
        return "", {result.concepts[role]: terms[role] for role in terms}
    groups = tuple(Concept(name=result.concepts[role], terms=terms[role]) for role in terms)
    origin = result.provenance
    return "", GroupsTest(
        id=result.test, title=result.title, citation=origin.citation, language=origin.language,
        targets=Concept(name="themes", terms=("(words of themes)",)), groups=groups,
    )  # fmt: skip


def repeat(
    result: ThemesResult, source: Source, groups: Any
) -> tuple[ThemesResult, tuple[str, ...], tuple[str, ...]]:
    """Themes again on a source, what differs in the table of words, and what the file says."""
    settings = _SETTINGS.fullmatch(result.signature)
    if settings is None:
        raise ResultsError("this is not a signature of themes", got=result.signature)
    alpha, ddof, first, whole = settings.groups()
    origin = result.provenance
    with TemporaryDirectory(prefix="eatlas-") as folder:
        out = Path(folder, "words.csv")
        anew = partial(
            scan, source, groups, f"sc-eat(alpha={alpha},ddof={ddof})",
            first=int(first), case=origin.case, seed=origin.seed, out=out,
            split=bool(result.held_out),
        )  # fmt: skip
        again, why = _of_clusters(result, anew)
        again = again or _of_words(result, anew)
        table = Path(result.words_file or "")
        lines = tuple(_of_table(table, out, again)) if table.is_file() else ()
    remarks = ["the names of the themes", *([why] if why else [])]
    if result.groups_from:
        remarks.append(f"the groups, which come from {result.groups_from}")
    of = result.clustering.count if result.clustering else result.themes_file or "categories"
    as_in_file = ("source", "source_from", "themes_file", "groups_from")
    update = {part: getattr(result, part) for part in as_in_file}
    split = "" if result.held_out else whole or ""
    update["signature"] = f"themes({of},alpha={alpha},ddof={ddof},first={first}{split})"
    again = again.model_copy(update=update)
    return again, lines, (f"taken from the file: {'; '.join(remarks)}",)


def _of_clusters(result: ThemesResult, anew: Callable[..., Any]) -> tuple[ThemesResult | None, str]:
    """Themes that are clustered again; none, and why not, where other words would come out."""
    clustering = result.clustering
    if clustering is None:
        return None, "the words of the themes"
    if why := _other_version(clustering.by):
        return None, f"the words of the themes and their stability, {why}"
    again = anew(themes=clustering.count)
    names = {frozenset(theme.words): theme.name for theme in result.themes}
    words = [frozenset(theme.words) for theme in again.themes]
    if lost := sum(members not in names for members in words):
        clusters = f"{lost:,} of {number_of(len(words), 'cluster')}"
        return None, (
            f"the words of the themes and their stability, as {clusters} came out with other words"
        )
    themes = zip(again.themes, words, strict=True)
    named = tuple(theme.model_copy(update={"name": names[words]}) for theme, words in themes)
    return again.model_copy(update={"themes": named}), ""


def _of_words(result: ThemesResult, anew: Callable[..., Any]) -> ThemesResult:
    """Themes of the words in the record."""
    before = {theme.name: theme for theme in result.themes}
    missing = result.vocabulary.missing
    again = anew(themes={name: (*t.words, *missing.get(name, ())) for name, t in before.items()})
    themes = tuple(
        theme.model_copy(
            update={part: before[theme.name][part] for part in ("stability", "other_counts")}
        )
        for theme in again.themes
    )
    updated = again.model_copy(update={"themes": themes, "clustering": result.clustering})
    return cast("ThemesResult", updated)


def _other_version(by: str) -> str:
    """Why clusterings are not repeated; empty where they are."""
    try:
        here = f"scikit-learn {version('scikit-learn')}"
    except PackageNotFoundError:
        return f"made by {by}, which is not installed here"
    return "" if by == here else f"made by {by}, here is {here.rsplit(maxsplit=1)[-1]}"


def _of_table(path: Path, new: Path, result: ThemesResult) -> Iterator[str]:
    """How many rows of the table of words differ, and the first of them."""
    old, now = (table_cells(each, "themes", "CSV") for each in (path, new))
    names = [escape_cell(theme.name) for theme in result.themes for _ in theme.words]
    now[1:] = [[name, *row[1:]] for name, row in zip(names, now[1:], strict=True)]
    rows = enumerate(zip_longest(old, now, fillvalue=list[str]()), start=1)
    if differing := [line for line, (before, after) in rows if not _alike(before, after)]:
        yield (
            f"{path.name}: {number_of(len(differing), 'row')} of {len(now) - 1:,} differ, the "
            f"first in line {differing[0]:,}"
        )


def _alike(old: list[str], new: list[str]) -> bool:
    """Whether two rows are the same but for the last decimal of the numbers."""
    try:
        near = all(
            abs(float(a) - float(b)) <= _LAST_DECIMAL for a, b in zip(old[3:], new[3:], strict=True)
        )
    except ValueError:
        near = old[3:] == new[3:]
    return near and old[:3] == new[:3]


def as_compared(result: ThemesResult) -> dict[str, Any]:
    """A record with its themes by name; without what is of no clustering and of no group."""
    record = result.to_dict()
    record.pop("words_file")
    record["order"] = [theme["name"] for theme in record["themes"]]
    record["themes"] = {
        theme["name"]: {**theme, "words": " ".join(theme["words"])} for theme in record["themes"]
    }
    record["warnings"] = [note for note in record["warnings"] if note["code"] not in _NOT_KEPT]
    return record
