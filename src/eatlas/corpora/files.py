"""From files, folders and patterns to texts, and what the first lines of a corpus show."""

from __future__ import annotations

import glob
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from eatlas.corpora.parquet import parquet_rows
from eatlas.corpora.reading import (
    BLOCK,
    Account,
    Batch,
    batched,
    json_rows,
    line_texts,
    paragraph_texts,
    read_lines,
    table_rows,
    texts,
)
from eatlas.corpora.wikipedia import is_dump, wikipedia_rows
from eatlas.errors import SourceError, SourceWarning, described
from eatlas.paths import is_file, is_folder
from eatlas.sources.archives import Content, locate

Format = Literal["auto", "text", "jsonl", "csv", "tsv", "parquet", "wikipedia"]
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
SEPARATORS = {"csv": ",", "tsv": "\t"}
_BLANK_LINES = (b"\n\r\n", b"\n\n")


@dataclass(frozen=True)
class ReadingOptions:
    """How the files of a corpus are read."""

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
    """Find the files of a corpus, each once, in the order of their names."""
    given = [corpus] if isinstance(corpus, str | Path) else corpus
    if not isinstance(given, Iterable):
        raise SourceError("this is not a corpus", got=described(given), allowed="paths of files")
    found = [path for one in given for path in _files_of(one)]
    if not found:
        raise SourceError("no corpus is named", allowed="files, folders, or patterns of names")
    return sorted(dict.fromkeys(found))


def _files_of(one: Any) -> list[Path]:
    """Files of one path, folder or pattern; hidden ones of a folder are left out."""
    if not isinstance(one, str | Path):
        raise SourceError("this is not a corpus", got=described(one), allowed="paths of files")
    path = Path(one)
    if is_file(path):
        return [path]
    if is_folder(path):
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


def read_texts(path: Path, reading: ReadingOptions, account: Account) -> Iterator[Batch]:
    """Read the texts of a file, compressed or not, in flat memory."""
    content = locate(path, long_windows=True)
    kind = format_of(content, reading)
    if kind == "parquet":
        content.need_plain("Parquet")
        yield from batched(texts(partial(parquet_rows, path, reading.field), account))
        return
    yield from content_texts(content, kind, reading, account)


def content_texts(
    content: Content, kind: str, reading: ReadingOptions, account: Account, longest: int = BLOCK
) -> Iterator[Batch]:
    """Read texts of one kind, all but Parquet."""
    with content.open() as file:
        if kind == "jsonl":
            yield from batched(texts(partial(json_rows, file, reading.field), account))
        elif kind in SEPARATORS:
            rows = partial(table_rows, file, reading.field, SEPARATORS[kind])
            yield from batched(texts(rows, account))
        elif kind == "wikipedia":
            yield from batched(texts(partial(wikipedia_rows, file), account))
        elif reading.unit == "line":
            yield from line_texts(read_lines(file, account.file, longest=longest), account)
        else:
            lines = read_lines(file, account.file, ends=_BLANK_LINES, longest=longest)
            yield from paragraph_texts(lines, account)


def format_of(content: Content, reading: ReadingOptions) -> str:
    """Return what a file is: as was said, by its name, or else by its first bytes."""
    if reading.format != "auto":
        return reading.format
    for suffix in reversed(content.path.suffixes):
        if suffix.lower() in _SUFFIXES:
            return _SUFFIXES[suffix.lower()]
    head = content.head(BEGINNING)
    if is_dump(head):
        return "wikipedia"
    if head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"


BEGINNING = 1_024
"""Bytes that show whether a file is a page of HTML."""
SAMPLE = 65_536
"""Bytes of a text whose lines are looked at."""
LOOKED_AT = 20
"""Texts of a corpus whose lines are looked at; one that is wrapped speaks for others."""
LINES = 20
"""Fewer different lines say nothing."""
WIDEST = 120
"""Characters; who wraps lines wraps them before."""
FULL = 0.7
"""Share of full lines in a text that is wrapped; of one sentence a line some tenth are full."""
LOWER = 0.3
"""Share of its lines that begin in lower case."""
_MARKUP_SUFFIXES = {".html", ".htm", ".xhtml", ".mhtml", ".xml"}
_MARKUP = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(\?xml|!doctype\s|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)


def look_at(files: Sequence[Path], reading: ReadingOptions) -> None:
    """Refuse pages of HTML, and say where lines are parts of sentences, before anything is read."""
    if reading.format == "auto" and (pages := list(_pages(files))):
        first, got = pages[0]
        more = f", and so are {len(pages) - 1:,} more of {len(files):,} files"
        raise SourceError(
            f"{first}: this is a page of HTML or XML{more if len(pages) > 1 else ''}; its tags "
            "would be read as words",
            got=got,
            allowed="text, JSON Lines, CSV, TSV, Parquet, or a dump of Wikipedia",
            remedy="take the text out first, such as with: pandoc --to plain PAGE.html -o PAGE.txt"
            " (in Python: trafilatura, BeautifulSoup); the format text reads a page as it is",
        )
    if reading.unit == "line" and (wrapped := _first_wrapped(files, reading)):
        warnings.warn(
            f"{wrapped}: sentences seem to continue on the next line, but each line is read as a "
            "text of its own, at whose end contexts end; --unit paragraph (unit='paragraph') reads "
            "the text between blank lines",
            SourceWarning,
            stacklevel=4,
        )


def _pages(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files that look like web pages, each with the reason."""
    for path in files:
        content = locate(path, long_windows=True)
        suffixes = {suffix.lower() for suffix in content.path.suffixes}
        kind = format_of(content, ReadingOptions())
        if kind == "wikipedia":
            continue
        if suffixes & _MARKUP_SUFFIXES:
            yield path, f"the name {content.path.name}"
        elif kind == "text" and (begins := _tag(content.head(BEGINNING))):
            yield path, f"it begins with {begins}"


def _tag(beginning: bytes) -> str:
    """The tag that a page of HTML or XML begins with; empty for other texts."""
    found = _MARKUP.match(beginning)
    if found is None:
        return ""
    return f"<{found[0].split(b'<')[-1].decode(errors='replace').strip()}"


def _first_wrapped(files: Sequence[Path], reading: ReadingOptions) -> Path | None:
    """Return the first text, of some, whose lines are wrapped."""
    looked = 0
    for path in files:
        content = locate(path, long_windows=True)
        if format_of(content, reading) != "text":
            continue
        if is_wrapped(content.head(SAMPLE).decode(errors="replace")):
            return path
        looked += 1
        if looked == LOOKED_AT:
            break
    return None


def is_wrapped(text: str) -> bool:
    r"""Whether sentences of a text go on in the next line.

    Lines are then full: the first word of the next would not have fitted, within the width that
    most lines keep. And many begin in lower case, unlike verses and lists.
    """
    lines = [line.strip() for line in text.splitlines()[:-1]]  # the last may be cut
    pairs = {(line, after) for line, after in pairwise(lines) if line and after}
    if len(pairs) < LINES:
        return False
    width = sorted(len(line) for line, _ in pairs)[int(0.95 * len(pairs))]
    full = [len(line) + 1 + len(after.split()[0]) > width for line, after in pairs]
    lower = [after[0].islower() for _, after in pairs]
    return width <= WIDEST and sum(full) > FULL * len(full) and sum(lower) > LOWER * len(lower)
