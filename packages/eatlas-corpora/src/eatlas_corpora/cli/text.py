"""``eatlas text``: how often targets and social groups occur together in a text of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from eatlas.cli.messages import output_of_a_command, print_line, print_rows
from eatlas.errors import listing
from eatlas.executors import executor_of
from eatlas_corpora.cli.contexts import say_damaged, size_of, skips_in_words
from eatlas_corpora.cli.progress import progress_of_parts
from eatlas_corpora.engine.text import count_text
from eatlas_corpora.reading.counts import TextCounts


def text(
    corpus: list[str],
    *,
    tests: list[str],
    span: int = 3,
    window: int | None = None,
    output: Path = Path("counts.csv"),
    field: str | None = None,
    unit: str = "line",
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Count associations of targets with social groups in texts of any size.

    A span of sentences associates a target with a group if it contains the target, a word of this
    group and no word of another group. All tests are counted in one pass. Measure the table with:
    eatlas run --measure "divdist(soa=counts)" --measure pmi --vectors counts.csv. To continue after
    an interruption or an unreadable file, repeat the command. Exit codes: 0 done, 2 an input cannot
    be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines, CSV, TSV, Parquet; .gz, .bz2, .xz, .zst; or
        the name of a corpus that eatlas vectors list shows.
    tests : ID|BATTERY|FILE.toml
        Tests of targets against groups, such as divdist-gender. May be repeated.
    span : N >= 1
        Number of sentences in a span. A span never crosses the end of a document.
    window : N >= 1
        Count pairs of a target and a group's word at most N words apart, instead of spans.
    output : -o, --output FILE
        File for the table: .csv or .parquet.
    """
    with progress_of_parts("counted", "count") as progress:
        result = count_text(
            corpus,
            tests,
            span=span,
            window=window,
            field=field,
            unit=cast("Any", unit),
            out=output,
            workers=workers,
            executor=executor_of(engine, workers),
            progress=progress,
        )
    say_damaged(result.provenance)
    with output_of_a_command():
        _print(result, output)


def _print(result: TextCounts, output: Path) -> None:
    """Print the counts of every target that was found, the totals, and where the file lies."""
    head = ["target", result.unit, *result.columns]
    rows = list(result.rows())
    print_rows(
        [head, *([term, *(f"{n:,}" for n in counts)] for term, *counts in rows if counts[0])],
        least=(max((len(term) for term, *_ in rows), default=0),),
    )
    sizes = ", ".join(f"{n:,} {name}" for name, n in result.size.items())
    for line in (
        "",
        f"{sizes.replace('tokens', 'words')} of {size_of(result.provenance)}",
        *skips_in_words(result.provenance),
        *(
            [f"without any context, so undefined: {listing(result.unseen)}"]
            if result.unseen
            else []
        ),
        "",
        f"counts:     {output}",
        *([f"provenance: {output}.json"] if output.suffix.lower() == ".csv" else []),
    ):
        print_line(line)
