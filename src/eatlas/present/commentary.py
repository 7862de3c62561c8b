"""What packages say of results that are shown together, besides what each shows by itself.

An entry point of the group ``eatlas.commentaries`` names a :class:`Commentary`. Its name is a field
of a result, or of its provenance: it is made of the results that have this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from eatlas.plugins import load_class, points
from eatlas.results import AssociationResult
from eatlas.results.parts import at

ENTRY_POINTS = "eatlas.commentaries"


class Commentary:
    """What a package says of some results; every method may stay as it is.

    Parameters
    ----------
    results : sequence of AssociationResult
        Those, of all that are shown together, that have what the commentary is about.
    """

    def __init__(self, results: Sequence[AssociationResult]) -> None:
        self.results = results

    @cached_property
    def _ids(self) -> set[int]:
        return set(map(id, self.results))

    def concerns(self, result: AssociationResult) -> bool:
        """Whether a result is one of those that it was made of."""
        return id(result) in self._ids

    def sentence(self, result: AssociationResult, sentence: str) -> str:  # noqa: ARG002  (a choice)
        """The sentence of the finding of one of the results, with what comes before it."""
        return sentence

    def title(self) -> str:
        """The end of the title of a page, from its semicolon."""
        return ""

    def brief(self) -> Iterable[str]:
        """Sentences of a page in brief."""
        return ()

    def methods_of_data(self) -> str:
        """Sentences of the methods paragraph on what was measured, behind those on intervals."""
        return ""

    def methods(self) -> str:
        """Sentences of the methods paragraph on what is claimed."""
        return ""

    def methods_cited(self) -> Iterable[str]:
        """Methods whose works are cited, by their names in ``methods.toml``."""
        return ()

    def legend(self) -> str:
        """A note below a table of the results."""
        return ""

    def tables(self, *, whole: bool) -> Iterable[Any]:  # noqa: ARG002  (a choice)
        """Tables (:class:`eatlas.present.columns.Table`) behind one of them; fewer if not whole."""
        return ()

    def caption_end(self) -> str:
        """The end of a caption of results that are compared, from its semicolon."""
        return ""


def commentaries(results: Iterable[AssociationResult]) -> list[Commentary]:
    """What packages say of results that are shown together."""
    every, found = list(results), []
    for name, point in points(ENTRY_POINTS).items():
        own = [result for result in every if at(result, name) or at(result.provenance, name)]
        if own:
            found.append(load_class(point, Commentary)(own))
    return found
