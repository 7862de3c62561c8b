"""``eatlas embed``: vectors of terms as parts of a corpus use them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from eatlas.cli.contexts import say_damaged, size_of, skipped_in
from eatlas.cli.messages import output_of_a_command, print_line, print_rows, remark
from eatlas.cli.options import executor_of
from eatlas.cli.progress import Lines, bar_of, what_is_kept
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.sources.parts import CorpusParts

QUIET = 10.0
"""Seconds before the first line of progress in a pipe."""


def embed(
    corpus: list[str],
    *,
    vectors: str,
    tests: list[str],
    by: str = "file",
    bins: str | None = None,
    unit: str | None = None,
    output: Path = Path("parts.npz"),
    window: int = 6,
    stop_words: Path | None = None,
    transformation: Path | None = None,
    case: str = "auto",
    compounds: str = "either",
    field: str | None = None,
    documents: str = "line",
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Embed the terms of tests as each part of a corpus uses them.

    The corpus is read once. A term's vector in a part is the mean of its contexts there, carried to
    the space of the vectors (a la carte, Khodak et al. 2018). Measure all parts with:
    eatlas run --tests TEST --vectors parts.npz. To continue after an interruption, repeat the
    command. Exit codes: 0 done, 2 an input cannot be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines, CSV, TSV, Parquet; .gz, .bz2, .xz, .zst.
    vectors : [NAME=]SOURCE
        Vectors of the words of the texts, as for eatlas run.
    tests : ID|BATTERY|FILE.toml
        Tests of words. May be repeated.
    by : FIELD|file
        Field or column whose values are the parts of the corpus. file: the name of the file.
    bins : YEAR-YEAR,...
        Years of the parts, where the field is a year or a date.
    unit : FIELD
        Field whose values are resampled together, such as speaker. [default: documents]
    output : -o, --output FILE
        File for the parts: .npz.
    window : N >= 1
        Number of words on either side of a term.
    stop_words : FILE
        Words that are left out of contexts, one on a line. [default: 95 English words; none of
        tests in other languages]
    transformation : FILE.npz
        Take the transformation of parts that were written before. [default: learned on the corpus]
    case : auto|exact|ignore
        How terms are found, as for eatlas contexts.
    compounds : either|written|head
        How terms of several words are found, as for eatlas contexts.
    documents : line|paragraph
        What is a document in plain text.
    """
    from eatlas.engine.embedding import embed as embed_corpus  # noqa: PLC0415  (--help waits)

    added = -1
    kept = what_is_kept(lambda: max(0, added), "parts of the corpus are read", "nothing is read")
    with kept, bar_of("parts") as bar:
        tick = bar or Lines("parts", QUIET)

        def progress(done: int, parts: int) -> None:
            nonlocal added
            if done and added < 0:
                remark(f"parts taken over from an interrupted run: {done:,} of {parts:,}")
            added = done
            tick(done, parts)

        result = embed_corpus(
            corpus,
            tests,
            vectors,
            by=by,
            bins=_bins(bins),
            unit=unit,
            window=window,
            stop_words=None if stop_words is None else _words(stop_words),
            matrix=transformation,
            case=cast("Any", case),
            compounds=cast("Any", compounds),
            field=field,
            documents=cast("Any", documents),
            out=output,
            workers=workers,
            executor=executor_of(engine, workers),
            progress=progress,
        )
    say_damaged(result.about["corpus"])
    with output_of_a_command():
        _print(result, output)


def _bins(text: str | None) -> list[tuple[int, int]]:
    """First and last years, such as 1790-1860,1861-1917."""
    bins = []
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if not part.strip():
            continue
        if not (first.strip().isdecimal() and (last.strip() or first.strip()).isdecimal()):
            raise EatlasError(
                "--bins: this is no range of years",
                got=part,
                allowed="first and last year, with commas between ranges: 1790-1860,1861-1917",
            )
        bins.append((int(first), int(last or first)))
    return bins


def _words(path: Path) -> list[str]:
    """Words of a file, one on a line."""
    from eatlas.decoding import decoded, require_file  # noqa: PLC0415

    require_file(path, EatlasError)
    lines = decoded(path.read_bytes(), str(path), EatlasError).splitlines()
    return [line.strip() for line in lines if line.strip()]


def _print(result: CorpusParts, output: Path) -> None:
    """Print the parts with what they hold, the transformation, and where the file lies."""
    about, contexts = result.about, result.contexts
    targets = [i for i, term in enumerate(result.terms) if term in about["targets"]]
    rows = [["part", "documents", "contexts of targets", "targets without"]]
    for part, documents, own in zip(about["parts"], about["documents"], contexts, strict=True):
        of_targets = own[targets]
        rows.append([part, f"{documents:,}", f"{of_targets.sum():,}", str((of_targets == 0).sum())])
    print_rows(rows, least=(max(map(len, about["parts"])),))
    learned = about["transformation"]
    left_out = [f"{n:,} documents {why}" for why, n in about["left_out"].items()]
    for line in (
        "",
        f"{about['words']:,} words of {size_of(about['corpus'])}",
        *skipped_in(about["corpus"]),
        *([f"in no part: {'; '.join(left_out)}"] if left_out else []),
        f"transformation: {'of ' + learned['file'] if 'file' in learned else 'learned here'} from "
        f"{learned['words']:,} words; median cosine of refitted words with their own vectors "
        f"{learned['quality']:.2f}",
        "",
        f"parts: {output}",
    ):
        print_line(line)
