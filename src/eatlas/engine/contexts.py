"""Tests in contexts: what the engine needs of texts in which stimuli occur.

Contexts come from other packages: an object with the methods of :class:`StimulusContexts`, or a
file, which the function reads that is the entry point ``contexts`` of the group
``eatlas.contexts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from eatlas.plugins import called, required

if TYPE_CHECKING:
    from eatlas.measures import Measure
    from eatlas.stimuli import Test

Variant = tuple[tuple["Test", ...], list["Measure"]]
"""Tests in contexts of one size, and the measures that take them so."""


@runtime_checkable
class StimulusContexts(Protocol):
    """Texts in which the stimuli of tests occur."""

    def first(self, per_term: int, /) -> Self:
        """Return the first contexts of each stimulus, which are a random sample of that size."""

    def variants(
        self, tests: Sequence[Test], measures: Sequence[Measure], windows: Sequence[Any] = (), /
    ) -> list[Variant]:
        """Put tests into these contexts, once for each window to which they are cut.

        Raises
        ------
        EatlasError
            If a measure does not take the contexts, or a test has none.
        """


def open_contexts(given: Any) -> StimulusContexts:
    """Return contexts as they are, or those of a file.

    Raises
    ------
    ContractError
        If no package that is installed reads contexts.
    EatlasError
        If the file cannot be read, or these are no contexts.
    """
    if isinstance(given, StimulusContexts) and not isinstance(given, type):
        return given
    opened: StimulusContexts = called(required("contexts", "contexts"), object, given)
    return opened
