"""``eatlas scan``: SC-EAT of every word of a vocabulary, or of its themes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, cast

from eatlas.cli.messages import output_of_a_command, print_line, remark
from eatlas.cli.progress import Lines, bar_of, what_is_kept
from eatlas.engine.store import leftover_files
from eatlas.errors import EatlasError
from eatlas.executors import executor_of
from eatlas.sources.outputs import require_ending
from eatlas.writing import require_other_file, require_writable
from eatlas_vocabulary.cli.scan_tables import print_scan, print_themes
from eatlas_vocabulary.engine.scan import Chunks, finish, make_scan, measure_all
from eatlas_vocabulary.engine.themes import Clusterings, cluster_all, find_themes, make_themes
from eatlas_vocabulary.results.scan import summary_of

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
    all_words: bool = False,
) -> None:
    """Test every word of a vocabulary against two attribute groups (SC-EAT), or its themes.

    Effect size and exact p-values of each word, adjusted for the whole vocabulary by Westfall and
    Young's maxT and by Benjamini and Yekutieli, and the most associated words by frequency.

    With --themes, the command tests themes: clusters of the most frequent words, or your own
    categories. Differences between two groups or more are adjusted for word frequency, and p-values
    are adjusted for all themes by maxT. The search uses a random half of the words of each group,
    and --write makes tests with the other half. Clusters need the extra probes.

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
        Test N themes, or the themes of FILE: a CSV file with the columns theme and word, such as
        --out writes, or a dictionary of LIWC (.dic) or quanteda (.yml). --attributes may also be a
        test of the kind groups.
    groups_from : FILE
        Form the groups by clustering the names in FILE, one per line, instead of naming them.
    groups : N >= 2
        Number of clusters of these names.
    names : FILE.csv
        Names of themes, in the columns theme and name.
    write : FILE.toml
        Make an association test of each theme with an adjusted p below alpha, for eatlas run to
        confirm with the words that the search did not use.
    all_words
        Search with all words of the groups. No test of these words can then confirm a theme.
    """
    if groups != GROUPS and groups_from is None:
        raise EatlasError("--groups belongs to --groups-from", remedy="add --groups-from FILE")
    if themes is None:
        of_themes = {"--groups-from": groups_from, "--names": names, "--write": write}
        given = {**of_themes, "--all-words": all_words or None}
        if strange := [option for option, value in given.items() if value is not None]:
            raise EatlasError(
                f"{strange[0]} belongs to --themes", remedy="add --themes N, such as 60"
            )
        _scan_words(
            vectors, _attributes(attributes, a, b), engine, top=top,
            sort=cast("Any", sort.lower().replace("-", "_")), bands=_edges(frequency_bands),
            first=first, out=out,
        )  # fmt: skip
        return
    of_words = {"--sort": sort == SORT, "--frequency-bands": frequency_bands == BANDS}
    of_words["--engine"] = engine == "local"
    if strange := [option for option, is_default in of_words.items() if not is_default]:
        raise EatlasError(
            "some options apply only to scans of single words, not to --themes",
            got=", ".join(strange),
            remedy="remove them, or remove --themes to scan single words",
        )
    _scan_themes(
        vectors, _attributes(attributes, a, b) if attributes or a or b else None,
        _number_or_file(themes), top=top, write=write, groups_from=groups_from, groups=groups,
        names=names, first=first, out=out, split=not all_words,
    )  # fmt: skip


def _scan_words(vectors: str, attributes: Any, engine: str, **how: Any) -> None:
    """Test single words and print the most associated ones."""
    plan = make_scan(vectors, attributes, **how)
    measure = partial(measure_all, executor=executor_of(engine, None))
    result = _execute_plan(plan, Chunks(plan), measure, finish)

    with output_of_a_command():
        print_scan(result)
        print_line("")
        if plan.out is None:
            print_line("Every word with its p-values: --out FILE.csv")
        else:
            _print_files(plan.out)


def _scan_themes(
    vectors: str, attributes: Any, themes: int | str, *, top: int, write: Path | None, **how: Any
) -> None:
    """Find themes, print them, and write tests of them."""
    if write is not None:
        read = (attributes, themes, how["groups_from"], how["names"])
        _require_tests(write, [Path(file) for file in read if isinstance(file, str | Path)])
    plan = make_themes(vectors, attributes, themes, **how)
    result = _execute_plan(plan, Clusterings(plan), cluster_all, find_themes)
    if write is not None and result.found:
        result.write_tests(write)

    with output_of_a_command():
        print_themes(result, top)
        print_line("")
        if plan.out is None:
            print_line("Every theme with its words, for a page of them: --out FILE.csv")
        else:
            _print_files(plan.out)
            print_line(f"page:    eatlas report {quote(str(plan.out))}")
        if write is None:
            if result.found:
                with_words = " with the words held out" * bool(result.held_out)
                print_line(f"Tests of the themes found{with_words}: --write FILE.toml")
        elif result.found:
            print_line(f"tests:   {write}")
            print_line(f"confirm: eatlas run --tests {quote(str(write))} --vectors ...")
        else:
            print_line(f"tests:   none, as no theme was found; {write} was not written")


def _print_files(out: Path) -> None:
    """Print what was written."""
    print_line(f"words:   {out}")
    print_line(f"summary: {summary_of(out)}")


def _require_tests(path: Path, read: list[Path]) -> None:
    """Refuse, before the search, a file of tests that could not be written."""
    require_ending(path, "tests", (".toml",))
    require_writable(path)
    require_other_file(path, read)


def _execute_plan(plan: Any, journal: Any, work: Any, conclude: Any) -> Any:
    """Do the work of a plan, with progress on the way, and conclude.

    With a file, continue an earlier scan.
    """
    what = journal.work
    nothing = "nothing is kept" if plan.out else "nothing is kept, which takes --out"
    with (
        journal,
        what_is_kept(lambda: journal.n_finished if plan.out else 0, f"{what} are done", nothing),
    ):
        if journal.n_finished:
            remark(f"{what} taken over from an interrupted scan: {journal.n_finished:,}")
        for path in leftover_files(plan.out, plan.identity) if plan.out else ():
            remark(
                f"{path}: found an interrupted scan with other settings; its {what} are left there"
            )
        with bar_of(what) as bar:
            tick = bar or Lines(what, LATE, done=journal.n_finished)
            work(plan, journal, lambda done: tick(done, plan.expected))
        return conclude(plan, journal)


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
