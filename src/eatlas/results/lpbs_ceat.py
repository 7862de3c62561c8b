"""Record of LPBS over draws of sentences."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from eatlas.results.draws import DrawnResult, DrawsRecord, OverDraws, draws_columns
from eatlas.results.lpbs import LogRatioResult


class SentenceDraws(DrawsRecord):
    """Draws of one sentence for each pair of a target and an attribute."""

    drawn: ClassVar[str] = "one sentence for each pair of a target and an attribute"
    varied: ClassVar[str] = "sentences"
    varied_of: ClassVar[str] = "sentences of the same pairs"

    over_attributes: OverDraws


class LPBSCEATResult(LogRatioResult, DrawnResult):
    """What :class:`eatlas.LPBSCEAT` found.

    All effect sizes are equally weighted means over draws, and `difference` too; their permutation
    p-values are those of these means. Scores, similarities and the means of level 3 are means over
    draws, in nats, in the order of the used terms; `sd`, `n` and quantiles of level 3 are those of
    the single log-ratios of the first draws.
    """

    display_name: ClassVar[str] = "LPBS-CEAT"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019) "
        "within the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021), as "
        "Husse and Spitz (2022) merge them, at the three levels of the ML-EAT and over attributes"
    )
    drawn: ClassVar[str] = "one sentence for each pair of a target and an attribute"
    varied: ClassVar[str] = "sentences"
    varied_of: ClassVar[str] = "sentences of the same pairs"

    measure: Literal["lpbs-ceat"] = "lpbs-ceat"
    draws: SentenceDraws

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an LPBS, and what draws and the random-effects model add."""
        (row,) = super().rows()
        return [{**row, **draws_columns(self.draws.over_attributes, "_over_attributes")}]
