"""Contexts that people label, drawn from a file of contexts, and tables that they filled in."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.corpora import Context, Contexts, load_contexts
from eatlas.csv_cells import marked, unmarked
from eatlas.decoding import decoded, json_value, require_file
from eatlas.errors import EatlasError, SourceError, StimulusError, nearest, require_whole
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import OF_TARGETS, TestsLike
from eatlas.version import __version__
from eatlas.writing import atomic_files

DELIMITERS = ",;\t"
"""Spreadsheets write the second where the comma is a decimal sign."""
SCHEMA = "eatlas/items/1"
NONE = "none"
"""The label of a context in which the target is associated with none of the groups."""
COLUMNS = ("item", "label", "target", "text", "start", "end")
WRITTEN = "eatlas annotate sample"
OTHER_NAME = "choose another name, or remove that file"

Given = Mapping[str, Mapping[str, str]]
"""Labels by annotator, then by item."""
Row = tuple[str, str, str, str]
"""Where a label is written, annotator or "", item, label."""


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
    text = decoded(data, str(path), SourceError)
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
    """Refuse to write over what people filled in; over any other table only where that is said."""
    if not path.exists():
        return
    try:
        filled = sum(1 for _ in label_rows(path))
    except SourceError as error:
        if any_table:
            return
        raise EatlasError(
            f"{path}: this file exists, and is not a table without labels",
            got=error.what,
            remedy=OTHER_NAME,
        ) from error
    if filled:
        raise EatlasError(
            f"{path}: people filled in labels there", got=f"{filled:,} labels", remedy=OTHER_NAME
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
    """The labels, beside "none"."""
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
        """What a person may choose: the groups, then "none"."""
        return (*self.groups, NONE)

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
        """Write a CSV file whose column ``label`` people fill in, and FILE.json beside it.

        Raises
        ------
        EatlasError
            If its name does not end in .csv, it cannot be written, or people filled in labels
            there.
        """
        path = Path(path)
        if path.suffix.lower() != ".csv":
            raise EatlasError(
                f"{path}: items are written as CSV",
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
                table.writerow([item.id, "", marked(item.target), marked(item.text), *item[3:]])
            new(beside(path)).write(json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def beside(path: Path) -> Path:
    """The file with groups and provenance beside a table of items."""
    return path.with_name(f"{path.name}.json")


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
    >>> from eatlas.corpora import Context
    >>> texts = ["The nurse said she was late.", "A nurse came in."]
    >>> contexts = Contexts.of([Context("nurse", text, text.index("nurse"), text.index("nurse") + 5)
    ...     for text in texts])
    >>> items = sample_items(contexts, "divdist-face-validity", per_target=1)
    >>> items.labels, items.targets
    (('Female', 'Male', 'none'), {'nurse': 1})
    """
    require_whole("per_target", per_target, 1)
    require_whole("seed", seed, 0)
    tests = load_tests(test)
    groups_test = tests[0]
    if len(tests) != 1 or not isinstance(groups_test, GroupsTest):
        raise StimulusError(
            "contexts are labelled with the groups of one test",
            got=", ".join(f"{test.id} ({test.kind})" for test in tests[:5]),
            allowed="one test of targets and groups, such as divdist-gender",
        )
    groups = tuple(group.name for group in groups_test.groups)
    if len({*map(str.casefold, groups), NONE}) <= len(groups):
        raise StimulusError(
            f"test {groups_test.id}: its groups cannot be labels",
            got=", ".join(groups),
            allowed=f"different names, none of them {NONE!r}",
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
        The CSV file; FILE.json lies beside it.

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
        item = Item.of(Context(unmarked(cells["target"]), unmarked(cells["text"]), *span))
        if item.id != cells["item"].strip():
            changed = changed or f"{line}: {item.text!r}"[:200]
        rows.append(item)
    try:
        about = dict(json_value(read_file(beside(path), "groups of the items")))
        if about["schema"] != SCHEMA:
            raise ValueError(f"schema {about['schema']}")
        groups = tuple(map(str, about.pop("groups")))
    except (SourceError, ValueError, TypeError, KeyError) as error:
        raise SourceError(
            f"{beside(path)}: the groups of the items cannot be read",
            got=getattr(error, "got", None) or str(error)[:200],
            allowed=f"the file that {WRITTEN} wrote beside the items",
            remedy="keep both files in one folder",
        ) from error
    items = Items(tuple(rows), groups, about, path.name)
    if items.sha256 != about.get("sha256"):
        raise SourceError(
            f"{path}: its items are not those that were sampled",
            got=changed or f"{len(items):,} items, {len(items.by_id):,} of them different",
            allowed=f"the {about.get('items')} items that {beside(path).name} counts",
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
        if label is None:
            odd[line] = text[:40]
        elif (before := given.setdefault(annotator, {}).setdefault(item, label)) != label:
            raise SourceError(
                f"{line}: {annotator} gave the item {item} two labels",
                got=f"{before} and {label}",
                remedy="give each person one label of an item, and each file of a person a "
                "name of its own",
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
