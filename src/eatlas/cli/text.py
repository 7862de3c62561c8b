"""``eatlas text``: how often targets and social groups occur together in a text of any size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from eatlas.cli.contexts import damage_shown, require_other_files, size_of, skipped_in
from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.options import executor_of
from eatlas.cli.progress import Lines, bar_of, what_is_kept
from eatlas.errors import listed

if TYPE_CHECKING:
    from eatlas.corpora.counts import TextCounts
    from eatlas.engine.text import Shards, TextPlan

QUIET = 10.0
"""Seconds before the first line of progress in a pipe."""


def text(
    corpus: list[str],
    *,
    tests: list[str],
    span: int = 3,
    sliding: bool = False,
    output: Path = Path("counts.csv"),
    case: str = "auto",
    compounds: str = "either",
    field: str | None = None,
    form: str = "auto",
    unit: str = "line",
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    log: Path | None = None,
    as_json: bool = False,
) -> None:
    """Count associations of targets with social groups in texts of any size.

    A span of sentences associates a target with a group if it contains the target, a word of this
    group and no word of another group. All tests are counted in one pass. Measure the table with:
    eatlas run --measure "divdist(soa=counts)" --vectors counts.csv. To continue an interrupted
    count, repeat the command.
    Exit codes: 0 done, 1 parts of the corpus could not be read (the rest is counted), 2 an input
    cannot be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines, CSV, TSV, Parquet, dumps of Wikipedia (XML);
        .gz, .bz2, .xz, .zst; or the name of a corpus that eatlas vectors list shows.
    tests : ID|BATTERY|FILE.toml
        Tests of targets against groups, such as divdist-gender. May be repeated.
    span : N >= 1
        Number of sentences in a span. A span never crosses the end of a document.
    sliding
        Begin a span at every sentence. By default a span begins where the previous one ends.
    output : -o, --output FILE
        File for the table: .csv or .parquet.
    case : auto|exact|ignore
        auto: a word in lower case also matches with a capital and in capitals, others match as
        written. exact: as written. ignore: any capitalisation.
    compounds : either|written|head
        Terms of several words. either: hyphen and space are the same. written: as written. head:
        the last word alone (fried-chicken is searched as chicken).
    field : NAME
        Name of the field or column with the text. [default: text, else body]
    form : --format FORMAT
        auto, text, jsonl, csv, tsv, parquet or wikipedia. auto: by the name and the first bytes.
    unit : line|paragraph
        What one document is in a plain text file: a line, or a paragraph between blank lines.
    workers : N >= 1
        Number of processes. [default: as many as are useful]
    engine : local|ray
        local: processes of this machine. ray: the workers of a Ray cluster (needs the extra ray).
        Every node must see the files.
    address : HOST:PORT
        Address of the Ray cluster: HOST:PORT, ray://HOST:PORT, or auto for one that runs on this
        machine. [default: a new one on this machine, ended with the command]
    log : FILE
        Write the damaged lines of the corpus to FILE, up to 100 of each part.
    as_json : --json
        Print only JSON: counts and totals as one object.
    """
    from eatlas.corpora.counts import TABLES  # noqa: PLC0415  (--help waits for none)
    from eatlas.corpora.writing import require_place  # noqa: PLC0415
    from eatlas.engine.text import counted, make_plan  # noqa: PLC0415
    from eatlas.executors import choose  # noqa: PLC0415

    require_place(output, *TABLES)
    plan = make_plan(
        corpus,
        tests,
        span=span,
        sliding=sliding,
        case=case,  # type: ignore[arg-type]  # it says which there are
        compounds=compounds,  # type: ignore[arg-type]
        format=form,  # type: ignore[arg-type]
        field=field,
        unit=unit,  # type: ignore[arg-type]
    )
    require_other_files(list(map(str, plan.files)), output, log)
    executor = executor_of(engine, address, workers) or choose(workers, len(plan.shards))
    begun_of: list[Shards] = []

    def begun(shards: Shards) -> None:
        begun_of.append(shards)
        _say_what_is_there(plan, shards, output)

    kept = what_is_kept(
        lambda: sum(map(len, begun_of)), "shards are counted", "nothing is counted yet"
    )
    with damage_shown(log) as tell, bar_of("shards") as bar, kept:
        progress: Any = bar or Lines("shards", QUIET)
        result = counted(plan, output, executor, begun=begun, tell=tell, progress=progress)
    with output_of_a_command():
        if as_json:
            print_json([result.about()])
        else:
            _print(result, output)
    if result.provenance["failed"]:
        remark("repeat the command to count the rest, once it can be read")
    # a file of which no line could be read, such as one of another encoding, is a part too
    unread = any(one["damaged"] and not one["texts"] for one in result.provenance["files"])
    if unread or result.provenance["failed"]:
        raise typer.Exit(1)


def _say_what_is_there(plan: TextPlan, shards: Shards, output: Path) -> None:
    from eatlas.engine.store import left_by_others  # noqa: PLC0415

    if len(shards):
        remark(
            f"shards taken over from an interrupted count: {len(shards):,} of {len(plan.shards):,}"
        )
    for path in left_by_others(output, plan.identity):
        remark(f"{path}: found an interrupted count with other options; it is left there")


def _print(result: TextCounts, output: Path) -> None:
    """Print the counts of every target that was found, the totals, and where the file lies."""
    names = [name for name, _ in result.columns]
    rows = [
        [term, *("-" if n is None else f"{n:,}" for n in numbers)]
        for term, *numbers in result.rows()
    ]
    longest = max((len(term) for term, *_ in rows), default=0)
    found = (row for row in rows if row[1] != "-")
    print_rows((["target", "spans", *names], *found), least=(longest,))
    print_line("")
    for line in _read(result):
        print_line(line)
    print_line("")
    print_line(f"counts:     {output}")
    if output.suffix.lower() == ".csv":
        print_line(f"provenance: {output}.json")


def _read(result: TextCounts) -> Iterator[str]:
    """Say what was read and what was not."""
    files = result.provenance["files"]
    yield (
        f"{result.documents:,} documents, {result.sentences:,} sentences, {result.all_spans:,} "
        f"spans, {result.tokens:,} words of {size_of(files)}"
    )
    yield from skipped_in(files)
    if unseen := result.unseen:
        yield f"without any context, so undefined: {listed(unseen)}"
    for one in result.provenance["failed"]:
        yield f"not counted: {one['why']}"
