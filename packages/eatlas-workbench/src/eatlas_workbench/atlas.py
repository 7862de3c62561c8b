"""An atlas: what its cells show, read from results files one line at a time, and its files.

Files are read twice: first for what findings are counted with, then a record at a time, of which
the few words of its cell and its details, packed, are retained. The page needs no server and no
network.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from eatlas.errors import ResultsError, join_names
from eatlas.numbers import effect, number_of
from eatlas.paths import is_folder, is_there
from eatlas.present.blocks import PACK, deflate, html_of
from eatlas.present.details import PageParts, details_of, evidence_of
from eatlas.present.drawings.eat_map import STATES, small_column, states_of, symbols
from eatlas.present.drawings.svg import Scales
from eatlas.present.effects import concerns_single_terms, levels_of, title_after
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import NAMES, findings_of
from eatlas.present.overview import IN_FULL as MOST_OF_STORE
from eatlas.present.rendering import little_among, page_files, phrase, render
from eatlas.present.sections import Section, source_of
from eatlas.present.sentences import wording
from eatlas.present.tables import csv_line
from eatlas.results.base import AssociationResult, is_result
from eatlas.results.collection import STORE_ENDING, Results
from eatlas.results.compare import comparable_signatures, distinguish_names
from eatlas.results.finding import VERDICTS, Finding, Verdict
from eatlas.results.json_lines import USUAL_NAME, iter_lines, result_hash, to_json_line
from eatlas.results.pooled import PooledResult, pool_groups
from eatlas.results.settings import Settings
from eatlas.writing import atomic_file, atomic_files, require_other_file
from eatlas_workbench.atlas_of_store import page_of_store

if TYPE_CHECKING:
    from eatlas.results.scan import ResultsScan

INDEX, LINES, TABLE = "index.html", "results.jsonl", "results.csv"
"""The page, and its data as the results files had them and as a flat table."""
GENERATOR = b'<meta name="generator" content="eatlas atlas">'
HEAD = 4096
"""Bytes of a page in which the head says whose it is."""
TITLE = "Atlas of associations"
MOST_FAMILIES = 40
"""Families of models or tests that a filter offers."""
HEAVY = ("similarities", "influence", "scores", "diagnosis", "power")
"""Parts of a record that findings of other results do not need."""
IN_FULL = 500
"""Most results whose figures are in the page; with more, cells only have numbers."""
CODES: dict[Verdict | None, int] = {None: 0, "not shown": 1, "these words": 2, "supported": 3}
"""What the page calls verdicts in its data, the strongest last."""
STEP, STEPS = 0.4, 4
"""Effect sizes of one shade, and how many shades there are on either side of 0."""
FIRST_DIGITS = 8
"""Of a fingerprint, where it distinguishes two models or two tests of one name."""
_FAMILY_OF_TEST = re.compile(r"[-_. ]?\d+\w?$")
_NAME = re.compile(r"[A-Za-z]{2,}")
_VARIABLE = re.compile(r"--([a-z-]+): ?(#[0-9a-f]{6})")
_SAFE = " =:/,;'()"
"""Letters that a data address in a style may contain as they are."""


class Heading(NamedTuple):
    """A row or a column of the matrix: a model, or a test with stimuli of its own."""

    id: str
    name: str
    family: str
    """Of a model the first word of its name, of a test its id without the number."""
    fingerprint: str
    choices: tuple[tuple[str, str], ...] = ()
    """Of a model: how texts were encoded, as names and values."""
    title: str = ""
    sides: tuple[str, ...] = ()
    """Of a test: names of all concepts, of targets, and of attributes."""


def model_of(result: AssociationResult) -> Heading:
    """The model of a result: a source with a period, an encoding and a fingerprint of its own."""
    name, fingerprint = source_of(result), result.provenance.source_fingerprint
    encoding = {} if result.encoding is None else result.encoding.columns()
    choices = tuple((key, str(value)) for key, value in encoding.items() if value)
    last = re.split(r"[/:\\]", name.partition("?")[0])[-1]
    word = _NAME.search(last) or _NAME.search(name)
    family = word[0].lower() if word else name
    return Heading(f"m-{_hash(name, choices, fingerprint)}", name, family, fingerprint, choices)


def test_of(result: AssociationResult) -> Heading:
    """The test of a result, with its stimuli and what else belongs to it, such as a reference."""
    name, fingerprint, more = result.test, result.provenance.stimuli_sha256, result.of_the_test()
    if more:
        fingerprint = sha256(json.dumps([fingerprint, more], default=str).encode()).hexdigest()
    return Heading(
        f"t-{_hash(name, fingerprint)}",
        name,
        _FAMILY_OF_TEST.sub("", name) or name,
        fingerprint,
        title=result.title,
        sides=tuple(" / ".join(side) for side in result.sides),
    )


class AtlasCell(NamedTuple):
    """One result: a model measured by a test."""

    id: str
    """Permanent link: a hash of the model, the test and the signature, not of the numbers."""
    model: str
    test: str
    matrix: str
    """Signature of its matrix."""
    state: str
    """What the columns of the map of the finding show, such as "NB"; empty without one."""
    number: str
    """First effect size, or how many terms there are."""
    sizes: tuple[str, ...]
    """All effect sizes, for comparisons."""
    exactly: tuple[str, ...]
    """Each with four decimals, and the ends of its interval; empty where it is undefined."""
    d: float | None
    """The first effect size d, by which the cell is coloured."""
    verdict: Verdict | None
    """Of the first question; None if a number has no test."""
    at: tuple[int, int]
    """Number of the pack with its details, and its place there."""
    little: str = ""
    """Why it shows little, as where its model seldom chose; it is pale then."""

    @property
    def classes(self) -> str:
        """Of its link on the page."""
        shade = ""
        if self.d is not None and self.verdict in VERDICTS[:2] and not self.little:
            shade = f"{'up' if self.d > 0 else 'down'}-{min(STEPS, int(abs(self.d) / STEP))}"
        columns = [f"m x-{self.state[0]} y-{self.state[1]}"] if self.state else []
        return " ".join(filter(None, [*columns, shade, f"v{CODES[self.verdict]}"]))

    @property
    def code(self) -> int:
        """A number of the verdict: the higher, the stronger."""
        return CODES[self.verdict]


@dataclass
class Collection:
    """Everything that is read from results files."""

    models: dict[str, Heading] = field(default_factory=dict)
    tests: dict[str, Heading] = field(default_factory=dict)
    cells: dict[str, AtlasCell] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    """Names of the columns of all rows, in the order of first appearance."""
    samples: dict[tuple[str, str], AssociationResult] = field(default_factory=dict)
    """One result of each kind of test, by which the page chooses its words."""
    effects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Titles of the effect sizes of each signature."""
    signatures: dict[str, None] = field(default_factory=dict)
    """Of all results."""
    versions: dict[str, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """Lines that came twice, results that another one replaces, and trends."""
    family: DeclaredFamily = field(default_factory=lambda: DeclaredFamily(None))
    """Of all results, whose p-values are adjusted together."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """Of all results, adjusted over the tests of each setting, by the id of their cells."""
    pooled: list[PooledResult] = field(default_factory=list)
    """Tests on several sources, each as one claim; none of more than IN_FULL results."""
    parts: PageParts | None = None
    """What the figures of all results have in common; None where cells have numbers alone."""
    packs: list[Markup] = field(default_factory=list)
    _waiting: list[str] = field(default_factory=list)

    def survey(self, paths: Iterable[Path]) -> None:
        """Take from every result, whose last one counts, what others are judged beside."""
        slim: dict[str, AssociationResult] = {}
        full: dict[str, AssociationResult] = {}
        for record in (record for path in paths for _, record in _lines_of(path)):
            if is_result(record):
                lighter: dict[str, Any] = dict.fromkeys(
                    name for name in HEAVY if getattr(record, name, None) is not None
                )
                if record.frequency is not None:
                    lighter["frequency"] = record.frequency.model_copy(update={"matched": None})
                place = record.signature, model_of(record).id, test_of(record).id
                slim[f"r-{_hash(*place)}"] = record.model_copy(update=lighter)
                if len(slim) <= IN_FULL:
                    full[f"r-{_hash(*place)}"] = record
        every = list(slim.values())
        self.signatures = dict.fromkeys(result.signature for result in every)
        self.family = DeclaredFamily.of(every).of_several()
        self.findings = dict(zip(slim, findings_of(every), strict=True))
        if len(every) <= IN_FULL:
            self.pooled = [test for _, test in pool_groups(full.values())]
            self.parts = PageParts(Scales.of(every))

    def read(self, paths: Iterable[Path], lines: IO[bytes], rows: IO[str]) -> None:
        """Read results files, each line once; a damaged line ends it."""
        seen: set[bytes] = set()
        for line, record in (pair for path in paths for pair in _lines_of(path)):
            if isinstance(record, ResultsError):
                raise ResultsError(
                    f"{record.what}; no site was written",
                    got=record.got,
                    remedy="eatlas report shows what can be read; run the missing tests again",
                )
            digest = result_hash(line.strip())
            if digest in seen:
                self.counts["repeated"] += 1
                continue
            seen.add(digest)
            lines.write(line.rstrip(b"\n") + b"\n")
            if not is_result(record):
                self.counts["trends"] += 1
                continue
            self._add(record)
            for row in record.rows():
                self.columns |= dict.fromkeys(row)
                rows.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._close_pack()

    def _add(self, result: AssociationResult) -> None:
        """Keep the words of one cell, in place of an earlier result."""
        model, test, levels = model_of(result), test_of(result), levels_of(result)
        signature = result.signature
        self.models.setdefault(model.id, model)
        self.tests.setdefault(test.id, test)
        self.versions[result.provenance.version] = None
        self.samples.setdefault((result.kind, result.view), result)
        later, adjusted = title_after([result]), [e.after for e in levels[:1] if e.after]
        titles = [level.title for level in levels]
        titles[1:1] = [later.lower() for _ in adjusted]
        beside = comparable_signatures(result, self.signatures)
        matrix = beside[0] if len(beside) == 1 else signature
        self.effects[matrix] = max(self.effects.get(matrix, ()), tuple(titles), key=len)
        link = f"r-{_hash(signature, model.id, test.id)}"
        self.counts["replaced"] += link in self.cells
        shown = [*levels[:1], *adjusted, *levels[1:]]
        sizes = tuple(effect(level.d) for level in shown)
        terms = concerns_single_terms(result) or not sizes
        finding = self.findings[link]
        section = Section("result", result, self.family, Settings.from_results([result]), finding)
        self.cells[link] = AtlasCell(
            id=link,
            model=model.id,
            test=test.id,
            matrix=matrix,
            state="".join(states_of(finding)) if result.pattern else "",
            number=number_of(len(result.rows()), "term") if terms else sizes[0],
            sizes=sizes,
            exactly=tuple(
                ",".join(f"{n:.4f}" for n in (level.d, *(level.interval or ())) if n is not None)
                for level in shown
            ),
            d=levels[0].d if levels and levels[0].symbol == "d" else None,
            verdict=finding.verdict,
            at=(len(self.packs), len(self._waiting)),
            little="".join(little_among([result])),
        )
        details: dict[str, Any] = {"link": link, "source": model.name, "section": section}
        details["evidence"] = html_of(evidence_of(section, self.parts or PageParts()))
        details["detail"] = html_of(details_of(section, self.parts)) if self.parts else ""
        made = render("atlas_cell", r=result, **details)
        self._waiting.append(made)
        if len(self._waiting) == PACK:
            self._close_pack()

    def _close_pack(self) -> None:
        if self._waiting:
            self.packs.append(deflate(self._waiting))
            self._waiting.clear()

    def notes(self) -> list[str]:
        """How the matrix came about, where that is not plain."""

        def results_in_words(n: int) -> str:
            return "1 result" if n == 1 else f"Each of {n:,} results"

        repeated, replaced, trends = (self.counts[n] for n in ("repeated", "replaced", "trends"))
        notes = []
        if len(self.versions) > 1:
            versions = ", ".join(self.versions)
            notes.append(f"The results were measured by several versions of eatlas: {versions}.")
        if repeated:
            notes.append(f"{results_in_words(repeated)} occurs more than once and is shown once.")
        if replaced:
            notes.append(
                f"{results_in_words(replaced)} has another with the same vectors, stimuli and "
                "measure. The atlas shows the last one read; the data have all of them."
            )
        if trends:
            in_data = "over time: see the data, or eatlas report."
            notes.append(f"{number_of(trends, 'trend')} {in_data}")
        return notes


def _lines_of(path: Path) -> Iterator[tuple[bytes, object]]:
    """Each line of a results file, or of a store, with its record or what is wrong with it."""
    if path.suffix.lower() != STORE_ENDING:
        yield from iter_lines(path)
        return
    for record in Results.scan(path):
        yield to_json_line(record).encode(), record


def _hash(*parts: object) -> str:
    """A short name for some texts that other results do not change."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:12]


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

    A store with more than 1,000 results becomes ``index.html`` without files of data: counts of
    verdicts and the distribution of effect sizes by test, and all cells in pages of sources. A cell
    names the command that writes its details. The function holds only a few columns in memory.

    Parameters
    ----------
    results : path, or iterable of paths
        Results files, stores, or folders; of a folder, every ``results.jsonl`` in it and below.
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
    files: dict[Path, None] = {}
    for path in map(Path, [results] if isinstance(results, str | Path) else results):
        is_store = path.suffix.lower() == STORE_ENDING
        inside = sorted(path.rglob(USUAL_NAME)) if is_folder(path) and not is_store else [path]
        if not inside:
            raise ResultsError(
                f"{path}: this folder contains no results",
                allowed=f"a folder with files of the name {USUAL_NAME}, at any depth",
                remedy="give files with other names one by one",
            )
        files |= dict.fromkeys(inside)
    site, collected = Path(folder), Collection()
    for name in (INDEX, LINES, TABLE):
        require_other_file(site / name, files)
    _require_own(site)
    if [path.suffix.lower() for path in files] == [STORE_ENDING]:
        scan = Results.scan(next(iter(files)))
        if len(scan) > MOST_OF_STORE:
            return _write_page_of_store(scan, site, title)
    collected.survey(files)
    with atomic_files() as new:
        page, table, lines = new(site / INDEX), new(site / TABLE), new(site / LINES, binary=True)
        with tempfile.TemporaryFile("w+", encoding="utf-8", dir=site) as rows:
            collected.read(files, lines, rows)
            if not collected.cells:
                raise ResultsError(
                    "there are no results to show",
                    got=", ".join(map(str, list(files)[:5])),
                    allowed="files with at least one result of eatlas run",
                )
            rows.seek(0)
            table.write(csv_line(collected.columns))
            for line in rows:
                row = json.loads(line)
                table.write(csv_line(row.get(name) for name in collected.columns))
        page.write(_page(collected, title))
    sizes = len(collected.models), len(collected.tests), len(collected.cells)
    return Atlas(site, *sizes, tuple(collected.notes()))


def _write_page_of_store(scan: ResultsScan, site: Path, title: str) -> Atlas:
    """Write the page of a store of very many results, which has no files of data."""
    require_other_file(site, [scan.path])
    page = page_of_store(scan, title, TITLE)
    with atomic_file(site / INDEX) as file:
        file.write(page.html)
    for name in (LINES, TABLE):  # of an earlier atlas in this folder
        (site / name).unlink(missing_ok=True)
    return Atlas(site, page.sources, page.tests, page.results, page.notes)


def _require_own(site: Path) -> None:
    """Refuse to write over a page that is no atlas, and over results that have none."""
    if is_there(site) and not is_folder(site):
        raise ResultsError(f"{site}: the site needs a folder, and this is a file")
    page = site / INDEX
    if is_there(page):
        with page.open("rb") as file:
            if GENERATOR in file.read(HEAD):
                return
        raise ResultsError(
            f"{page}: this page was not written by eatlas atlas",
            remedy="choose another folder with --out",
        )
    if others := [name for name in (LINES, TABLE) if is_there(site / name)]:
        raise ResultsError(
            f"{site}: this folder has results that eatlas atlas did not write; they would be lost",
            got=join_names(others),
            remedy="choose another folder with --out, or move them away",
        )


def _matrices(collected: Collection, names: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """A matrix of models by tests for each signature, the one with most results first."""
    by_signature: dict[str, dict[tuple[str, str], AtlasCell]] = {}
    for cell in collected.cells.values():
        by_signature.setdefault(cell.matrix, {})[cell.model, cell.test] = cell
    ordered = sorted(by_signature.items(), key=lambda pair: -len(pair[1]))
    matrices = []
    for number, (signature, cells) in enumerate(ordered):
        with_cells = {key for pair in cells for key in pair}
        tests = [test for test in collected.tests.values() if test.id in with_cells]
        rows = [
            (model, *names[model.id], [cells.get((model.id, test.id)) for test in tests])
            for model in collected.models.values()
            if model.id in with_cells
        ]
        matrices.append({
            "number": number, "signature": signature, "tests": tests, "rows": rows,
            "effects": collected.effects[signature],
        })  # fmt: skip
    return matrices


def _names_of(models: Sequence[Heading]) -> dict[str, tuple[str, str]]:
    """The name of each model, and next to it what distinguishes it from others of this name."""
    values: dict[tuple[str, str], set[str]] = {}
    for model in models:
        for key, value in model.choices:
            values.setdefault((model.name, key), set()).add(value)
    together, marks = [], []
    for model in models:
        differs = [f"{k} {v}" for k, v in model.choices if len(values[model.name, k]) > 1]
        together.append(f"{model.name}\0{', '.join(differs)}")
        marks.append(f"{', ' * bool(differs)}fingerprint {_first(model)}")
    told = distinguish_names(together, marks)
    return {
        model.id: (model.name, text.partition("\0")[2])
        for model, text in zip(models, told, strict=True)
    }


def _first(heading: Heading) -> str:
    return heading.fingerprint.rpartition(":")[2][:FIRST_DIGITS]


def _families(headings: Iterable[Heading]) -> list[str]:
    """Families for a filter; none where there is one, or where each has one member."""
    times = Counter(heading.family for heading in headings)
    several = 1 < len(times) <= MOST_FAMILIES and len(times) < times.total()
    return sorted(times) if several else []


@dataclass(frozen=True)
class MatrixAgreement:
    """What the results of one matrix have in common."""

    cells: list[AtlasCell]

    @property
    def little(self) -> list[str]:
        """Why results show little, of those that do."""
        return [cell.little for cell in self.cells if cell.little]

    @property
    def n_tested(self) -> int:
        """Results with a verdict."""
        return sum(cell.verdict is not None for cell in self.cells)

    @property
    def n_supported(self) -> int:
        """Of those, how many are supported."""
        return sum(cell.verdict == "supported" for cell in self.cells)


def _headline(collected: Collection, matrix: dict[str, Any], title: str, measures: int) -> str:
    """The title of the page: what holds over the sources; else how many results are supported."""
    cells = [cell for *_, row in matrix["rows"] for cell in row if cell]
    agreed = MatrixAgreement(cells)
    pooled = [test for test in collected.pooled if test.signature == matrix["signature"]]
    if pooled:
        sources = number_of(len(matrix["rows"]), "source")
        values = sources, pooled, agreed.little, len(cells)
        said = phrase("sentences", "title_pooled", *values)
    else:
        said = phrase("atlas", "agreement", agreed)
    by = matrix["signature"].partition("(")[0] if measures > 1 else ""
    parts = (title if title != TITLE else "", by, said)
    return ": ".join(filter(None, parts))


def _page(collected: Collection, title: str) -> str:
    """The atlas as one HTML page, with its styles and script inside."""
    tests, models = collected.tests, list(collected.models.values())
    names, times = _names_of(models), Counter(test.name for test in tests.values())
    matrices = _matrices(collected, names)
    files = page_files("atlas.css", "claims.js", "atlas.js")
    dark = str(files["dark"])
    of_dark = Markup(dark + _images(dict(_VARIABLE.findall(dark))))  # noqa: S704  (our own)
    return render(
        "atlas",
        title=_headline(collected, matrices[0], title, len(matrices)),
        name=title,
        notes=collected.notes(),
        matrices=matrices,
        measures=list(dict.fromkeys(one["signature"].partition("(")[0] for one in matrices)),
        verdicts={
            NAMES[verdict]: code
            for verdict, code in reversed(CODES.items())
            if any(cell.verdict == verdict for cell in collected.cells.values())
        },
        with_maps=any(cell.state for cell in collected.cells.values()),
        with_d=any(cell.d is not None for cell in collected.cells.values()),
        little=any(cell.little for cell in collected.cells.values()),
        steps=[f"{STEP * step:g}" for step in range(STEPS + 1)],
        models=collected.models,
        tests=tests,
        test_marks={
            test.id: f"variant {_first(test)}" if times[test.name] > 1 else ""
            for test in tests.values()
        },
        row_names=names,
        model_families=_families(models),
        test_families=_families(tests.values()),
        results=len(collected.cells),
        versions=list(collected.versions),
        words=wording(collected.samples.values()),
        symbols=symbols(),
        packs=collected.packs,
        lines=LINES,
        table=TABLE,
        maps=Markup(_images({})),  # noqa: S704  (our own drawings)
        states=STATES,
        **{**files, "dark": of_dark},
    )


def _images(colours: dict[str, str]) -> str:
    """The columns of small maps as variables of the style: one picture each, for all cells."""
    drawn = {state: quote(small_column(state, colours), safe=_SAFE) for state in STATES}
    return "".join(
        f'--map-{state}: url("data:image/svg+xml,{column}");' for state, column in drawn.items()
    )
