"""Texts of a corpus, put together so that a compiled loop can look through many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.account import Account
from eatlas.corpora.blocks import BLOCK, Lines

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
