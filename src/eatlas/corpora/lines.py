"""Lines of a file in flat memory, batches of texts for compiled loops, and an account of damage."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.reading import fill

NAMED = 100
"""Damaged lines of a run that are named one by one in what is written; all are counted."""


@dataclass(frozen=True)
class Damage:
    """A line, or a row, that was skipped."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


Tell = Callable[[Damage], None]


@dataclass
class Account:
    """Counts of one file; `tell` is called with every damaged line."""

    file: str
    tell: Tell | None = None
    texts: int = 0
    """Texts that were looked through."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    damaged: int = 0
    named: list[Damage] = field(default_factory=list)
    """The first damaged lines."""

    def damage(self, line: int, why: str) -> None:
        """Count a damaged line and tell of it."""
        one = Damage(self.file, line, why)
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append(one)
        if self.tell is not None:
            self.tell(one)


BLOCK = 4 << 20
"""Bytes that are looked through at once; more are no faster."""
_NEWLINE = b"\n"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Lines:
    """Some lines of a file; `data` is good until the next are read."""

    data: NDArray[np.uint8]
    number: int
    """Number of the first line in the file, from 1."""
    whole: bool = True
    """Whether the last line ends here; a line longer than a block comes in several."""


def read_lines(
    file: BinaryIO,
    label: str,
    *,
    ends: tuple[bytes, ...] = (_NEWLINE,),
    block: int = BLOCK,
    longest: int = BLOCK,
) -> Iterator[Lines]:
    """Read a file as blocks of whole lines.

    Parameters
    ----------
    file : binary file
    label : str
        Its name in messages.
    ends : tuple of bytes
        Where a block may end, such as at blank lines; at any newline if there is none.
    block, longest : int
        Bytes of a block; it grows for a longer line, which is parted at white space beyond
        `longest` bytes.

    Raises
    ------
    SourceError
        If the file is UTF-16.
    """
    from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

    buffer = np.empty(block, np.uint8)
    kept, number, first = 0, 1, True
    while True:
        size = kept + fill(file, buffer, kept)
        begin = _after_mark(buffer[:size], label) if first else 0
        at_end = size < len(buffer)
        cut, whole = (size, True) if at_end else _cut(buffer.tobytes(), ends)
        if not whole and len(buffer) < longest:
            buffer, kept = np.concatenate([buffer, np.empty_like(buffer)]), size
            continue
        if cut > begin:
            yield Lines(buffer[begin:cut], number, whole)
        if at_end:
            return
        number += int(_kernels.count_lines(buffer[:cut])[0])
        kept, first = size - cut, False
        buffer[:kept] = buffer[cut:size].copy()


def _cut(data: bytes, ends: tuple[bytes, ...]) -> tuple[int, bool]:
    """Return where the last whole line ends, or else the last word."""
    for end in (*ends, _NEWLINE):
        if at := data.rfind(end) + 1:
            return at + len(end) - 1, True
    if space := max(data.rfind(b" "), data.rfind(b"\t")) + 1:
        return space, False
    at = len(data)
    while at > 1 and data[at - 1] & 0xC0 == 0x80:
        at -= 1
    return at - 1 or len(data), False  # a character is not cut


def _after_mark(head: NDArray[np.uint8], label: str) -> int:
    """Return the length of a byte order mark of UTF-8."""
    mark = head[:4].tobytes()
    if mark.startswith(_UTF16):
        raise SourceError(
            f"{label}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8",
        )
    return len(codecs.BOM_UTF8) if mark.startswith(codecs.BOM_UTF8) else 0


NEWLINE, ZERO = 10, 0


@dataclass(frozen=True)
class Batch:
    """Texts in valid UTF-8, one behind the other with a separator between; good until the next."""

    data: NDArray[np.uint8]
    separator: int


def line_texts(blocks: Iterable[Lines], account: Account) -> Iterator[Batch]:
    """Take every line as a text; lines that are no UTF-8 are skipped."""
    from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

    for lines in blocks:
        damaged = account.damaged
        data = without_bad_lines(lines, account)
        account.texts += int(_kernels.count_lines(data)[1]) - (account.damaged - damaged)
        yield Batch(data, NEWLINE)


def paragraph_texts(blocks: Iterable[Lines], account: Account) -> Iterator[Batch]:
    """Take what stands between blank lines as a text."""
    from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

    for lines in blocks:
        data = without_bad_lines(lines, account)
        data[data == ZERO] = ord(" ")
        _kernels.part_paragraphs(data)
        account.texts += sum(1 for text in data.tobytes().split(b"\0") if text.strip())
        yield Batch(data, ZERO)


def batched(texts: Iterable[str], size: int = BLOCK) -> Iterator[Batch]:
    """Put single texts together."""
    some: list[bytes] = []
    held = 0
    for text in texts:
        coded = text.replace("\0", " ").encode("utf-8", "replace")  # half a pair of surrogates
        some.append(coded)
        held += len(coded)
        if held >= size:
            yield _joined(some)
            some, held = [], 0
    if some:
        yield _joined(some)


def _joined(texts: list[bytes]) -> Batch:
    return Batch(np.frombuffer(b"\0".join(texts), np.uint8), ZERO)


def without_bad_lines(lines: Lines, account: Account) -> NDArray[np.uint8]:
    """Return the bytes, those of lines that are no UTF-8 turned into spaces."""
    data, at, number = lines.data, 0, lines.number
    while (bad := _first_bad(data, at)) is not None:
        before = data[at:bad].tobytes()
        number += before.count(b"\n")
        begin = at + before.rfind(b"\n") + 1
        behind = data[bad:].tobytes().find(b"\n")
        end = len(data) if behind < 0 else bad + behind
        account.damage(number, f"byte 0x{data[bad]:02x}, which is not UTF-8")
        data[begin:end] = ord(" ")
        at = end
    return data


def _first_bad(data: NDArray[np.uint8], at: int) -> int | None:
    try:
        str(memoryview(data[at:]), "utf-8")  # type: ignore[arg-type]  # arrays are buffers
    except UnicodeDecodeError as error:
        return at + error.start
    return None


Texts = Callable[[Iterable[Lines], Account], Iterator[Batch]]
