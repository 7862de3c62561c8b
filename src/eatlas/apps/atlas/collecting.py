"""What the cells of an atlas show, read from results files one line at a time.

A record is in memory while its line is read; what is kept of it are the few words of its cell and
its details, packed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from markupsafe import Markup

from eatlas.errors import ResultsError
from eatlas.paths import is_folder
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.effects import about_terms, levels_of
from eatlas.present.numbers import effect, number_of
from eatlas.present.page import PACK, packed
from eatlas.present.rendering import render
from eatlas.present.sections import source_of
from eatlas.present.sentences import sentence
from eatlas.results.base import AssociationResult, is_result
from eatlas.results.json_lines import FEW, USUAL_NAME, each_line, no_results

DIGITS = 12
"""Hexadecimal digits of a permanent link."""
FIRST_DIGITS = 8
"""Of a fingerprint, where it distinguishes two models or two tests of one name."""
_NUMBERS = re.compile(r"\d+")
_FAMILY_OF_TEST = re.compile(r"[-_. ]?\d+\w?$")
_NAME = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True)
class Model:
    """A row of the matrix: a source with a period, an encoding and a fingerprint of its own."""

    id: str
    name: str
    """The source, with its year and the size of contexts."""
    choices: tuple[tuple[str, str], ...]
    """How texts were encoded, as names and values."""
    fingerprint: str

    @property
    def family(self) -> str:
        """First word of the name of a model, without folders and schemes: "glove", "bert"."""
        last = re.split(r"[/:\\]", self.name.partition("?")[0])[-1]
        found = _NAME.search(last) or _NAME.search(self.name)
        return found[0].lower() if found else self.name


@dataclass(frozen=True)
class Test:
    """A column of the matrix: a test with stimuli of its own."""

    id: str
    name: str
    title: str
    sides: str
    """Names of the concepts."""
    fingerprint: str
    """Of the stimuli, and of what else belongs to the test, such as a reference."""

    @property
    def family(self) -> str:
        """The id without its number: "weat" of "weat-6"."""
        return _FAMILY_OF_TEST.sub("", self.name) or self.name


@dataclass(frozen=True)
class Cell:
    """One result: a model measured by a test."""

    id: str
    """Permanent link: a hash of the model, the test and the signature, not of the numbers."""
    model: str
    test: str
    signature: str
    state: str
    """What the columns of the EAT-Map show, such as "NB"; empty without a pattern."""
    label: str
    """EAT pattern; empty without one."""
    number: str
    """First effect size with its star, or how many terms there are."""
    sizes: tuple[str, ...]
    """All effect sizes with their stars, for comparisons."""
    version: tuple[int, ...]
    line: str
    """Hash of the line: the same line again is the same result."""
    pack: int
    place: int


@dataclass
class Collection:
    """Everything that is read from results files."""

    models: dict[str, Model] = field(default_factory=dict)
    tests: dict[str, Test] = field(default_factory=dict)
    cells: dict[str, Cell] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    """Names of the columns of all rows, in the order of first appearance."""
    samples: dict[tuple[str, bool], AssociationResult] = field(default_factory=dict)
    """One result of each kind of test, by which the page chooses its words."""
    effects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Titles of the effect sizes of each signature."""
    stars: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    measures: dict[str, str] = field(default_factory=dict)
    """Measure by signature."""
    repeated: int = 0
    """Lines that came more than once."""
    replaced: int = 0
    """Results that another of the same model, test and measure takes the place of."""
    trends: int = 0
    directional: bool = False
    packs: list[Markup] = field(default_factory=list)
    _waiting: list[str] = field(default_factory=list)

    def read(self, paths: Iterable[Path], lines: IO[bytes], rows: IO[str]) -> None:
        """Read results files, each line once."""
        seen: set[bytes] = set()
        for path in paths:
            for line, record in _sound(path):
                digest = sha256(line.strip()).digest()
                if digest in seen:
                    self.repeated += 1
                    continue
                seen.add(digest)
                lines.write(line.rstrip(b"\n") + b"\n")
                if is_result(record):
                    self._add(record, digest.hex())
                    self._add_rows(record, rows)
                else:
                    self.trends += 1
        self._close_pack()

    def _add_rows(self, result: AssociationResult, rows: IO[str]) -> None:
        for row in result.rows():
            self.columns |= dict.fromkeys(row)
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _add(self, result: AssociationResult, line: str) -> None:
        """Keep the words of one cell."""
        model, test = _model(result), _test(result)
        self.models.setdefault(model.id, model)
        self.tests.setdefault(test.id, test)
        self.versions[result.provenance.version] = None
        self.measures[result.signature] = result.measure
        self.samples.setdefault((result.kind, result.language_model is not None), result)
        levels = levels_of(result)
        if result.pattern is not None:
            self.directional |= result.rule.tail == "directional"
        if any(one.symbol == "d" for one in levels):
            self.stars[result.rule.meaning] = None
        titles = tuple(one.title for one in levels)
        self.effects[result.signature] = max(
            self.effects.get(result.signature, ()), titles, key=len
        )
        self._place(result, model, test, line)

    def _place(self, result: AssociationResult, model: Model, test: Test, line: str) -> None:
        """Put a result into its cell, unless a later one is there."""
        version = tuple(map(int, _NUMBERS.findall(result.provenance.version)))
        link = f"r-{_hash(result.signature, model.id, test.id)}"
        before = self.cells.get(link)
        if before is not None:
            self.replaced += 1
            if before.version > version:
                return
        shown = EATMap.of(result) if result.pattern is not None else None
        levels = levels_of(result)
        sizes = tuple(f"{effect(one.d)}{one.star}" for one in levels)
        terms = about_terms(result)
        self.cells[link] = Cell(
            id=link,
            model=model.id,
            test=test.id,
            signature=result.signature,
            state="" if shown is None else f"{shown.X.state}{shown.Y.state}",
            label="" if shown is None else shown.label,
            number=number_of(len(result.rows()), "term") if terms or not sizes else sizes[0],
            sizes=sizes,
            version=version,
            line=line,
            pack=len(self.packs),
            place=len(self._waiting),
        )
        self._waiting.append(
            render(
                "atlas_cell",
                r=result,
                link=link,
                map=shown,
                sentence=sentence(result),
                levels=levels or result.effects(),
                source=model.name,
            )
        )
        if len(self._waiting) == PACK:
            self._close_pack()

    def _close_pack(self) -> None:
        if self._waiting:
            self.packs.append(packed(self._waiting))
            self._waiting.clear()


def results_files(paths: Iterable[str | Path]) -> list[Path]:
    """Files that are meant: each file itself, and every ``results.jsonl`` below each folder."""
    found: list[Path] = []
    for path in map(Path, paths):
        if not is_folder(path):
            found.append(path)
            continue
        inside = sorted(one for one in path.rglob(USUAL_NAME) if one.is_file())
        if not inside:
            raise ResultsError(
                f"{path}: no results are in this folder",
                allowed=f"a folder with files of the name {USUAL_NAME}, at any depth",
                remedy="name files of other names one by one",
            )
        found += inside
    return list(dict.fromkeys(found))


def _sound(path: Path) -> Iterator[tuple[bytes, Any]]:
    """The lines of a file with their records; the file is refused after its last line."""
    bad: list[ResultsError] = []
    good = faults = 0
    for line, record in each_line(path):
        if isinstance(record, ResultsError):
            faults += 1
            bad += [record] if len(bad) < FEW else []
        else:
            good += 1
            yield line, record
    if not bad:
        return
    if not good and faults > 1:
        raise no_results(path, faults, bad[0])
    more = f"; and {number_of(faults - len(bad), 'more line')}" if faults > len(bad) else ""
    raise ResultsError(
        f"{path}: damaged, so no site was written",
        got="; ".join(f"{one.what.removeprefix(f'{path}, ')}: {one.got}" for one in bad) + more,
        remedy="eatlas report shows what can be read; run the missing tests again",
    )


def _model(result: AssociationResult) -> Model:
    name, fingerprint = source_of(result), result.provenance.source_fingerprint
    encoding = {} if result.encoding is None else result.encoding.columns()
    choices = tuple((key, str(value)) for key, value in encoding.items() if value)
    return Model(f"m-{_hash(name, choices, fingerprint)}", name, choices, fingerprint)


def _test(result: AssociationResult) -> Test:
    fingerprint, more = result.provenance.stimuli_sha256, result.of_the_test()
    if more:
        fingerprint = sha256(json.dumps([fingerprint, more], default=str).encode()).hexdigest()
    sides = ", ".join(" / ".join(side) for side in result.sides)
    return Test(
        f"t-{_hash(result.test, fingerprint)}", result.test, result.title, sides, fingerprint
    )


def _hash(*parts: object) -> str:
    """A short name for some texts that other results do not change."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:DIGITS]
