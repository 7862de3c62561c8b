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
from typing import IO, Any, NamedTuple

from markupsafe import Markup

from eatlas.errors import ResultsError
from eatlas.paths import is_folder
from eatlas.present.drawings.eat_map import states
from eatlas.present.effects import about_terms, levels_of
from eatlas.present.numbers import effect, number_of
from eatlas.present.page import PACK, deflated
from eatlas.present.rendering import render
from eatlas.present.sections import source_of
from eatlas.present.sentences import sentence
from eatlas.results.base import AssociationResult, is_result
from eatlas.results.json_lines import FEW, USUAL_NAME, each_line, no_results

_FAMILY_OF_TEST = re.compile(r"[-_. ]?\d+\w?$")
_NAME = re.compile(r"[A-Za-z]{2,}")


class Model(NamedTuple):
    """A row of the matrix: a source with a period, an encoding and a fingerprint of its own."""

    id: str
    name: str
    """The source, with its year and the size of contexts."""
    choices: tuple[tuple[str, str], ...]
    """How texts were encoded, as names and values."""
    fingerprint: str

    @classmethod
    def of(cls, result: AssociationResult) -> Model:
        """The model that a result is about."""
        name, fingerprint = source_of(result), result.provenance.source_fingerprint
        encoding = {} if result.encoding is None else result.encoding.columns()
        choices = tuple((key, str(value)) for key, value in encoding.items() if value)
        return cls(f"m-{_hash(name, choices, fingerprint)}", name, choices, fingerprint)

    @property
    def family(self) -> str:
        """First word of the name of a model, without folders and schemes: "glove", "bert"."""
        last = re.split(r"[/:\\]", self.name.partition("?")[0])[-1]
        word = _NAME.search(last) or _NAME.search(self.name)
        return word[0].lower() if word else self.name


class Test(NamedTuple):
    """A column of the matrix: a test with stimuli of its own."""

    id: str
    name: str
    title: str
    sides: str
    """Names of the concepts."""
    fingerprint: str
    """Of the stimuli, and of what else belongs to the test, such as a reference."""

    @classmethod
    def of(cls, result: AssociationResult) -> Test:
        """The test that a result is about."""
        fingerprint, more = result.provenance.stimuli_sha256, result.of_the_test()
        if more:
            fingerprint = sha256(json.dumps([fingerprint, more], default=str).encode()).hexdigest()
        sides = ", ".join(" / ".join(side) for side in result.sides)
        return cls(
            f"t-{_hash(result.test, fingerprint)}", result.test, result.title, sides, fingerprint
        )

    @property
    def family(self) -> str:
        """The id without its number: "weat" of "weat-6"."""
        return _FAMILY_OF_TEST.sub("", self.name) or self.name


class Cell(NamedTuple):
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
    at: tuple[int, int]
    """Number of the pack with its details, and its place there."""


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
    repeated: int = 0
    """Lines that came more than once."""
    replaced: int = 0
    """Results that another of the same model, test and measure takes the place of."""
    trends: int = 0
    directional: bool = False
    """Whether a pattern is read by the tail of the observed sign."""
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
                if not is_result(record):
                    self.trends += 1
                    continue
                self._add(record)
                for row in record.rows():
                    self.columns |= dict.fromkeys(row)
                    rows.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._close_pack()

    def _add(self, result: AssociationResult) -> None:
        """Keep the words of one cell, unless a later result is there."""
        model, test, levels = Model.of(result), Test.of(result), levels_of(result)
        signature = result.signature
        self.models.setdefault(model.id, model)
        self.tests.setdefault(test.id, test)
        self.versions[result.provenance.version] = None
        self.samples.setdefault((result.kind, result.language_model is not None), result)
        if any(level.symbol == "d" for level in levels):
            self.stars[result.rule.meaning] = None
        titles = tuple(level.title for level in levels)
        self.effects[signature] = max(self.effects.get(signature, ()), titles, key=len)
        version = tuple(map(int, re.findall(r"\d+", result.provenance.version)))
        link = f"r-{_hash(signature, model.id, test.id)}"
        if link in self.cells:
            self.replaced += 1
            if self.cells[link].version > version:
                return
        label = result.primary.label if result.pattern else ""
        self.directional |= bool(label) and result.rule.tail == "directional"
        sizes = tuple(f"{effect(level.d)}{level.star}" for level in levels)
        terms = about_terms(result) or not sizes
        self.cells[link] = Cell(
            id=link,
            model=model.id,
            test=test.id,
            signature=signature,
            state="".join(states(result)) if label else "",
            label=label,
            number=number_of(len(result.rows()), "term") if terms else sizes[0],
            sizes=sizes,
            version=version,
            at=(len(self.packs), len(self._waiting)),
        )
        details = {"link": link, "sentence": sentence(result), "source": model.name}
        effects = levels or result.effects()
        self._waiting.append(render("atlas_cell", r=result, levels=effects, **details))
        if len(self._waiting) == PACK:
            self._close_pack()

    def _close_pack(self) -> None:
        if self._waiting:
            self.packs.append(deflated(self._waiting))
            self._waiting.clear()


def results_files(paths: Iterable[str | Path]) -> list[Path]:
    """Files that are meant: each file itself, and every ``results.jsonl`` below each folder."""
    files: dict[Path, None] = {}
    for path in map(Path, paths):
        inside = [path]
        if is_folder(path):
            inside = sorted(file for file in path.rglob(USUAL_NAME) if file.is_file())
        if not inside:
            raise ResultsError(
                f"{path}: no results are in this folder",
                allowed=f"a folder with files of the name {USUAL_NAME}, at any depth",
                remedy="name files of other names one by one",
            )
        files |= dict.fromkeys(inside)
    return list(files)


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


def _hash(*parts: object) -> str:
    """A short name for some texts that other results do not change."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:12]
