"""``eatlas scan``: SC-EAT of every word of a vocabulary, or of its themes."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from eatlas.cli.messages import output_of_a_command, print_line, remark
from eatlas.cli.options import executor_of
from eatlas.cli.progress import Lines, bar_of, what_is_kept
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.engine.scan import ScanPlan
    from eatlas.engine.themes import ThemesPlan
    from eatlas.executors import Executor
    from eatlas.results.scan import ScanResult
    from eatlas.results.themes import ThemesResult

SORT, BANDS, GROUPS = "effect_size", "1000,10000,100000", 4
NO_BANDS = "none"
LATE = 20.0
"""Seconds before the first line of progress in a pipe."""


def scan(
    *,
    vectors: str,
    attributes: str | None = None,
    a: str | None = None,
    b: str | None = None,
    top: int = 10,
    sort: str = SORT,
    out: Path | None = None,
    frequency_bands: str = BANDS,
    first: int | None = None,
    engine: str = "local",
    themes: str | None = None,
    groups_from: Path | None = None,
    groups: int = GROUPS,
    names: Path | None = None,
    write: Path | None = None,
) -> None:
    """Test every word of a vocabulary against two attribute groups (SC-EAT), or its themes.

    Effect size and exact p-values of each word, adjusted for the whole vocabulary by Westfall and
    Young's maxT and by Benjamini and Yekutieli, and the most associated words by frequency.

    With --themes, words are tested in themes: clusters of the most frequent words, or your own
    categories. Differences between two groups or more are given the frequency of the groups'
    words, and p is adjusted for all themes by maxT. This needs the extra probes.

    Exit codes: 0 done, 2 an input cannot be used, 130 interrupted.

    Parameters
    ----------
    vectors : [NAME=]SOURCE
        Vectors to scan: a file or a name, as for eatlas run; results call them by the NAME.
    attributes : TEST
        Test that provides the attributes A and B: an id or FILE.toml.
    a : WORD,WORD,...
        Attributes A, instead of a test's.
    b : WORD,WORD,...
        Attributes B, instead of a test's.
    top : N >= 0
        Number of words in each list. There is one list for each band and side. With --themes, the
        number of themes shown.
    sort : effect_size|difference|p
        Order of the lists: by d, by the difference of the mean cosines (the strength of an
        association), or by the two-sided p.
    out : FILE
        Write every word to FILE (.csv or .parquet) and the summary to FILE.json. To continue an
        interrupted scan, repeat the command.
    frequency_bands : N,N,...|none
        Limits of the frequency bands, as ranks of words in the source. none: one list for all
        words.
    first : N >= 1
        Scan only the first N words of the source. [default: all; with --themes 30000]
    themes : N|FILE
        Test N themes; or those of FILE: a CSV file with the columns theme and word, such as --out
        writes, or a dictionary of LIWC (.dic) or quanteda (.yml). --attributes may also be a test
        of the kind groups.
    groups_from : FILE
        Make the groups by clustering the names in FILE, one on a line, instead of naming them.
    groups : N >= 2
        Number of clusters of these names.
    names : FILE.csv
        What to call themes: the columns theme and name.
    write : FILE.toml
        Make an association test of each theme with an adjusted p below alpha, for eatlas run to
        confirm on other vectors.
    """
    if groups != GROUPS and groups_from is None:
        raise EatlasError("--groups belongs to --groups-from", remedy="add --groups-from FILE")
    if themes is not None:
        scans = {"--sort": sort == SORT, "--frequency-bands": frequency_bands == BANDS}
        scans["--engine"] = engine == "local"
        if strange := [option for option, is_default in scans.items() if not is_default]:
            raise EatlasError(
                "options of a scan of single words have no meaning with --themes",
                got=", ".join(strange),
                remedy="leave them out, or leave --themes out to scan single words",
            )
        own = _attributes(attributes, a, b) if attributes or a or b else None
        _themes(
            vectors, own, _number_or_file(themes), groups_from=groups_from, groups=groups,
            names=names, first=first, out=out, top=top, write=write,
        )  # fmt: skip
        return
    for option, value in (("--groups-from", groups_from), ("--names", names), ("--write", write)):
        if value is not None:
            raise EatlasError(f"{option} belongs to --themes", remedy="add --themes N, such as 60")
    from eatlas.engine.scan import make_scan  # noqa: PLC0415  (--help waits for none)

    chosen, edges = _attributes(attributes, a, b), _edges(frequency_bands)
    order: Any = sort.lower().replace("-", "_")
    plan = make_scan(vectors, chosen, top=top, sort=order, bands=edges, first=first, out=out)
    result = _scanned(plan, executor_of(engine, None))
    from eatlas.cli.other_tables import print_scan  # noqa: PLC0415  (after the work)
    from eatlas.results.scan import summary_of  # noqa: PLC0415

    with output_of_a_command():
        print_scan(result)
        print_line("")
        if out is None:
            print_line("Every word with its p-values: --out FILE.csv")
        else:
            print_line(f"words:   {out}")
            print_line(f"summary: {summary_of(out)}")


def _themes(
    vectors: str, attributes: Any, themes: int | str, *, top: int, write: Path | None, **how: Any
) -> None:
    """Find themes, print them, and write tests of them."""
    from eatlas.engine.themes import make_themes  # noqa: PLC0415  (--help waits for none)

    if write is not None:
        read = (attributes, themes, how["groups_from"], how["names"])
        _require_tests(write, [Path(file) for file in read if isinstance(file, str | Path)])
    plan = make_themes(vectors, attributes, themes, **how)
    result = _found(plan)
    if write is not None and result.found:
        result.write_tests(write)
    from eatlas.cli.other_tables import print_themes  # noqa: PLC0415  (after the work)
    from eatlas.results.scan import summary_of  # noqa: PLC0415

    with output_of_a_command():
        print_themes(result, top)
        print_line("")
        if plan.out is None:
            print_line("Every theme with its words, for a page of them: --out FILE.csv")
        else:
            print_line(f"words:   {plan.out}")
            print_line(f"summary: {summary_of(plan.out)}")
            print_line(f"page:    eatlas report {quote(str(plan.out))}")
        if write is None and result.found:
            print_line("Tests of the themes found, for other vectors: --write FILE.toml")
        if write is not None and result.found:
            print_line(f"tests:   {write}, to be confirmed on vectors of another text:")
            print_line(f"         eatlas run --tests {quote(str(write))} --vectors ...")
        elif write is not None:
            print_line(f"tests:   none, as no theme was found; {write} was not written")


def _require_tests(path: Path, read: list[Path]) -> None:
    """Refuse, before the search, a file of tests that could not be written."""
    from eatlas.corpora.storing import require_ending  # noqa: PLC0415  (seldom needed)
    from eatlas.writing import require_other_file, require_writable  # noqa: PLC0415

    require_ending(path, "tests", (".toml",))
    require_writable(path)
    require_other_file(path, read)


def _found(plan: ThemesPlan) -> ThemesResult:
    """Make all clusterings, with progress on the way, and judge the themes.

    With a file, go on where an earlier search ended.
    """
    from eatlas.engine.themes import Clusterings, cluster_all, find_themes  # noqa: PLC0415

    nothing = "nothing is kept" if plan.out else "nothing is kept, which takes --out"
    with (
        Clusterings(plan) as done,
        what_is_kept(lambda: len(done.done) if plan.out else 0, "clusterings are done", nothing),
    ):
        if done.done:
            remark(f"clusterings taken over from an interrupted scan: {len(done.done)}")
        _left_by_others(plan, "clusterings")
        with bar_of("clusterings") as bar:
            tick = bar or Lines("clusterings", LATE, done=len(done.done))
            cluster_all(plan, done, lambda count: tick(count, len(plan.counts)))
        return find_themes(plan, done)


def _number_or_file(text: str) -> int | str:
    """A number of themes, or a file that has them."""
    if text.strip().lstrip("-").isdecimal():
        return int(text)
    if not Path(text).is_file():
        raise EatlasError(
            "--themes: this is neither a number nor a file",
            got=text or "nothing",
            allowed="a whole number from 2 on, such as 60, or a file: CSV with the columns theme "
            "and word, or a dictionary of LIWC (.dic) or quanteda (.yml)",
        )
    return text


def _attributes(test: str | None, a: str | None, b: str | None) -> str | tuple[list[str], ...]:
    """The name of a test, or two lists of words."""
    if test is not None and a is None and b is None:
        return test
    if test is None and a and b and a.strip(", ") and b.strip(", "):
        return tuple([word.strip() for word in text.split(",") if word.strip()] for text in (a, b))
    options = {"--attributes": test, "--a": a, "--b": b}
    raise EatlasError(
        "two groups of attributes are needed",
        got=" and ".join(
            name + " without a word" * (not value.strip(", "))
            for name, value in options.items()
            if value is not None
        )
        or "none",
        allowed="--attributes TEST, or both --a WORD,WORD,... and --b WORD,WORD,...",
    )


def _edges(text: str) -> tuple[int, ...]:
    """Last places of the frequency bands; none for one list of all words."""
    if text.strip().lower() == NO_BANDS:
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise EatlasError(
            "--frequency-bands: these are not ranks",
            got=text,
            allowed="rising whole numbers separated by commas, such as 1000,10000,100000; or none",
        ) from error


def _left_by_others(plan: ScanPlan | ThemesPlan, what: str) -> None:
    """Say what scans with other settings have left unfinished beside the file."""
    from eatlas.engine.store import left_by_others  # noqa: PLC0415

    for path in left_by_others(plan.out, plan.identity) if plan.out else ():
        remark(f"{path}: found an interrupted scan with other settings; its {what} are left there")


def _scanned(plan: ScanPlan, executor: Executor | None) -> ScanResult:
    """Measure all words, with progress on the way, and sum them up.

    With a file, go on where an earlier scan ended.
    """
    from eatlas.engine.scan import Chunks, finish, measure_all  # noqa: PLC0415

    nothing = "nothing is kept" if plan.out else "nothing is kept, which takes --out"
    with (
        Chunks(plan) as chunks,
        what_is_kept(lambda: chunks.words if plan.out else 0, "words are done", nothing),
    ):
        if chunks.words:
            remark(f"words taken over from an interrupted scan: {chunks.words:,}")
        _left_by_others(plan, "words")
        with bar_of("words") as bar:
            tick = bar or Lines("words", LATE, done=chunks.words)
            measure_all(plan, chunks, lambda done: tick(done, plan.expected), executor)
        return finish(plan, chunks)
