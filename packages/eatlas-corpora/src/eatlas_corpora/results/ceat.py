"""Record of CEAT: samples of contexts."""

from __future__ import annotations

from typing import ClassVar, Literal

from eatlas.results.embedding_tests import ThreeLevelResult
from eatlas.results.levels import (
    DrawsRecord,
    SentenceCounts,
)


class ContextDraws(DrawsRecord):
    """Samples of one context for each stimulus."""

    drawn: ClassVar[str] = "one context for each stimulus"
    varied: ClassVar[str] = "contexts"
    varied_of: ClassVar[str] = "contexts of one stimulus"

    contexts: SentenceCounts
    """Contexts of each stimulus, by its name."""


class CEATResult(ThreeLevelResult):
    """What :class:`eatlas.CEAT` found.

    Effect sizes of levels 1 and 2 are equally weighted means over draws, and so is `difference`;
    their permutation p-values test these means. Level 3 has the mean cosine over all samples; `sd`,
    `n` and quantiles describe the single cosines of the first samples. Scores are means over draws,
    one for each stimulus, in the order of ``samples.contexts``. `similarities` are mean cosines
    over all contexts of both stimuli, in the same order.
    """

    display_name: ClassVar[str] = "CEAT"
    full_name: ClassVar[str] = (
        "the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021) at the three "
        "levels of the ML-EAT (Wolfe, Hiniker and Howe 2024)"
    )

    measure: Literal["ceat"] = "ceat"
    samples: ContextDraws

    def scored(self, role: str) -> tuple[str, ...]:
        """The stimuli of a group."""
        return tuple(self.contexts_of(role))

    def paired(self, role: str) -> tuple[str, ...]:
        """The stimuli of a group."""
        return self.scored(role)

    def contexts_of(self, role: str) -> dict[str, int]:
        """Contexts of each stimulus of a group."""
        return self.samples.contexts[role]
