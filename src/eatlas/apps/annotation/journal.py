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
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from eatlas.apps.annotation.items import NONE, Items, read_file, usable_labels
from eatlas.decoding import json_value
from eatlas.errors import EatlasError, SourceError
from eatlas.notes import Note, warn
from eatlas.paths import stamp_of
from eatlas.writing import atomic_file, require_writable

SCHEMA = "eatlas/labels/1"
ENDING = ".labels.jsonl"
SKIPPED = ""
"""Stands where a person passed over a context."""
LONGEST_NAME = 60

Acts = dict[str, list[tuple[str, str]]]
"""Of each person, the items in the order in which they were labelled, and the labels."""


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


def given_in(acts: Acts) -> dict[str, dict[str, str]]:
    """Labels by annotator and item, of those who have given some."""
    given = {
        name: {item: label for item, label in dict(done).items() if label != SKIPPED}
        for name, done in acts.items()
    }
    return {name: labels for name, labels in given.items() if labels}


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
            self.acts, self._lines = replay(path, items) if path.exists() else ({}, b"")
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

    def labels_of(self, name: str) -> dict[str, str]:
        """Labels of one person by item; "" for one that was passed over."""
        return dict(self.acts.get(name, ()))

    @property
    def done(self) -> dict[str, int]:
        """Items that each person has labelled."""
        given = given_in(self.acts)
        return {name: len(given.get(name, ())) for name in sorted(self.acts)}

    def label(self, name: str, item: str, label: str | None) -> None:
        """Write the label of an item; None where the person passes over it."""
        act = item, _label(self.items, str(self.path), item, label)
        self._write({"annotator": name, "item": item, "label": label})
        self.acts.setdefault(name, []).append(act)

    def undo(self, name: str) -> str | None:
        """Take back the last act of a person; its item, None if there is none."""
        if not self.acts.get(name):
            return None
        self._write({"annotator": name, "undo": True})
        return self.acts[name].pop()[0]

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


def replay(path: Path, items: Items) -> tuple[Acts, bytes]:
    """What every annotator has done, and the whole lines of the file."""
    data = read_file(path, "labels")
    whole = data[: data.rfind(b"\n") + 1]
    acts: Acts = {}
    for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
        source = f"{path}, line {number}"
        try:
            act = json_value(line)
            if number == 1:
                _require_same(act, items, path)
                continue
            done = acts.setdefault(name_of(act["annotator"]), [])
            if act.get("undo"):
                done.pop()
            else:
                done.append((act["item"], _label(items, source, act["item"], act["label"])))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise SourceError(
                f"{source}: this is not an act of an annotator",
                got=line[:100].decode(errors="replace"),
                allowed="lines that eatlas annotate serve wrote",
                remedy="remove the line, or take the file from a backup",
            ) from error
    return acts, whole


def _label(items: Items, source: str, item: str, label: str | None) -> str:
    """A label as the groups are written; refused are other items and other labels."""
    label_or_any = NONE if label is None else label
    usable = usable_labels(items, iter([(source, "the page", item, label_or_any)]))
    return SKIPPED if label is None else usable["the page"][item]


def _require_same(head: dict[str, Any], items: Items, path: Path) -> None:
    """Refuse the labels of other items."""
    if head["schema"] != SCHEMA:
        raise ValueError("another schema")
    if head["items_sha256"] != items.sha256:
        raise SourceError(
            f"{path}: these are labels of other items",
            got=f"test {head.get('test')}, items {str(head['items_sha256'])[:12]}",
            allowed=f"those of {items.name}: test {items.test}, items {items.sha256[:12]}",
            remedy="name the file of items that they were made for, or another file of labels",
        )
