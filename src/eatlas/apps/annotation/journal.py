"""What annotators do on the page, line by line in a file: safe against crashes, and resumed.

The first line says whose labels they are. Each line after it is one act of one person: a label, a
context that was skipped, or the last act undone. A line is on the disk before the page shows the
next context; one that a crash left unfinished is dropped.
"""

from __future__ import annotations

import errno
import json
import os
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import FileIO
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from eatlas.apps.annotation.items import Items, unknown_label
from eatlas.decoding import json_value, require_file
from eatlas.errors import EatlasError, SourceError
from eatlas.notes import Note, warn
from eatlas.writing import require_writable

SCHEMA = "eatlas/labels/1"
ENDING = ".labels.jsonl"
SKIPPED = ""
"""Stands where a person passed over a context."""
LONGEST_NAME = 60
MOST_ANNOTATORS = 1_000


def journal_of(items: Path) -> Path:
    """The file of the labels of a file of items."""
    return items.with_name(items.stem + ENDING)


def name_of(text: str) -> str:
    """The name of an annotator, without blanks around it."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise EatlasError(
            "this is not a name of an annotator",
            got=repr(text[: LONGEST_NAME + 1]),
            allowed=f"1 to {LONGEST_NAME} printable characters",
        )
    return name


@dataclass
class Work:
    """What one person has done."""

    labels: dict[str, str] = field(default_factory=dict)
    """By item; "" for one that was passed over."""
    acts: list[tuple[str, str | None]] = field(default_factory=list)
    """Items in the order in which they were labelled, and what they had before."""

    def label(self, item: str, label: str) -> None:
        """Take a label, or pass over."""
        self.acts.append((item, self.labels.get(item)))
        self.labels[item] = label

    def undo(self) -> str | None:
        """Take back the last act; its item, None if there is no act."""
        if not self.acts:
            return None
        item, before = self.acts.pop()
        if before is None:
            self.labels.pop(item, None)
        else:
            self.labels[item] = before
        return item

    @property
    def done(self) -> int:
        """Items with a label."""
        return sum(1 for one in self.labels.values() if one != SKIPPED)


class Journal:
    """The labels of a page, open for more; a context manager.

    Parameters
    ----------
    path : Path
        Is made if there is none; else it goes on.
    items : Items
        What is labelled.

    Raises
    ------
    EatlasError
        If it is of other items, damaged before its last line, cannot be written, has a second name
        (a hard link), or another process has it open.

    Notes
    -----
    Where another program removes, replaces or changes the file, all that it held is written again
    before the next label counts as saved: under its name, or beside what stands there now, as
    items.labels-2.jsonl. An :class:`EatlasWarning` names the file.
    """

    def __init__(self, path: Path, items: Items) -> None:
        self.path, self.items = path, items
        require_writable(path)
        real = path.resolve()  # or a link to the file would have a lock of its own
        self._lock = FileLock(real.with_name(f".{real.name}.lock"), timeout=0)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise EatlasError(
                f"{path}: another eatlas annotate serve has it open",
                remedy="use the page that is open, several people may; or end that process",
            ) from error
        try:
            _require_single(path)
            self.work, self._lines = replay(path, items) if path.exists() else ({}, b"")
            self._file = real.open("r+b" if real.exists() else "x+b", buffering=0)
            self._file.truncate(len(self._lines))  # what a crash left unfinished
            self._file.seek(len(self._lines))
            if not self._lines:
                self._write({"schema": SCHEMA, "test": items.test, "items_sha256": items.sha256})
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if not self._file.closed and not self._in_place():
                self._write_again()
        finally:
            self._file.close()
            with suppress(OSError):  # while it is locked, so that two never hold it
                Path(self._lock.lock_file).unlink()
            self._lock.release()

    def of(self, annotator: str) -> Work:
        """What one person has done."""
        return self.work.get(name_of(annotator), Work())

    def label(self, annotator: str, item: str, label: str | None) -> None:
        """Write the label of an item; None where the person passes over it.

        Raises
        ------
        EatlasError
            If there is no such item or label, or the file takes no more.
        """
        name = name_of(annotator)
        act = {"annotator": name, "item": item, "label": label}
        _require(self.items, item, label, str(self.path))
        self._annotator(name)
        self._write(act)
        self._annotator(name).label(item, SKIPPED if label is None else label)

    def undo(self, annotator: str) -> str | None:
        """Take back the last act of a person; its item, None if there is none."""
        name = name_of(annotator)
        if not self.of(name).acts:
            return None
        self._write({"annotator": name, "undo": True})
        return self.work[name].undo()

    def _annotator(self, name: str) -> Work:
        if name not in self.work and len(self.work) >= MOST_ANNOTATORS:
            raise EatlasError("there are too many annotators", allowed=f"up to {MOST_ANNOTATORS:,}")
        return self.work.setdefault(name, Work())

    def _write(self, values: Mapping[str, Any]) -> None:
        """Put a line onto the disk, whole or not at all."""
        if not self._in_place():
            self._write_again()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = (json.dumps({**values, "time": now}, ensure_ascii=False) + "\n").encode()
        try:
            _append(self._file, line)
        except OSError as error:
            with suppress(OSError):
                self._file.seek(len(self._lines))
                self._file.truncate(len(self._lines))
            raise _unsaved(self.path, error) from error
        self._lines += line

    def _in_place(self) -> bool:
        """Whether its name still leads to the file, of the size that it had after the last line."""
        try:
            there, ours = self.path.stat(), os.fstat(self._file.fileno())
        except OSError:
            return False
        return os.path.samestat(there, ours) and there.st_size == len(self._lines)

    def _write_again(self) -> None:
        """Write all lines anew, where nothing stands, and go on there."""
        before, path = self.path, self.path
        try:
            before.resolve().parent.mkdir(parents=True, exist_ok=True)
            for number in count(2):
                try:
                    file = path.resolve().open("x+b", buffering=0)
                    break
                except FileExistsError:
                    path = before.with_name(f"{before.stem}-{number}{before.suffix}")
            try:
                _append(file, self._lines)
            except OSError:
                file.close()
                path.resolve().unlink()
                raise
        except OSError as error:
            raise _unsaved(before, error) from error
        self._file.close()
        self._file, self.path = file, path
        warn(Note("run.labels-moved", values={"before": str(before), "file": str(path)}))


def _append(file: FileIO, lines: bytes) -> None:
    """Put lines onto the disk."""
    if file.write(lines) < len(lines):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(file.fileno())


def _unsaved(path: Path, error: OSError) -> EatlasError:
    return EatlasError(f"{path}: the label was not saved", got=error.strerror or str(error))


def _require_single(path: Path) -> None:
    """Refuse a file that has a second name: under that, another page could write to it."""
    if path.exists() and path.stat().st_nlink > 1:
        raise EatlasError(
            f"{path}: this file has a second name (a hard link)",
            got=f"{path.stat().st_nlink} names of one file",
            allowed="a file of labels with one name, so that no two pages write to it",
            remedy="copy it to a new file, and name that by --labels",
        )


def replay(path: Path, items: Items) -> tuple[dict[str, Work], bytes]:
    """What every annotator has done, and the whole lines of the file."""
    require_file(path, SourceError)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{path}: the labels cannot be read", got=error.strerror or str(error)
        ) from error
    work: dict[str, Work] = {}
    whole = 0
    for number, (line, end) in enumerate(_lines(data), start=1):
        try:
            values = json_value(line)
            if not isinstance(values, dict):
                raise TypeError("no object")
            if number == 1:
                _require_same(values, items, path)
            else:
                _replay(values, items, work, f"{path}, line {number}")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise SourceError(
                f"{path}, line {number}: this is not an act of an annotator",
                got=line[:100].decode(errors="replace"),
                allowed="lines that eatlas annotate serve wrote",
                remedy="remove the line, or take the file from a backup",
            ) from error
        whole = end
    return work, data[:whole]


def _lines(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Whole lines, and where each ends; what follows the last is unfinished."""
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        yield data[at:end], end + 1
        at = end + 1


def _require_same(values: Mapping[str, Any], items: Items, path: Path) -> None:
    if values.get("schema") != SCHEMA:
        raise ValueError("another schema")
    if values.get("items_sha256") != items.sha256:
        raise SourceError(
            f"{path}: these are labels of other items",
            got=f"test {values.get('test')}, items {str(values.get('items_sha256'))[:12]}",
            allowed=f"those of {items.name}: test {items.test}, items {items.sha256[:12]}",
            remedy="name the file of items that they were made for, or another file of labels",
        )


def _replay(values: Mapping[str, Any], items: Items, work: dict[str, Work], where: str) -> None:
    """Do again what a line says."""
    name = values["annotator"]
    if not isinstance(name, str):
        raise TypeError("no name")
    if values.get("undo"):
        work.setdefault(name, Work()).undo()
        return
    item, label = values["item"], values["label"]
    _require(items, item, label, where)
    work.setdefault(name, Work()).label(item, SKIPPED if label is None else label)


def _require(items: Items, item: object, label: object, where: str) -> None:
    """Refuse what is no item, or none of the labels."""
    if item not in items.by_id:
        raise SourceError(
            f"{where}: there is no such item",
            got=str(item)[:40],
            allowed=f"an item of {items.name}",
        )
    if label is not None and label not in items.labels:
        raise unknown_label(items, {where: str(label)[:40]})
