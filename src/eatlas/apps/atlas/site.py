"""The files of an atlas: one page without a server or a network, and its data."""

from __future__ import annotations

import json
import re
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from markupsafe import Markup

from eatlas.apps.atlas.collecting import (
    FIRST_DIGITS,
    Cell,
    Collection,
    Model,
    Test,
    results_files,
)
from eatlas.errors import ResultsError, joined
from eatlas.paths import is_file, is_folder, is_there
from eatlas.present.drawings.eat_map import (
    NEITHER,
    UNDEFINED,
    legend,
    small_map,
    symbols,
)
from eatlas.present.numbers import number_of
from eatlas.present.rendering import TEMPLATES, render
from eatlas.present.sentences import wording
from eatlas.present.tables import csv_line
from eatlas.results.compare import told_apart
from eatlas.writing import atomic_files, require_other_file

INDEX, LINES, TABLE = "index.html", "results.jsonl", "results.csv"
"""The page, and its data as the results files had them and as a flat table."""
GENERATOR = b'<meta name="generator" content="eatlas atlas">'
HEAD = 4096
"""Bytes of a page in which the head says whose it is."""
TITLE = "Atlas of associations"
MOST_FAMILIES = 40
"""Families of models or tests that a filter offers."""
_VARIABLE = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
_STATES = ("A", "B", NEITHER, UNDEFINED)


@dataclass(frozen=True)
class Atlas:
    """What a site shows.

    Parameters
    ----------
    folder : Path
        Of the site; its page is ``index.html``.
    models, tests, results : int
        Rows, columns and cells of its matrices.
    notes : tuple of str
        What a reader of the matrix should know about how it was put together.
    """

    folder: Path
    models: int
    tests: int
    results: int
    notes: tuple[str, ...]

    @property
    def page(self) -> Path:
        """The page to open."""
        return self.folder / INDEX


def write_atlas(
    results: str | Path | Iterable[str | Path], folder: str | Path, *, title: str = TITLE
) -> Atlas:
    """Turn results files into a static site: a matrix of models by tests.

    The site is a folder of three files: ``index.html``, which shows every result as a cell with
    its EAT-Map, a link of its own and its details, and compares two models; ``results.jsonl``
    and ``results.csv`` with the data. It needs no server and loads nothing.

    Parameters
    ----------
    results : path, or iterable of paths
        Results files, or folders; of a folder, every ``results.jsonl`` in it and below.
    folder : path
        Where the site goes. A site that is there already is replaced; other results are not.
    title : str
        Heading of the page.

    Returns
    -------
    Atlas

    Raises
    ------
    ResultsError
        If a line of a file is no result, there is no result at all, `folder` holds another page
        or other results, or a file cannot be written. Nothing is written then.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     eatlas.run(tests="caliskan").write(f"{folder}/results.jsonl")
    ...     site = write_atlas(folder, f"{folder}/site")
    ...     site.models, site.tests, site.page.name
    (1, 10, 'index.html')
    """
    given = [results] if isinstance(results, str | Path) else list(results)
    files, site = results_files(given), Path(folder)
    for name in (INDEX, LINES, TABLE):
        require_other_file(site / name, files)
    _require_own(site)
    found = Collection()
    with atomic_files() as new:
        page, table, lines = new(site / INDEX), new(site / TABLE), new(site / LINES, binary=True)
        with tempfile.TemporaryFile("w+", encoding="utf-8", dir=site) as rows:
            found.read(files, lines, rows)
            if not found.cells:
                raise ResultsError(
                    "there are no results to show",
                    got=", ".join(map(str, files[:5])),
                    allowed="files with at least one result of eatlas run",
                )
            _write_table(found, rows, table)
        notes = _notes(found)
        lines.seek(0)
        page.write(_page(found, title, notes, _sha256(lines)))
    return Atlas(site, len(found.models), len(found.tests), len(found.cells), tuple(notes))


def _require_own(site: Path) -> None:
    """Refuse to write over a page that is no atlas, and over results that are not its own."""
    if is_there(site) and not is_folder(site):
        raise ResultsError(f"{site}: a site is a folder, and this is a file")
    page, lines, head = site / INDEX, site / LINES, b""
    if is_there(page):
        with page.open("rb") as file:
            head = file.read(HEAD)
        if GENERATOR not in head:
            raise ResultsError(
                f"{page}: another page is here, which no eatlas atlas wrote",
                remedy="choose another folder with --out",
            )
    if head and is_file(lines):
        with lines.open("rb") as file:
            if _sha256(file).encode() in head:
                return
    if others := [name for name in (LINES, TABLE) if is_there(site / name)]:
        raise ResultsError(
            f"{site}: results are here that no eatlas atlas wrote; they would be lost",
            got=joined(others),
            remedy="choose another folder with --out, or move them away",
        )


def _sha256(file: Any) -> str:
    return file_digest(file, "sha256").hexdigest()


def _write_table(found: Collection, rows: IO[str], table: IO[str]) -> None:
    """Write the flat rows of all results under the names of all columns."""
    rows.seek(0)
    table.write(csv_line(found.columns))
    for line in rows:
        row = json.loads(line)
        table.write(csv_line(row.get(name) for name in found.columns))


def _notes(found: Collection) -> list[str]:
    """How the matrix came about, where that is not plain."""
    notes = []
    if len(found.versions) > 1:
        notes.append(
            f"The results were measured by several versions of eatlas: {', '.join(found.versions)}."
        )
    if found.repeated:
        notes.append(f"{_times(found.repeated, 'result')} came more than once, and is shown once.")
    if found.replaced:
        notes.append(
            f"{_times(found.replaced, 'result')} has another of the same vectors, stimuli and "
            "measure. The one of the newest version of eatlas is shown, of several the last that "
            "was read. The data hold all of them."
        )
    if found.trends:
        notes.append(
            f"{number_of(found.trends, 'trend')} over time: in the data, and in eatlas report."
        )
    return notes


def _times(n: int, thing: str) -> str:
    """How many, as the subject of a singular verb."""
    return f"1 {thing}" if n == 1 else f"Each of {n:,} {thing}s"


@dataclass(frozen=True)
class Row:
    """One model with its cells in the order of the columns."""

    model: Model
    name: str
    beside: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Matrix:
    """Models by tests, of one measure."""

    signature: str
    measure: str
    number: int
    tests: Sequence[Test]
    rows: Sequence[Row]
    effects: tuple[str, ...]

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells that hold a result."""
        return [cell for row in self.rows for cell in row.cells if cell is not None]

    @property
    def with_maps(self) -> bool:
        """Whether any cell has an EAT pattern."""
        return any(cell.state for cell in self.cells)

    @property
    def labels(self) -> list[str]:
        """The patterns that are found, the most frequent first."""
        found = Counter(cell.label for cell in self.cells if cell.label)
        return [label for label, _ in found.most_common()]


def _matrices(found: Collection) -> list[Matrix]:
    """One matrix for each signature, the one with most results first."""
    names = _names_of(found.models.values())
    by_signature: dict[str, dict[tuple[str, str], Cell]] = {}
    for cell in found.cells.values():
        by_signature.setdefault(cell.signature, {})[cell.model, cell.test] = cell
    ordered = sorted(by_signature.items(), key=lambda pair: -len(pair[1]))
    matrices = []
    for number, (signature, cells) in enumerate(ordered):
        rows, columns = ({key[side] for key in cells} for side in (0, 1))
        tests = [test for test in found.tests.values() if test.id in columns]
        matrices.append(
            Matrix(
                signature=signature,
                measure=found.measures[signature],
                number=number,
                tests=tests,
                rows=[
                    Row(model, *names[model.id], [cells.get((model.id, t.id)) for t in tests])
                    for model in found.models.values()
                    if model.id in rows
                ],
                effects=found.effects[signature],
            )
        )
    return matrices


def _names_of(models: Iterable[Model]) -> dict[str, tuple[str, str]]:
    """The name of each model, and beside it what tells it from others of this name."""
    known = list(models)
    values: dict[tuple[str, str], set[str]] = {}
    for model in known:
        for key, value in model.choices:
            values.setdefault((model.name, key), set()).add(value)
    count = Counter(model.name for model in known)
    choices = [
        ", ".join(
            f"{key} {value}"
            for key, value in model.choices
            if count[model.name] > 1 and len(values[model.name, key]) > 1
        )
        for model in known
    ]
    marks = [f"fingerprint {_first(model.fingerprint)}" for model in known]
    together = [f"{m.name}\0{choice}" for m, choice in zip(known, choices, strict=True)]
    added = [f"{', ' if choice else ''}{mark}" for choice, mark in zip(choices, marks, strict=True)]
    told = told_apart(together, added)
    return {m.id: (m.name, one.partition("\0")[2]) for m, one in zip(known, told, strict=True)}


def _test_marks(tests: Iterable[Test]) -> dict[str, str]:
    """What tells tests of one id apart: how the hash of their stimuli and references begins."""
    known = list(tests)
    count = Counter(test.name for test in known)
    return {
        test.id: f"variant {_first(test.fingerprint)}" if count[test.name] > 1 else ""
        for test in known
    }


def _first(fingerprint: str) -> str:
    return fingerprint.rpartition(":")[2][:FIRST_DIGITS]


def _families(names: Iterable[str]) -> list[str]:
    """Families for a filter; none where there is one, or where each has one member."""
    given = list(names)
    found = sorted(set(given))
    return found if 1 < len(found) <= MOST_FAMILIES and len(found) < len(given) else []


def _page(found: Collection, title: str, notes: Sequence[str], lines_hash: str) -> str:
    """The atlas as one HTML page, with its styles and script inside."""
    matrices = _matrices(found)
    labels = [cell.label for cell in found.cells.values() if cell.label]
    css, drawings, more, dark, theme, script = (
        (TEMPLATES / name).read_text(encoding="utf-8")
        for name in ("report.css", "drawings.css", "atlas.css", "dark.css", "theme.js", "atlas.js")
    )
    code = theme + script
    digest = b64encode(sha256(code.encode()).digest()).decode()
    night = dict(_VARIABLE.findall(dark))
    return render(
        "atlas",
        title=title,
        notes=notes,
        matrices=matrices,
        models=found.models,
        tests=found.tests,
        test_marks=_test_marks(found.tests.values()),
        row_names=_names_of(found.models.values()),
        model_families=_families(model.family for model in found.models.values()),
        test_families=_families(test.family for test in found.tests.values()),
        results=len(found.cells),
        versions=list(found.versions),
        stars=list(found.stars),
        words=wording(found.samples.values()),
        directional=found.directional,
        legend=[one for one in legend(labels) if one.found],
        symbols=symbols(),
        packs=found.packs,
        lines=LINES,
        lines_hash=lines_hash,
        table=TABLE,
        css=Markup(drawings + css + more),  # noqa: S704  (our own files, as the next)
        maps=Markup(_images({})),  # noqa: S704
        dark=Markup(dark + _images(night)),  # noqa: S704
        script=Markup(code),  # noqa: S704
        script_hash=f"sha256-{digest}",
    )


def _images(colours: dict[str, str]) -> str:
    """The small maps as variables of the style: one picture each, however many cells show it."""
    return "".join(
        f'--map-{x}{y}: url("data:image/svg+xml,{quote(small_map(x, y, colours), safe=_SAFE)}");'
        for x in _STATES
        for y in _STATES
    )


_SAFE = " =:/,;'()"
"""Letters that a data address in a style may hold as they are."""
