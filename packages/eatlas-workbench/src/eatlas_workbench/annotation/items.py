"""Contexts that people label, tables that they filled in, and the journal of a page.

A journal holds what annotators do, line by line: it is safe against crashes, and resumed. The
first line says whose labels they are. Each line after it is one act of one person: a label, a
context that was skipped, or the last act undone. A line is on the disk before the page shows the
next context; one that a crash left unfinished is dropped.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

from filelock import FileLock, Timeout

from eatlas.csv_cells import escape_cell, unescape_cell
from eatlas.decoding import decode_utf8, json_value, require_file
from eatlas.errors import EatlasError, SourceError, StimulusError, nearest, require_whole
from eatlas.notes import Note, warn
from eatlas.paths import stamp_of
from eatlas.sources.outputs import sidecar_path
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import OF_TARGETS, TestsLike
from eatlas.version import __version__
from eatlas.writing import atomic_file, atomic_files, remove_leftovers, require_writable
from eatlas_corpora.reading import Context, Contexts, load_contexts

DELIMITERS = ",;\t"
"""Spreadsheets write the second where the comma is a decimal sign."""
SCHEMA = "eatlas/items/1"
NONE = "none"
"""The label of a context in which the target is associated with none of the groups."""
UNCLEAR = "unclear"
"""The label of a context that cannot be understood: no judgement, and counted apart."""
PAUSE = 300.0
"""Seconds between two acts beyond which a person did something else."""
COLUMNS = ("item", "label", "target", "text", "start", "end")
WRITTEN = "eatlas annotate sample"
OTHER_NAME = "choose another name, or remove that file"

Given = Mapping[str, Mapping[str, str]]
"""Labels by annotator, then by item."""
Row = tuple[str, str, str, str]
"""Where a label is written, annotator or "", item, label."""
JOURNAL = "eatlas/labels/1"
ENDING = ".labels.jsonl"
SKIPPED = ""
"""Stands where a person passed over a context."""
LONGEST_NAME = 60
MOST_ANNOTATORS = 1_000
Acts = dict[str, list[tuple[str, str]]]
"""Of each person, the items in the order in which they were labelled, and the labels."""


def read_file(path: Path, what: str) -> bytes:
    """The content of a file of a user."""
    require_file(path, SourceError)
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: the {what} cannot be read", got=error.strerror) from error


def rows_of(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Cells of a table by column, each row with its line in the file."""
    data = read_file(path, "table")
    if data.startswith(b"PK\x03\x04"):
        raise SourceError(
            f"{path}: this is a workbook of a spreadsheet", remedy="save the sheet as CSV (UTF-8)"
        )
    text = decode_utf8(data, str(path), SourceError)
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        names = [name.strip().casefold() for name in rows.fieldnames or ()]
        if lacking := [name for name in columns if name not in names]:
            raise SourceError(
                f"{path}: the header has no {', '.join(lacking)}",
                got=head.strip()[:200] or "no header",
                allowed=", ".join(columns),
            )
        rows.fieldnames = names
        for cells in rows:
            line = f"{path}, line {rows.line_num}"
            if None in cells:
                raise SourceError(f"{line}: the row has more cells than the header")
            yield line, cells
    except csv.Error as error:
        raise SourceError(f"{path}: the table cannot be read", got=str(error)) from error


def label_rows(path: Path) -> Iterator[Row]:
    """Labels of a table; an empty cell is no label."""
    for line, cells in rows_of(path, ("item", "label")):
        if label := cells["label"].strip():
            yield line, cells.get("annotator", "").strip(), cells["item"].strip(), label


def require_unlabelled(path: Path, *, any_table: bool = False) -> None:
    """Refuse to overwrite labels; overwrite any other table only on request."""
    if not path.exists():
        return
    try:
        filled = sum(1 for _ in label_rows(path))
    except SourceError as error:
        if any_table:
            return
        raise EatlasError(
            f"{path}: this file exists, and is not a table with empty labels",
            got=error.what,
            remedy=OTHER_NAME,
        ) from error
    if filled:
        raise EatlasError(
            f"{path}: this file already contains labels",
            got=f"{filled:,} labels",
            remedy=OTHER_NAME,
        )


class Item(NamedTuple):
    """A context to be labelled."""

    id: str
    """Follows from all else."""
    target: str
    text: str
    start: int
    """Where the target begins: characters of the text."""
    end: int
    """Behind its last character."""

    @classmethod
    def of(cls, context: Context) -> Item:
        """Make an item of a context."""
        content = json.dumps(context, ensure_ascii=False).encode()
        return cls(f"c{hashlib.blake2b(content, digest_size=6).hexdigest()}", *context)


@dataclass(frozen=True, repr=False)
class Items:
    """Contexts to be labelled, and the labels that there may be; of :func:`eatlas.sample_items`."""

    rows: tuple[Item, ...]
    """In random order."""
    groups: tuple[str, ...]
    """The labels, beside "none" and "unclear"."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Test, file of contexts and its hash, seed, contexts of each target, version."""
    name: str = "items"

    def __repr__(self) -> str:
        return f"<Items: {len(self.rows):,} contexts of {len(self.targets):,} targets>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.rows)

    @property
    def labels(self) -> tuple[str, ...]:
        """What a person may choose: the groups, "none", then "unclear"."""
        return (*self.groups, NONE, UNCLEAR)

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """Items by their id."""
        return {item.id: item for item in self.rows}

    @cached_property
    def targets(self) -> dict[str, int]:
        """Contexts of each target that has some."""
        return dict(sorted(Counter(item.target for item in self.rows).items()))

    @property
    def absent(self) -> tuple[str, ...]:
        """Targets of the test without any context."""
        return tuple(self.provenance.get("without_context", ()))

    @property
    def test(self) -> str:
        """Id of the test."""
        return str(self.provenance.get("test", ""))

    @cached_property
    def sha256(self) -> str:
        """Hash of the items and the groups, whatever their order."""
        content = json.dumps([sorted(self.by_id), sorted(self.groups)], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    def order_of(self, annotator: str) -> list[str]:
        """Ids in the order in which one person sees them, which follows from name and seed."""
        seed = self.provenance.get("seed", 0)
        return sorted(self.by_id, key=lambda item: _key(seed, "order", annotator, item))

    def write(self, path: str | Path) -> None:
        """Write a CSV file whose column ``label`` people fill in, and FILE.json next to it.

        Raises
        ------
        EatlasError
            If its name does not end in .csv, the file cannot be written, or it already contains
            labels.
        """
        path = Path(path)
        if path.suffix.lower() != ".csv":
            raise EatlasError(
                f"{path}: items can only be written as CSV",
                got=path.suffix or "a name without ending",
                allowed="a name that ends in .csv",
            )
        require_unlabelled(path)
        about = {**self.provenance, "schema": SCHEMA, "groups": list(self.groups),
                 "items": len(self), "sha256": self.sha256}  # fmt: skip
        with atomic_files() as new:
            table = csv.writer(new(path), lineterminator="\n")
            table.writerow(COLUMNS)
            for item in self.rows:
                table.writerow(
                    [item.id, "", escape_cell(item.target), escape_cell(item.text), *item[3:]]
                )
            new(sidecar_path(path)).write(json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def sample_items(
    contexts: Contexts | str | Path, test: TestsLike, *, per_target: int = 20, seed: int = 0
) -> Items:
    """Sample contexts of the targets of a test of groups, for people to label.

    Parameters
    ----------
    contexts : Contexts, str or path
        What :func:`eatlas.find_contexts` returned, or a file of it.
    test : anything that :func:`eatlas.load_tests` takes
        One test of targets and groups; the groups are the labels.
    per_target : int, default 20
        Most contexts of each target.
    seed : int, default 0
        Of the sample, and of the order in which each person sees it. The first n items of a target
        are the sample of size n, in whatever order the file has its contexts.

    Returns
    -------
    Items

    Raises
    ------
    StimulusError
        If the test is of another kind, or none of its targets has a context.
    EatlasError
        If a number is below its least value, or the file cannot be read.

    Examples
    --------
    >>> from eatlas_corpora.reading import Context
    >>> texts = ["The nurse said she was late.", "A nurse came in."]
    >>> contexts = Contexts.of([Context("nurse", text, text.index("nurse"), text.index("nurse") + 5)
    ...     for text in texts])
    >>> items = sample_items(contexts, "divdist-face-validity", per_target=1)
    >>> items.labels, items.targets
    (('Female', 'Male', 'none', 'unclear'), {'nurse': 1})
    """
    require_whole("per_target", per_target, 1)
    require_whole("seed", seed, 0)
    tests = load_tests(test)
    groups_test = tests[0]
    if len(tests) != 1 or not isinstance(groups_test, GroupsTest):
        raise StimulusError(
            "labels need the groups of one test",
            got=", ".join(f"{test.id} ({test.kind})" for test in tests[:5]),
            allowed="one test of targets and groups, such as divdist-gender",
        )
    groups = tuple(group.name for group in groups_test.groups)
    if len({*map(str.casefold, groups), NONE, UNCLEAR}) <= len(groups) + 1:
        raise StimulusError(
            f"test {groups_test.id}: its groups cannot be used as labels",
            got=", ".join(groups),
            allowed=f"different names, none of them {NONE!r} or {UNCLEAR!r}",
        )
    if isinstance(contexts, str | Path):
        contexts = load_contexts(contexts)
    chosen: list[Item] = []
    without: list[str] = []
    for target in groups_test.concept(OF_TARGETS).terms:
        first: dict[str, Context] = {}  # a text that holds its target twice is an item once
        for context in contexts.of_stimulus(target):
            first[context.text] = min(first.get(context.text, context), context)
        items = sorted(map(Item.of, first.values()), key=lambda item: _key(seed, "sample", item.id))
        chosen += items[:per_target]
        if not items:
            without.append(target)
    if not chosen:
        sought = contexts.provenance.get("tests")
        raise StimulusError(
            f"test {groups_test.id}: no target has a context",
            got=f"none of {len(without)} targets occurs in {contexts.name or 'the contexts'}"
            + (f", which was made for {', '.join(sought)}" if sought else ""),
            allowed="contexts of at least one target",
            remedy=f"eatlas contexts CORPUS --tests {groups_test.id}",
        )
    return Items(
        rows=tuple(sorted(chosen, key=lambda item: _key(seed, "sheet", item.id))),
        groups=groups,
        provenance={
            "test": groups_test.id,
            "contexts": contexts.name,
            "contexts_sha256": contexts.sha256,
            "per_target": per_target,
            "seed": seed,
            "without_context": without,
            "version": __version__,
        },
    )


def load_items(path: str | Path) -> Items:
    """Load items that :meth:`Items.write` or ``eatlas annotate sample`` wrote.

    Labels in the file are left for :func:`eatlas.read_labels`.

    Parameters
    ----------
    path : str or path
        The CSV file; FILE.json must be in the same folder.

    Raises
    ------
    SourceError
        If a file is missing or damaged, or items were changed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> contexts = Contexts.of([Context("nurse", "The nurse said she was late.", 4, 9)])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "items.csv")
    ...     sample_items(contexts, "divdist-face-validity").write(path)
    ...     items = load_items(path)
    >>> items
    <Items: 1 contexts of 1 targets>
    """
    path = Path(path)
    rows, changed = [], ""
    for line, cells in rows_of(path, COLUMNS):
        span = (int(cells[name]) if cells[name].isdecimal() else -1 for name in ("start", "end"))
        item = Item.of(Context(unescape_cell(cells["target"]), unescape_cell(cells["text"]), *span))
        if item.id != cells["item"].strip():
            changed = changed or f"{line}: {item.text!r}"[:200]
        rows.append(item)
    try:
        about = dict(json_value(read_file(sidecar_path(path), "groups of the items")))
        if about["schema"] != SCHEMA:
            raise ValueError(f"schema {about['schema']}")
        groups = tuple(map(str, about.pop("groups")))
    except (SourceError, ValueError, TypeError, KeyError) as error:
        raise SourceError(
            f"{sidecar_path(path)}: the groups of the items cannot be read",
            got=getattr(error, "got", None) or str(error)[:200],
            allowed=f"the file that {WRITTEN} wrote next to the items",
            remedy="keep both files in one folder",
        ) from error
    items = Items(tuple(rows), groups, about, path.name)
    if items.sha256 != about.get("sha256"):
        raise SourceError(
            f"{path}: its items differ from the sampled items",
            got=changed or f"{len(items):,} items, {len(items.by_id):,} of them different",
            allowed=f"the {about.get('items')} items that {sidecar_path(path).name} counts",
            remedy=f"make the file again with {WRITTEN} and the same seed; labels of a changed "
            "file can still be read, by their item",
        )
    return items


def usable_labels(items: Items, rows: Iterator[Row]) -> dict[str, dict[str, str]]:
    """Labels by annotator and item, as the groups are written; each line of a mistake is named."""
    labels = {label.casefold(): label for label in items.labels}
    given: dict[str, dict[str, str]] = {}
    odd: dict[str, str] = {}
    for line, annotator, item, text in rows:
        if item not in items.by_id:
            raise SourceError(
                f"{line}: there is no such item",
                got=repr(item)[:60],
                allowed=f"an item of {items.name}",
                remedy="name the file of items that the labels were made for",
            )
        label = labels.get(text.strip().casefold())
        if annotator not in given and len(given) == MOST_ANNOTATORS:
            raise SourceError(f"{line}: too many annotators", allowed=f"up to {MOST_ANNOTATORS:,}")
        if label is None:
            odd[line] = text[:40]
        elif (before := given.setdefault(annotator, {}).setdefault(item, label)) != label:
            raise SourceError(
                f"{line}: {annotator} gave the item {item} two labels",
                got=f"{before} and {label}",
                remedy="keep one label per person and item, and one file per person",
            )
    if odd:
        lines = [f"{line}: {text!r}" for line, text in odd.items()]
        near = nearest(next(iter(odd.values())), items.labels)
        raise SourceError(
            f"{len(lines):,} labels are not groups of {items.test or 'the test'}",
            got="; ".join(lines[:5]) + (f" and {len(lines) - 5:,} more" if lines[5:] else ""),
            allowed=f"{', '.join(items.labels)}, or an empty cell",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    return given


def _key(*parts: object) -> bytes:
    """A number that looks random and follows from its parts."""
    return hashlib.blake2b(json.dumps(parts, ensure_ascii=False).encode(), digest_size=16).digest()


def journal_of(items: Path) -> Path:
    """The file of the labels of a file of items."""
    return items.with_name(items.stem + ENDING)


def name_of(text: str) -> str:
    """The name of an annotator, without blanks around it."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise EatlasError(
            "this is not a valid name of an annotator",
            got=repr(text[: LONGEST_NAME + 1]),
            allowed=f"1 to {LONGEST_NAME} printable characters",
        )
    return name


def labels_by_annotator(acts: Acts) -> dict[str, dict[str, str]]:
    """Labels by annotator and item, of those who have given some."""
    given = {
        name: {item: label for item, label in dict(done).items() if label != SKIPPED}
        for name, done in acts.items()
    }
    return {name: labels for name, labels in given.items() if labels}


class LabelJournal:
    """The labels of a page, open for more; a context manager.

    Where another program removes, replaces or changes the file, all that it held is written again
    before the next label counts as saved: under its name, or, if a new file has that name, as
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
                f"{path}: another eatlas annotate serve is using this file",
                remedy="use the open page, which several people can share; or end that process",
            ) from error
        try:
            remove_leftovers(real)
            self.acts, self._lines = replay(path, items) if path.exists() else ({}, b"")
            self._stamp = stamp_of(path)
            if not self._lines:
                self._write({"schema": JOURNAL, "test": items.test, "items_sha256": items.sha256})
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
        given = labels_by_annotator(self.acts)
        return {name: len(given.get(name, ())) for name in sorted(self.acts)}

    def seconds(self, name: str) -> list[float]:
        """From each act of a person to the next, without pauses."""
        acts = map(json_value, self._lines.splitlines()[1:])
        times = [_time_of(act) for act in acts if act.get("annotator") == name]
        gaps = (after - before for before, after in pairwise(times))
        return [gap for gap in gaps if 0 <= gap <= PAUSE]

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
            _time_of(act)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise SourceError(
                f"{source}: not a record of an annotation",
                got=line[:100].decode(errors="replace"),
                allowed="lines that eatlas annotate serve wrote",
                remedy="remove the line, or restore the file from a backup",
            ) from error
    return acts, whole


def _time_of(act: Mapping[str, Any]) -> float:
    """When something was done, in seconds."""
    return datetime.fromisoformat(act["time"]).timestamp()


def _label(items: Items, source: str, item: str, label: str | None) -> str:
    """A label as the groups are written; refused are other items and other labels."""
    label_or_any = NONE if label is None else label
    usable = usable_labels(items, iter([(source, "the page", item, label_or_any)]))
    return SKIPPED if label is None else usable["the page"][item]


def _require_same(head: dict[str, Any], items: Items, path: Path) -> None:
    """Refuse the labels of other items."""
    if head["schema"] != JOURNAL:
        raise ValueError("another schema")
    if head["items_sha256"] != items.sha256:
        raise SourceError(
            f"{path}: these labels belong to other items",
            got=f"test {head.get('test')}, items {str(head['items_sha256'])[:12]}",
            allowed=f"labels of {items.name}: test {items.test}, items {items.sha256[:12]}",
            remedy="give the file of items that was labelled, or another file of labels",
        )
