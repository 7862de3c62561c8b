"""``eatlas text``: how often targets and social groups occur together in a text of any size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from eatlas.cli.contexts import damage_shown, require_other_files
from eatlas.cli.messages import output_of_a_command, print_json, print_line, remark
from eatlas.cli.options import executor_of
from eatlas.cli.progress import Lines, bar_of
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.corpora.text_counts import TextCounts
    from eatlas.engine.text.counting import Shards
    from eatlas.engine.text.plan import TextPlan

QUIET = 10.0
"""Seconds before the first line of progress in a pipe."""
NAMED = 20
"""Targets without any context that are named."""


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

    A span of sentences that mentions a target associates it with a group if some word of this group
    occurs in it, and none of the other groups. All tests are counted in one pass. The table is a
    source: eatlas run --measure "divdist(soa=counts)" --vectors counts.csv. A count that is cut off
    goes on when the same command is given again.
    Exit codes: 0 done, 1 parts of the corpus could not be read and the rest is counted, 2 something
    given is not usable, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines, CSV, TSV, Parquet, dumps of Wikipedia (XML);
        .gz, .bz2, .xz, .zst; or the name of a corpus that eatlas data list shows.
    tests : ID|BATTERY|FILE.toml
        Tests of targets against groups, such as divdist-gender; repeatable.
    span : N >= 1
        Sentences of a span; no span goes across the end of a document.
    sliding
        Let a span begin with every sentence; by default a span begins where the one before ends.
    output : -o, --output FILE
        Where the table goes: .csv or .parquet.
    case : auto|exact|ignore
        auto: a word in lower case also with a capital and in capitals, others as written;
        exact: as written; ignore: in any case.
    compounds : either|written|head
        either: hyphen and space stand for each other in terms of several words; written: as
        written; head: fried-chicken is looked for as chicken.
    field : NAME
        Field or column that holds the text. [default: text, else body]
    form : --format FORMAT
        auto, text, jsonl, csv, tsv, parquet or wikipedia; auto goes by the name and the first
        bytes.
    unit : line|paragraph
        What is one document in plain text: a line, or what is between blank lines.
    workers : N >= 1
        Processes that count. [default: as many as the text is worth]
    engine : local|ray
        Who counts: processes of this machine, or the workers of a Ray cluster (needs eatlas[ray]).
        Every node must see the files.
    address : HOST:PORT
        Of the cluster: HOST:PORT, ray://HOST:PORT, or auto for one that runs on this machine.
        [default: one of this machine that ends with the command]
    log : FILE
        Write a line for every damaged line of the corpus, up to 100 of each part.
    as_json : --json
        Print counts and totals as one JSON object, and nothing else.
    """
    from eatlas.corpora.text_counts import TABLES  # noqa: PLC0415  (--help waits for none)
    from eatlas.corpora.writing import require_place  # noqa: PLC0415
    from eatlas.engine.text.counting import counted  # noqa: PLC0415
    from eatlas.engine.text.plan import make_plan  # noqa: PLC0415
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
    kept: list[Shards] = []

    def begun(shards: Shards) -> None:
        kept.append(shards)
        _say_what_is_there(plan, shards, output)

    with damage_shown(log) as tell, bar_of("shards") as bar, _what_is_kept(kept):
        progress: Any = bar or Lines("shards", QUIET)
        result = counted(plan, output, executor, begun=begun, tell=tell, progress=progress)
    with output_of_a_command():
        if as_json:
            print_json([result.about()])
        else:
            _print(result, output)
    if result.provenance["failed"]:
        remark("the same command counts what is left, once it can be read")
        raise typer.Exit(1)


def _say_what_is_there(plan: TextPlan, shards: Shards, output: Path) -> None:
    from eatlas.engine.text.counting import others  # noqa: PLC0415

    if len(shards):
        remark(
            f"shards of a count that was cut off and are taken over: {len(shards):,} of "
            f"{len(plan.shards):,}"
        )
    for path in others(output, plan):
        remark(f"{path}: a count with other options was cut off here; it is left there")


@contextmanager
def _what_is_kept(kept: list[Shards]) -> Iterator[None]:
    """Say, when a count ends before its time, what is done and how to go on."""
    try:
        yield
    except (KeyboardInterrupt, EatlasError) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        done = len(kept[0]) if kept else 0
        if done:
            remark(
                ("interrupted; " if interrupted else "")
                + f"{done:,} shards are counted and kept; the same command does the rest"
            )
        elif interrupted:
            remark("interrupted; nothing is counted yet")
        if interrupted:
            raise typer.Exit(130) from stop
        raise


def _print(result: TextCounts, output: Path) -> None:
    """Print the counts of every target that was found, the totals, and where the file lies."""
    names = [name for name, _ in result.columns]
    rows = [[term, *map(_number, numbers)] for term, *numbers in result.rows()]
    found = [row for row in rows if row[1] != "-"]
    widths = [max(map(len, column)) for column in zip(["target", "spans", *names], *rows)]  # noqa: B905
    for row in (["target", "spans", *names], *found):
        first, *others = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print_line("  ".join((first, *others)))
    print_line("")
    for line in _read(result):
        print_line(line)
    print_line("")
    print_line(f"counts:     {output}")
    if output.suffix.lower() == ".csv":
        print_line(f"provenance: {output}.json")


def _number(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


def _read(result: TextCounts) -> Iterator[str]:
    """Say what was read and what was not."""
    files = result.provenance["files"]
    size = sum(file["size"] for file in files)
    yield (
        f"{result.documents:,} documents, {result.sentences:,} sentences, {result.all_spans:,} "
        f"spans, {result.tokens:,} words of {len(files)} file(s), {size:,} bytes"
    )
    if damaged := sum(file["damaged"] for file in files):
        yield f"skipped, damaged lines: {damaged:,}"
    skipped: Counter[str] = sum((Counter(file["skipped"]) for file in files), Counter())
    yield from (f"skipped, {reason}: {n:,}" for reason, n in skipped.items())
    if unseen := result.unseen:
        more = f" and {len(unseen) - NAMED:,} more" if len(unseen) > NAMED else ""
        yield f"without any context, so undefined: {', '.join(unseen[:NAMED])}{more}"
    for one in result.provenance["failed"]:
        yield f"not counted: {one['why']}"
