"""``eatlas contexts``: sentences and windows of real texts in which the stimuli of tests occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from eatlas.cli.messages import output_of_a_command, print_line, print_rows, remark
from eatlas.cli.options import number_or_word
from eatlas.cli.progress import bar_of
from eatlas.errors import listing
from eatlas.executors import executor_of
from eatlas.numbers import number_of
from eatlas.sources.outputs import require_other_files, require_place
from eatlas_corpora.reading import Contexts, Pairs, find_contexts, find_pairs
from eatlas_corpora.reading.files import corpus_files
from eatlas_corpora.reading.storing import FILES

SHOWN = 4
"""Damaged lines that are shown one by one; the file that is written names a hundred."""


def contexts(
    corpus: list[str],
    *,
    tests: list[str],
    output: Path = Path("contexts.parquet"),
    per_term: int = 1000,
    window: str = "9",
    pairs: bool = False,
    distance: int = 18,
    case: str = "auto",
    compounds: str = "either",
    repeats: str = "drop",
    field: str | None = None,
    unit: str = "line",
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Sample contexts of the stimuli of tests from texts.

    The corpus is read once. The sample does not depend on the order of the texts and files.
    Exit codes: 0 done, 2 an input cannot be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines (including Reddit's dumps), CSV, TSV, Parquet;
        .gz, .bz2, .xz, .zst.
    tests : ID|BATTERY|FILE.toml
        Tests whose stimuli to find. May be repeated.
    output : -o, --output FILE
        File for the contexts: .parquet (needs the extra text), .jsonl or .csv.
    per_term : N >= 1
        Largest number of contexts for each stimulus.
    window : N|sentence
        Number of words on either side of the stimulus; sentence: the whole sentence.
    pairs
        Find a target and an attribute of one test in one text, for LPBS. --per-term then counts
        contexts of a pair.
    distance : N >= 0
        Largest number of words between target and attribute.
    case : auto|exact|ignore
        auto: a stimulus in lower case also matches with a capital and in capitals, others match as
        written. exact: as written. ignore: any capitalisation.
    compounds : either|written|head
        Stimuli of several words. either: hyphen and space are the same. written: as written. head:
        only the last word (fried-chicken is searched as chicken).
    repeats : drop|keep
        drop: equal texts are one context. keep: one for each place in the corpus. Proportions of
        contexts, for example of a probe, depend on this choice.
    """
    require_place(output, *FILES)
    require_other_files(output, corpus_files(corpus))
    find: Any = partial(find_pairs, distance=distance) if pairs else find_contexts
    with bar_of("parts") as progress:
        sample = find(
            corpus,
            tests,
            per_term=per_term,
            window=number_or_word(window),
            case=case,
            compounds=compounds,
            repeats=repeats,
            field=field,
            unit=unit,
            workers=workers,
            executor=executor_of(engine, workers),
            progress=progress,
        )
    sample.write(output)
    say_damaged(sample.provenance)
    with output_of_a_command():
        _print_table(sample, output, pairs=pairs)


def _print_table(sample: Any, output: Path, *, pairs: bool) -> None:
    """Print the counts of every stimulus, what was skipped, and where the file lies."""
    if not pairs:
        rows = [
            (row.stimulus, f"{row.found:,}", f"{row.kept:,}", _repeats(sample, [row]))
            for row in sample.counts
        ]
        print_rows([("stimulus", "found", "kept", ""), *rows], align="lrrl", least=(0, 11, 7))
        print_line("")
    wanted, files = sample.provenance["per_term"], sample.provenance["files"]
    more = sum(row.found > row.kept == wanted for row in sample.counts)
    for line in (
        f"{sum(file['texts'] for file in files):,} texts of {size_of(sample.provenance)}",
        *skips_in_words(sample.provenance),
        *(_of_pairs(sample) if pairs else _wanting(sample)),
        *([f"with more than {wanted:,}, which --per-term keeps: {more:,}"] if more else []),
        "",
        f"{'pairs' if pairs else 'contexts'}: {output}",
    ):
        print_line(line)


def _repeats(sample: Contexts | Pairs, counts: Iterable[Any]) -> str:
    """Say how many of some contexts repeat a text; it is known of those below --per-term."""
    wanted = sample.provenance["per_term"]
    n = sum(row.found - row.kept for row in counts if row.kept < wanted)
    return f"{n:,} {'repeats' if n == 1 else 'repeat'} a text that is kept" if n else ""


def _of_pairs(pairs: Pairs) -> list[str]:
    """Say how many pairs there are; a test of 50 and 50 stimuli has 2,500."""
    rows = [row for row in pairs.counts if row.kept]
    together = {row.target for row in rows}
    alone = [t for t in dict.fromkeys(row.target for row in pairs.counts) if t not in together]
    line = (
        f"pairs with a context: {len(rows):,} of {len(pairs.counts):,}; "
        f"contexts kept: {len(pairs):,} of {sum(row.found for row in rows):,}"
    )
    repeats = _repeats(pairs, rows)
    lines = [f"{line}; {repeats}" if repeats else line]
    return [*lines, f"targets without any pair: {', '.join(alone)}"] if alone else lines


def size_of(provenance: Mapping[str, Any]) -> str:
    """How many files were read, and how large they are."""
    files = provenance["files"]
    return f"{number_of(len(files), 'file')}, {sum(file['size'] for file in files):,} bytes"


def say_damaged(provenance: Mapping[str, Any]) -> None:
    """Say which lines were the first that are damaged."""
    for line in provenance["damaged"][:SHOWN]:
        remark(f"skipped: {line['file']}, line {line['line']}: {line['why']}")


def skips_in_words(provenance: Mapping[str, Any]) -> list[str]:
    """How much of the files was not read, and why."""
    files = provenance["files"]
    damaged = Counter({"damaged lines": sum(file["damaged"] for file in files)})
    reasons = sum((Counter(file["skipped"]) for file in files), damaged)
    return [f"skipped, {reason}: {n:,}" for reason, n in reasons.items() if n]


def _wanting(contexts: Contexts) -> list[str]:
    """Name the stimuli without contexts, and those with fewer than were requested."""
    none = [row.stimulus for row in contexts.few if not row.kept]
    fewer = [f"{row.stimulus} ({row.kept:,})" for row in contexts.few if row.kept]
    lines = [f"without any context: {listing(none)}"] if none else []
    wanted = contexts.provenance["per_term"]
    return [*lines, f"with fewer than {wanted:,}: {listing(fewer)}"] if fewer else lines
