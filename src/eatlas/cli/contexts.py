"""``eatlas contexts``: sentences and windows of real texts in which the stimuli of tests occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.options import executor_of, number_or_word
from eatlas.cli.progress import bar_of

if TYPE_CHECKING:
    from eatlas.corpora import Contexts, Pairs
    from eatlas.corpora.reading import Damage

SHOWN = 5
"""Damaged lines that are shown one by one; --log writes all."""


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
    form: str = "auto",
    unit: str = "line",
    seed: int = 0,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    log: Path | None = None,
    as_json: bool = False,
) -> None:
    """Sample contexts of the stimuli of tests from texts.

    The corpus is read once. The same seed gives the same sample, whatever the order of the texts
    and files.
    Exit codes: 0 done, 2 an input cannot be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines (Reddit's dumps too), CSV, TSV, Parquet;
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
        the last word alone (fried-chicken is searched as chicken).
    repeats : drop|keep
        drop: equal texts are one context. keep: one for each place in the corpus. Shares of
        contexts, such as those of a probe, depend on it.
    field : NAME
        Name of the field or column with the text. [default: text, else body]
    form : --format FORMAT
        auto, text, jsonl, csv, tsv or parquet. auto: by the name of the file.
    unit : line|paragraph
        What one text is in a plain text file: a line, or a paragraph between blank lines.
    seed : N >= 0
        Seed of the sample.
    workers : N >= 1
        Number of processes. [default: as many as are useful]
    engine : local|ray
        local: processes of this machine. ray: the workers of a Ray cluster (needs the extra ray).
        Every node must see the files.
    address : HOST:PORT
        Address of the Ray cluster: HOST:PORT, ray://HOST:PORT, or auto for one that runs on this
        machine. [default: a new one on this machine, ended with the command]
    log : FILE
        Write the damaged lines of the corpus to FILE.
    as_json : --json
        Print only JSON: the counts as one object.
    """
    from eatlas.corpora import find_contexts, find_pairs  # noqa: PLC0415  (--help waits for none)
    from eatlas.corpora.writing import require_place  # noqa: PLC0415

    require_place(output)
    require_other_files(corpus, output, log)
    find: Any = partial(find_pairs, distance=distance) if pairs else find_contexts
    with damage_shown(log) as tell, bar_of("files") as progress:
        found = find(
            corpus,
            tests,
            per_term=per_term,
            window=number_or_word(window),
            case=case,
            compounds=compounds,
            repeats=repeats,
            field=field,
            format=form,
            unit=unit,
            seed=seed,
            workers=workers,
            executor=executor_of(engine, address, workers),
            tell=tell,
            progress=progress,
        )
    found.write(output)
    with output_of_a_command():
        if as_json:
            print_json([found.provenance | {"counts": [list(count) for count in found.counts]}])
        else:
            _print_table(found, output, pairs=pairs)


def require_other_files(corpus: list[str], output: Path, log: Path | None) -> None:
    """Refuse to write over what is read."""
    from eatlas.corpora.files import corpus_files  # noqa: PLC0415
    from eatlas.corpora.writing import beside  # noqa: PLC0415
    from eatlas.writing import require_other_file  # noqa: PLC0415

    files = corpus_files(corpus)
    for path in filter(None, (output, beside(output), log)):
        require_other_file(path, files)


@contextmanager
def damage_shown(log: Path | None) -> Iterator[Any]:
    """Show the first damaged lines; write all of them to a log, where there is one."""
    from eatlas.writing import atomic_file  # noqa: PLC0415

    shown = 0

    def tell(damage: Damage, file: IO[str] | None = None) -> None:
        nonlocal shown
        if file is not None:
            file.write(f"{damage}\n")
        if shown < SHOWN:
            remark(f"skipped: {damage}")
        elif shown == SHOWN:
            remark("skipped: more lines; " + (f"{log} names all" if log else "--log names all"))
        shown += 1

    if log is None:
        yield tell
        return
    with atomic_file(log) as file:
        yield lambda damage: tell(damage, file)


def _print_table(found: Any, output: Path, *, pairs: bool) -> None:
    """Print the counts of every stimulus, what was skipped, and where the file lies."""
    if not pairs:
        rows = [
            (one.stimulus, f"{one.found:,}", f"{one.kept:,}", _repeats(found, [one]))
            for one in found.counts
        ]
        print_rows([("stimulus", "found", "kept", ""), *rows], align="lrrl", least=(0, 11, 7))
        print_line("")
    wanting = _of_pairs(found) if pairs else _wanting(found)
    for line in (*_read(found), *wanting, *_at_limit(found)):
        print_line(line)
    print_line("")
    print_line(f"{'pairs' if pairs else 'contexts'}: {output}")


def _repeats(found: Contexts | Pairs, counts: Iterable[Any]) -> str:
    """Say how many of some contexts repeat a text; it is known of those below --per-term."""
    wanted = found.provenance["per_term"]
    n = sum(count.found - count.kept for count in counts if count.kept < wanted)
    return f"{n:,} {'repeats' if n == 1 else 'repeat'} a text that is kept" if n else ""


def _at_limit(found: Contexts | Pairs) -> list[str]:
    """Say of how many there are more than --per-term."""
    wanted = found.provenance["per_term"]
    n = sum(count.found > count.kept == wanted for count in found.counts)
    return [f"with more than {wanted:,}, which --per-term keeps: {n:,}"] if n else []


def _of_pairs(found: Pairs) -> list[str]:
    """Say how many pairs there are; a test of 50 and 50 stimuli has 2,500."""
    there = [count for count in found.counts if count.kept]
    targets = dict.fromkeys(count.target for count in found.counts)
    alone = [one for one in targets if not any(count.target == one for count in there)]
    lines = [
        f"pairs with a context: {len(there):,} of {len(found.counts):,}; "
        f"contexts kept: {len(found):,} of {sum(count.found for count in there):,}"
    ]
    if repeats := _repeats(found, there):
        lines[0] += f"; {repeats}"
    return [*lines, f"targets without any pair: {', '.join(alone)}"] if alone else lines


def _read(found: Contexts | Pairs) -> list[str]:
    files = found.provenance["files"]
    texts = sum(file["texts"] for file in files)
    return [f"{texts:,} texts of {size_of(files)}", *skipped_in(files)]


def size_of(files: Sequence[dict[str, Any]]) -> str:
    """How many files were read, and how large they are."""
    return f"{len(files)} file(s), {sum(file['size'] for file in files):,} bytes"


def skipped_in(files: Sequence[dict[str, Any]]) -> list[str]:
    """How much of them was not read, and why."""
    damaged = Counter({"damaged lines": sum(file["damaged"] for file in files)})
    reasons = sum((Counter(file["skipped"]) for file in files), damaged)
    return [f"skipped, {reason}: {n:,}" for reason, n in reasons.items() if n]


def _wanting(found: Contexts) -> list[str]:
    """Name the stimuli without contexts, and those with fewer than were requested."""
    none = [count for count in found.few if not count.kept]
    fewer = [f"{count.stimulus} ({count.kept:,})" for count in found.few if count.kept]
    lines = []
    if none:
        lines.append(f"without any context: {', '.join(count.stimulus for count in none)}")
    if fewer:
        wanted = found.provenance["per_term"]
        lines.append(f"with fewer than {wanted:,}: {', '.join(fewer)}")
    return lines
