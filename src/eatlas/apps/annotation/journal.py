"""What annotators do on the page, line by line in a file: safe against crashes, and resumed.

The first line says whose labels they are. Each line after it is one act of one person: a label, a
context that was skipped, or the last act undone. A line is on the disk before the page shows the
next context; one that a crash left unfinished is dropped.
"""

from __future__ import annotations

import json
import os
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from eatlas.apps.annotation.items import Items, unknown_label
from eatlas.decoding import require_file
from eatlas.errors import EatlasError, SourceError
from eatlas.notes import Note, warn
from eatlas.paths import stamp_of
from eatlas.writing import atomic_file, require_writable

SCHEMA = "eatlas/labels/1"
ENDING = ".labels.jsonl"
SKIPPED = ""
"""Stands where a person passed over a context."""
LONGEST_NAME = 60


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


class Act(BaseModel):
    """A line of the file: what one person did."""

    model_config = ConfigDict(strict=True)

    annotator: str
    item: str = ""
    label: str | None = None
    """None where the person passed the item over."""
    undo: bool = False


@dataclass
class Work:
    """What one person has done."""

    labels: dict[str, str] = field(default_factory=dict)
    """By item; "" for one that was passed over."""
    acts: list[tuple[str, str | None]] = field(default_factory=list)
    """Items in the order in which they were labelled, and what they had before."""

    def do(self, act: Act) -> str | None:
        """Label, pass over, or take back the last act; the item, None if there is no act."""
        if not act.undo:
            self.acts.append((act.item, self.labels.get(act.item)))
            self.labels[act.item] = SKIPPED if act.label is None else act.label
            return act.item
        if not self.acts:
            return None
        item, before = self.acts.pop()
        del self.labels[item]
        if before is not None:
            self.labels[item] = before
        return item

    @property
    def given(self) -> dict[str, str]:
        """Labels of items that were not passed over."""
        return {item: label for item, label in self.labels.items() if label != SKIPPED}

    @property
    def done(self) -> int:
        """Items with a label."""
        return len(self.given)


class Journal:
    """The labels of a page, open for more; a context manager.

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
            self.work, self._lines = replay(path, items) if path.exists() else ({}, b"")
            self._stamp = stamp_of(path)
            if not self._lines:
                self._write({"schema": SCHEMA, "test": items.test, "items_sha256": items.sha256})
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others open the file."""
        try:
            if self._lock.is_locked and stamp_of(self.path) != self._stamp:
                self._write()
        finally:
            with suppress(OSError):  # while it is locked, so that two never hold it
                Path(self._lock.lock_file).unlink()
            self._lock.release()

    def of(self, annotator: str) -> Work:
        """What one person has done."""
        return self.work.get(name_of(annotator), Work())

    @property
    def done(self) -> dict[str, int]:
        """Items that each person has labelled."""
        return {name: work.done for name, work in sorted(self.work.items())}

    @property
    def given(self) -> dict[str, dict[str, str]]:
        """Labels by annotator and item, of those who have given some."""
        return {name: work.given for name, work in self.work.items() if work.given}

    def label(self, annotator: str, item: str, label: str | None) -> None:
        """Write the label of an item; None where the person passes over it."""
        act = Act(annotator=name_of(annotator), item=item, label=label)
        _require(self.items, act, str(self.path))
        self._write(act.model_dump(exclude={"undo"}))
        self.work.setdefault(act.annotator, Work()).do(act)

    def undo(self, annotator: str) -> str | None:
        """Take back the last act of a person; its item, None if there is none."""
        if not self.of(annotator).acts:
            return None
        act = Act(annotator=name_of(annotator), undo=True)
        self._write({"annotator": act.annotator, "undo": True})
        return self.work[act.annotator].do(act)

    def _write(self, values: dict[str, Any] | None = None) -> None:
        """Put a line onto the disk; the whole file is replaced, or stays as it was."""
        lines, path = self._lines, self.path
        if values is not None:
            time = datetime.now(UTC).isoformat(timespec="seconds")
            lines += (json.dumps({**values, "time": time}, ensure_ascii=False) + "\n").encode()
        moved = stamp_of(path) != self._stamp
        if moved and path.exists():
            names = (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2))
            path = next(name for name in names if not name.exists())
        try:
            with atomic_file(path.resolve(), binary=True) as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except EatlasError as error:
            raise EatlasError(f"{path}: the label was not saved", got=error.got) from error
        if moved:
            warn(Note("run.labels-moved", values={"before": str(self.path), "file": str(path)}))
        self._lines, self.path, self._stamp = lines, path, stamp_of(path)


def replay(path: Path, items: Items) -> tuple[dict[str, Work], bytes]:
    """What every annotator has done, and the whole lines of the file."""
    require_file(path, SourceError)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{path}: the labels cannot be read", got=error.strerror or str(error)
        ) from error
    whole = data[: data.rfind(b"\n") + 1]
    work: dict[str, Work] = {}
    for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
        source = f"{path}, line {number}"
        try:
            if number == 1:
                _require_same(json.loads(line), items, path)
                continue
            act = Act.model_validate_json(line)
        except (ValidationError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise SourceError(
                f"{source}: this is not an act of an annotator",
                got=line[:100].decode(errors="replace"),
                allowed="lines that eatlas annotate serve wrote",
                remedy="remove the line, or take the file from a backup",
            ) from error
        if not act.undo:
            _require(items, act, source)
        work.setdefault(act.annotator, Work()).do(act)
    return work, whole


def _require_same(head: dict[str, Any], items: Items, path: Path) -> None:
    if head["schema"] != SCHEMA:
        raise ValueError("another schema")
    if head["items_sha256"] != items.sha256:
        raise SourceError(
            f"{path}: these are labels of other items",
            got=f"test {head.get('test')}, items {str(head['items_sha256'])[:12]}",
            allowed=f"those of {items.name}: test {items.test}, items {items.sha256[:12]}",
            remedy="name the file of items that they were made for, or another file of labels",
        )


def _require(items: Items, act: Act, source: str) -> None:
    """Refuse what is no item, or none of the labels."""
    if act.item not in items.by_id:
        raise SourceError(
            f"{source}: there is no such item",
            got=act.item[:40],
            allowed=f"an item of {items.name}",
        )
    if act.label is not None and act.label not in items.labels:
        raise unknown_label(items, {source: act.label[:40]})
