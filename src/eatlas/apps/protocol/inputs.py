"""What a protocol is run on: sources, tests and files, and the context in which a study runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from eatlas.decoding import require_file
from eatlas.errors import EatlasError, StimulusError
from eatlas.measures.base import Measure
from eatlas.paths import is_file, is_folder
from eatlas.results import AssociationResult
from eatlas.results.evidence import Covered, Given
from eatlas.stimuli import Test

MOST_MISSING = 20
"""Missing terms of a group that a card lists."""


class NotRunError(EatlasError):
    """A study cannot be run on what was given; `what` is the reason, in whole sentences."""


@dataclass(frozen=True)
class Material:
    """Everything that a protocol is run on; what is None was not given."""

    vectors: tuple[Any, ...] = ()
    tests: tuple[Test, ...] = ()
    census: tuple[Path, ...] = ()
    contexts: Path | None = None
    labels: tuple[Path, ...] = ()
    counts: tuple[Path, ...] = ()
    generated: tuple[Path, ...] = ()
    representations: tuple[Any, ...] = ()
    answers: Path | None = None

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield each file that was given, with the name of its option."""
        for one in fields(self):
            value = getattr(self, one.name)
            for path in value if isinstance(value, tuple) else (value,):
                if isinstance(path, Path):
                    yield one.name, path

    def require_files(self) -> None:
        """Refuse a file that is not there, before any work."""
        for option, path in self.files():
            require_file(path, EatlasError)
            if not is_file(path):
                raise EatlasError(
                    f"--{option}: there is no file {path}",
                    got="a folder" if is_folder(path) else "nothing",
                    allowed="a file",
                )

    def stated(self) -> tuple[Given, ...]:
        """What a card says of tests and files; sources are stated when they are opened."""
        of_tests = (
            Given(name="tests", value=test.id, sha256=test.stimuli_sha256) for test in self.tests
        )
        of_files = (
            Given(name=option, value=path.name, sha256=_hash_of(path))
            for option, path in self.files()
        )
        return (*of_tests, *of_files)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Context:
    """What a study is handed: the measure, what was given, opened sources, and the seed."""

    measure: Measure
    material: Material
    sources: Mapping[str, Any] = field(default_factory=dict)
    """Opened sources of `material.vectors` by their source strings."""
    seed: int = 0

    @cached_property
    def numbers(self) -> dict[Any, Any]:
        """Numbers that several studies read, found once, by `target_scores`."""
        return {}

    @cached_property
    def coverage(self) -> dict[Covered, None]:
        """How much of each test each source has, in the order in which they were measured."""
        return {}

    def measured(
        self, test: Test, source: Any, name: str, measure: Measure | None = None
    ) -> AssociationResult:
        """Measure a test on an opened source, and note its coverage."""
        result = (measure or self.measure)(self.fitted(test, measure), source, seed=self.seed)
        for group in result.concepts:
            found = result.coverage.group(group)
            self.coverage[
                Covered(
                    source=name,
                    test=test.id,
                    group=result.concepts[group],
                    used=len(found.used),
                    total=len(found.used) + len(found.missing),
                    missing=tuple(found.missing)[:MOST_MISSING],
                )
            ] = None
        return result

    def fitted(self, test: Test, measure: Measure | None = None) -> Test:
        """Return the test as a measure takes it: in the contexts that were given, if it must be."""
        if self.material.contexts is None or test.contexts is not None:
            return test
        try:
            (measure or self.measure).require_stimuli(test)
        except StimulusError:
            from eatlas.corpora import with_contexts  # noqa: PLC0415  (seldom needed)

            return with_contexts(test, self.material.contexts)[0]
        return test

    def require(self, option: str, why: str) -> Any:
        """Return what was given by an option."""
        given = getattr(self.material, option)
        if not given:
            raise NotRunError(f"Nothing was given by --{option}, {why}.")
        return given

    def each_source(self) -> Iterator[tuple[str, Any]]:
        """Yield each opened source with its source string."""
        if not self.sources:
            raise NotRunError(
                f"No source was given that the measure takes: {self.measure.name} needs "
                f"{NEEDS[self.measure.needs]}."
            )
        yield from self.sources.items()


NEEDS = {
    "vectors": "vectors",
    "masked": "a masked language model",
    "causal": "a causal language model",
    "counts": "a table of counts",
}
"""What a measure needs of a source, in words."""
