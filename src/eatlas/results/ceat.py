"""Record of a CEAT: three levels over draws of contexts, and how much the contexts matter."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from eatlas.results.draws import DrawnResult, DrawsRecord
from eatlas.results.parts import OF_ROLES, SentenceCounts


class ContextDraws(DrawsRecord):
    """Draws of one context for each stimulus."""

    drawn: ClassVar[str] = "one context for each stimulus"
    varied: ClassVar[str] = "contexts"
    varied_of: ClassVar[str] = "contexts of one stimulus"

    contexts: Annotated[SentenceCounts, OF_ROLES]
    """Contexts of each stimulus, by its name."""


class CEATResult(DrawnResult):
    """What :class:`eatlas.CEAT` found.

    Effect sizes of levels 1 and 2 are equally weighted means over draws, and `difference` too;
    their permutation p-values are those of these means. Level 3 has the mean cosine over all
    draws; `sd`, `n` and quantiles are those of the single cosines of the first draws. Scores are
    means over draws, one for each stimulus, in the order of ``draws.contexts``.
    """

    display_name: ClassVar[str] = "CEAT"
    full_name: ClassVar[str] = (
        "the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021) at the three "
        "levels of the ML-EAT (Wolfe, Hiniker and Howe 2024)"
    )
    drawn: ClassVar[str] = "one context for each stimulus"
    varied: ClassVar[str] = "contexts"
    varied_of: ClassVar[str] = "contexts of one stimulus"

    measure: Literal["ceat"] = "ceat"
    draws: ContextDraws

    def scored(self, role: str) -> tuple[str, ...]:
        """The stimuli of a group."""
        return tuple(self.contexts_of(role))

    def contexts_of(self, role: str) -> dict[str, int]:
        """Contexts of each stimulus of a group."""
        return self.draws.contexts.group(role)
