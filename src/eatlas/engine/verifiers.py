"""Verifiers of records that are neither results nor trends, and finders of contexts.

Packages bring both, so that ``eatlas verify`` knows what they measure by its schema alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from eatlas.errors import ResultsError, described
from eatlas.plugins import absent, call_point, load_class, require_point, usable
from eatlas.results.base import Head
from eatlas.results.json_lines import has_schema, schema_name, schema_of_file
from eatlas.sources import Source
from eatlas.stimuli import ContextsOrigin, Test

VERIFIERS = "eatlas.verifiers"
"""Group of entry points."""
AT_HAND = "at-hand"
"""Name of the entry point that finds contexts."""


@dataclass(frozen=True)
class Repeated:
    """The outcome of computing a record again.

    Parameters
    ----------
    lines : tuple of str
        Each difference, as :func:`eatlas.engine.verify.differences` words them; none if the record
        is the same.
    remarks : tuple of str
        What was taken from the file, and not computed again.
    against : {"given", "built in", ""}
        Whether the names of groups were compared with a test that the user gave, or with a built-in
        one; empty if its test is neither.
    """

    lines: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    against: str = ""


class Verifier(ABC):
    """Reads records of one schema from files, computes them again and compares.

    A package names its class by an entry point of the group ``eatlas.verifiers``, whose name is
    that in the schema, such as ``themes`` for ``eatlas/themes/1``. The records derive from
    :class:`eatlas.results.base.Head`.
    """

    plural: ClassVar[str]
    """What several of the records are called."""

    @abstractmethod
    def holds(self, path: Path) -> bool:
        """Whether a file is meant to hold such a record, by its name or its first characters."""

    @abstractmethod
    def read(self, path: Path) -> Head:
        """Read the record of a file.

        Raises
        ------
        ResultsError
            If the file holds no such record.
        """

    @abstractmethod
    def repeat(self, record: Any, source: Source, tests: Mapping[str, Test]) -> Repeated:
        """Compute a record again on the vectors that it names, and compare.

        Parameters
        ----------
        record : Head
        source : Source
            Opened as data only, unless the user trusts it.
        tests : mapping
            Tests that the user vouches for, by id.

        Raises
        ------
        EatlasError
            If it cannot be computed again; the verdict says why.
        """


def verifier_of(record: object) -> Verifier:
    """The verifier of a record.

    Raises
    ------
    EatlasError
        If no package brings one.
    """
    name = schema_name(record)
    allowed = "results and trends"
    unknown = ResultsError("this record cannot be verified", got=described(record), allowed=allowed)
    verifier: Verifier = load_class(require_point("verifiers", name, unknown), Verifier)()
    return verifier


def verifier_of_file(path: Path) -> Verifier | None:
    """The verifier of a file; None for a file of results and trends."""
    if has_schema(path, "result", "trend"):
        return None
    added: dict[str, type[Verifier]] = usable(VERIFIERS, (), partial(load_class, kind=Verifier))
    for verifier in added.values():
        if (made := verifier()).holds(path):
            return made
    for file in (path, path.with_name(f"{path.name}.json")):
        if error := absent("verifiers", schema_of_file(file)):
            raise error
    return None


class FindsContexts(Protocol):
    """Finds the contexts that a result was made of."""

    def find(self, origin: ContextsOrigin) -> Any:
        """Return the contexts of an origin.

        Raises
        ------
        SourceError
            If they cannot be found.
        """


def contexts_at_hand(given: Iterable[Any], folders: Iterable[Path]) -> FindsContexts:
    """What finds contexts among those that are given, and among the files of some folders.

    A package brings it: the entry point ``at-hand`` of the group ``eatlas.contexts`` names a
    function of both arguments, which returns an object with the method
    :meth:`FindsContexts.find`.

    Raises
    ------
    EatlasError
        If no package brings it, or what is given are no contexts.
    """
    found: FindsContexts = call_point(require_point("contexts", AT_HAND), object, given, folders)
    return found
