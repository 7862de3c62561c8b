"""From files, folders and patterns to the texts in them."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from eatlas.corpora import csv_rows, json_lines, parquet_rows
from eatlas.corpora.account import Account
from eatlas.corpora.blocks import read_lines
from eatlas.corpora.texts import Batch, batched, line_texts, paragraph_texts
from eatlas.errors import SourceError, described
from eatlas.sources.archives import Content, locate

Format = Literal["auto", "text", "jsonl", "csv", "tsv", "parquet"]
Unit = Literal["line", "paragraph"]
_SUFFIXES: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_BLANK_LINES = (b"\n\r\n", b"\n\n")


@dataclass(frozen=True)
class Reading:
    """How the files of a corpus are read.

    Parameters
    ----------
    format : {"auto", "text", "jsonl", "csv", "tsv", "parquet"}
        ``auto``: by the name, else by the first bytes.
    field : str, optional
        Field of JSON Lines, or column of a table; by default ``text``, else ``body``.
    unit : {"line", "paragraph"}
        What of plain text is one text: a line, or what stands between blank lines.
    """

    format: Format = "auto"
    field: str | None = None
    unit: Unit = "line"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("format", self.format, get_args(Format)),
            ("unit", self.unit, get_args(Unit)),
        ):
            if value not in allowed:
                raise SourceError(
                    f"a corpus cannot be read with this {name}",
                    got=repr(value),
                    allowed=", ".join(allowed),
                )


def corpus_files(corpus: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the files of a corpus, each once, in the order of their names.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files; folders, for all files in them; patterns such as ``RC_2014-*.zst``.

    Raises
    ------
    SourceError
        If there is no such file.
    """
    given = [corpus] if isinstance(corpus, str | Path) else corpus
    if not isinstance(given, Iterable):
        raise SourceError("this is no corpus", got=described(given), allowed="paths of files")
    found = [path for one in given for path in _files_of(one)]
    if not found:
        raise SourceError("no corpus was given", allowed="files, folders, or patterns of names")
    return sorted(dict.fromkeys(found))


def _files_of(one: Any) -> list[Path]:
    if not isinstance(one, str | Path):
        raise SourceError("this is no corpus", got=described(one), allowed="paths of files")
    path = Path(one)
    if path.is_file():
        return [path]
    if path.is_dir():
        inside = (inner for inner in path.rglob("*") if inner.is_file())
        hidden = [p for p in inside if not any(n.startswith(".") for n in _below(p, path))]
        return _some(hidden, f"{path}: there is no file in this folder")
    matching = [Path(name) for name in glob.glob(str(one), recursive=True)]  # noqa: PTH207  (absolute patterns)
    return _some([p for p in matching if p.is_file()], f"{path}: there is no such file")


def _below(path: Path, folder: Path) -> tuple[str, ...]:
    return path.relative_to(folder).parts


def _some(paths: list[Path], otherwise: str) -> list[Path]:
    if not paths:
        raise SourceError(
            otherwise, allowed="a file, a folder with files in it, or a pattern such as 'RC_*.zst'"
        )
    return paths


def read_texts(path: Path, reading: Reading, account: Account) -> Iterator[Batch]:
    """Read the texts of a file, compressed or not, in flat memory.

    Raises
    ------
    SourceError
        If the file cannot be read at all, or has no such field or column.
    """
    content = locate(path, long_windows=True)
    kind = format_of(content, reading)
    if kind == "parquet":
        content.need_plain("Parquet")
        yield from batched(parquet_rows.texts(path, reading.field, account))
        return
    with content.open() as file:
        yield from _READERS[kind](file, reading, account)


def _plain(file: BinaryIO, reading: Reading, account: Account) -> Iterator[Batch]:
    if reading.unit == "line":
        return line_texts(read_lines(file, account.file), account)
    return paragraph_texts(read_lines(file, account.file, ends=_BLANK_LINES), account)


def _json(file: BinaryIO, reading: Reading, account: Account) -> Iterator[Batch]:
    return batched(json_lines.texts(file, reading.field, account))


def _rows(file: BinaryIO, reading: Reading, account: Account, *, separator: str) -> Iterator[Batch]:
    return batched(csv_rows.texts(file, reading.field, account, separator=separator))


_READERS: dict[str, Callable[[BinaryIO, Reading, Account], Iterator[Batch]]] = {
    "text": _plain,
    "jsonl": _json,
    "csv": partial(_rows, separator=","),
    "tsv": partial(_rows, separator="\t"),
}


def format_of(content: Content, reading: Reading) -> str:
    """Return what a file is: as was said, by its name, or else by its first bytes."""
    if reading.format != "auto":
        return reading.format
    for suffix in reversed(content.path.suffixes):
        if suffix.lower() in _SUFFIXES:
            return _SUFFIXES[suffix.lower()]
    head = content.head(16)
    if head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"
