"""``eatlas contexts``: sentences and windows of real texts in which the stimuli of tests stand."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from eatlas.cli.say import output_of_a_command, print_data, print_line, remark

if TYPE_CHECKING:
    from eatlas.corpora import Contexts, Count, Pairs
    from eatlas.corpora.lines import Damage

SHOWN = 5
"""Damaged lines that are said one by one; --log writes all."""


def contexts(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Files, folders or patterns: text, JSON Lines (Reddit's dumps too), CSV, TSV, "
            "Parquet; .gz, .bz2, .xz, .zst.",
        ),
    ],
    tests: Annotated[
        list[str],
        typer.Option(
            metavar="ID|BATTERY|FILE.toml", help="Tests whose stimuli are looked for; repeatable."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the contexts go: .parquet, .jsonl or .csv.",
        ),
    ] = Path("contexts.parquet"),
    per_term: Annotated[
        int, typer.Option(metavar="N", help="Most contexts of each stimulus.", min=1)
    ] = 1000,
    window: Annotated[
        str,
        typer.Option(
            metavar="N|sentence",
            help="Words on either side of the stimulus, or the whole sentence.",
        ),
    ] = "9",
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Look for a target and an attribute of one test in one text, for LPBS; "
            "--per-term counts contexts of a pair.",
        ),
    ] = False,
    distance: Annotated[
        int, typer.Option(metavar="N", help="Most words between the two of a pair.", min=0)
    ] = 18,
    case: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|ignore",
            help="auto: a stimulus in lower case also with a capital and in capitals, others as "
            "written; exact: as written; ignore: in any case.",
        ),
    ] = "auto",
    compounds: Annotated[
        str,
        typer.Option(
            metavar="either|written|head",
            help="either: hyphen and space stand for each other in stimuli of several words; "
            "written: as written; head: fried-chicken is looked for as chicken.",
        ),
    ] = "either",
    field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Field or column that holds the text. [default: text, else body]",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="auto, text, jsonl, csv, tsv or parquet; auto goes by the name.",
        ),
    ] = "auto",
    unit: Annotated[
        str,
        typer.Option(
            metavar="line|paragraph",
            help="What is one text in plain text: a line, or what stands between blank lines.",
        ),
    ] = "line",
    seed: Annotated[int, typer.Option(help="Of the sample.", min=0)] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Processes that share the files. [default: as many as they are worth]",
            show_default=False,
            min=1,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a line for every damaged line of the corpus.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the counts as one JSON object, and nothing else."),
    ] = False,
) -> None:
    """Sample contexts of the stimuli of tests from texts.

    The corpus is read once. The same seed gives the same sample, in whatever order or files the
    texts come.
    Exit codes: 0 done, 2 something given is not usable, 130 interrupted.
    """
    from eatlas.corpora import find_contexts, find_pairs  # noqa: PLC0415  (--help waits for none)
    from eatlas.corpora.writing import require_place  # noqa: PLC0415

    require_place(output)
    _require_other_files(corpus, output, log)
    choices: dict[str, Any] = {
        "window": int(window) if window.isdecimal() else window,
        "format": form,
        "case": case,
        "compounds": compounds,
        "unit": unit,
    }
    find: Any = partial(find_pairs, distance=distance) if pairs else find_contexts
    with _damage_told(log) as tell:
        found = find(
            corpus,
            tests,
            per_term=per_term,
            field=field,
            seed=seed,
            workers=workers,
            tell=tell,
            progress=_progress(),
            **choices,
        )
    found.write(output)
    with output_of_a_command():
        _show(found, output, pairs=pairs, as_json=as_json)


def _require_other_files(corpus: list[str], output: Path, log: Path | None) -> None:
    """Refuse to write over what is read."""
    from eatlas.corpora.files import corpus_files  # noqa: PLC0415
    from eatlas.corpora.writing import beside  # noqa: PLC0415
    from eatlas.results.files import require_other_file  # noqa: PLC0415

    files = corpus_files(corpus)
    for path in filter(None, (output, beside(output), log)):
        require_other_file(path, files)


def _progress() -> Any:
    """Say to a person which file is read; say nothing in a pipe."""
    if not sys.stderr.isatty():
        return None

    def tick(done: int, total: int) -> None:
        sys.stderr.write(f"\rfiles read: {done} of {total}" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return tick


@contextmanager
def _damage_told(log: Path | None) -> Iterator[Any]:
    """Say the first damaged lines; write all of them to a log, where one is wanted."""
    from eatlas.results.files import atomic_file  # noqa: PLC0415

    said = 0

    def tell(damage: Damage, file: IO[str] | None = None) -> None:
        nonlocal said
        if file is not None:
            file.write(f"{damage}\n")
        if said < SHOWN:
            remark(f"skipped: {damage}")
        elif said == SHOWN:
            remark("skipped: more lines; " + (f"{log} names all" if log else "--log names all"))
        said += 1

    if log is None:
        yield tell
        return
    with atomic_file(log) as file:
        yield lambda damage: tell(damage, file)


def _show(found: Contexts | Pairs, output: Path, *, pairs: bool, as_json: bool) -> None:
    if as_json:
        counts = [list(count) for count in found.counts]
        said = {**found.provenance, "counts": counts}
        print_data(json.dumps(said, ensure_ascii=False) + "\n")
        return
    _print_table(found, output, pairs=pairs)


def _print_table(found: Any, output: Path, *, pairs: bool) -> None:
    """Print the counts of every stimulus, what was skipped, and where the file lies."""
    if not pairs:
        _print_counts(found)
    wanting = _of_pairs(found) if pairs else _wanting(found)
    for line in (*_read(found), *wanting):
        print_line(line)
    print_line("")
    print_line(f"{'pairs' if pairs else 'contexts'}: {output}")


def _print_counts(found: Contexts) -> None:
    width = max(len("stimulus"), *(len(count.stimulus) for count in found.counts))
    print_line(f"{'stimulus':<{width}}  {'found':>11}  {'kept':>7}")
    for count in found.counts:
        print_line(f"{count.stimulus:<{width}}  {count.found:>11,}  {count.kept:>7,}")
    print_line("")


def _of_pairs(found: Pairs) -> list[str]:
    """Say how many pairs there are; a test of 50 and 50 stimuli has 2,500."""
    there = [count for count in found.counts if count.kept]
    targets = dict.fromkeys(count.target for count in found.counts)
    alone = [one for one in targets if not any(count.target == one for count in there)]
    said = [
        f"pairs with a context: {len(there):,} of {len(found.counts):,}; "
        f"contexts kept: {len(found):,}"
    ]
    return [*said, f"targets without any pair: {', '.join(alone)}"] if alone else said


def _read(found: Contexts | Pairs) -> list[str]:
    files = found.provenance["files"]
    texts = sum(file["texts"] for file in files)
    damaged = sum(file["damaged"] for file in files)
    skipped: Counter[str] = sum((Counter(file["skipped"]) for file in files), Counter())
    lines = [f"{texts:,} texts of {len(files)} file(s), {sum(f['size'] for f in files):,} bytes"]
    if damaged:
        lines.append(f"skipped, damaged lines: {damaged:,}")
    lines += [f"skipped, {reason}: {n:,}" for reason, n in skipped.items()]
    return lines


def _wanting(found: Contexts) -> list[str]:
    """Name the stimuli without contexts, and those with fewer than were asked for."""
    none = [count for count in found.few if not count.kept]
    fewer = [count for count in found.few if count.kept]
    said = []
    if none:
        said.append(f"without any context: {', '.join(count.stimulus for count in none)}")
    if fewer:
        asked = found.provenance["per_term"]
        said.append(f"with fewer than {asked:,}: {', '.join(map(_few, fewer))}")
    return said


def _few(count: Count) -> str:
    return f"{count.stimulus} ({count.kept:,})"
