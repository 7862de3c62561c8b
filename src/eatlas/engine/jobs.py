"""A job of a run: one test on one source by one measure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

from eatlas.sources import CaseRule, Source, period_of
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.measures import Measure
    from eatlas.sources.covariates import WordCovariates
    from eatlas.stimuli import Test


class OpenSource(Protocol):
    """What a reader opens; :meth:`renamed`, if results may call it by another name."""

    @property
    def name(self) -> str:
        """What names the source in results."""

    @property
    def fingerprint(self) -> str:
        """Identifies the content."""


AnySource: TypeAlias = "Source | OpenSource"
"""Where the numbers of a measurement come from."""


@dataclass(frozen=True)
class Job:
    """One test on one source by one measure; it can be handed to another process."""

    test: Test
    source: AnySource
    """What is opened; once it is read, the answers that the run needs, and no others."""
    measure: Measure
    case: CaseRule = "auto"
    seed: int = 0
    source_from: str = ""
    """Source string of what the run calls by a name; empty where the name opens the source."""
    covariates: WordCovariates | None = None
    """Of its words, and not of all."""
    run_of: str = ""
    """Name of the model that the source is a training run of; empty if it is not one."""

    @cached_property
    def identity(self) -> str:
        """Hash of all that the result depends on; equal hashes mean equal results."""
        return self._hash(self.source.name, self.source_from)

    def identity_as(self, name: str) -> str:
        """The identity once the source has a name of the run; empty if it keeps its own."""
        return self._hash(name, self.source.name) if name else self.identity

    def _hash(self, name: str, source_from: str) -> str:
        source = [name, period_of(self.source), self.source.fingerprint]
        parts = [__version__, self.test.model_dump(mode="json"), *source, source_from]
        parts += [self.measure.signature, self.case, self.seed]
        parts += [self.covariates.origin.model_dump()] if self.covariates else []
        parts += [self.run_of] if self.run_of else []
        text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
