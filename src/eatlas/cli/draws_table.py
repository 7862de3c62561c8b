"""What single draws of contexts say, as a table for a terminal, below that of their means."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from eatlas.present.numbers import UNDEFINED, effect, interval, percent
from eatlas.results import AssociationResult, DrawnResult
from eatlas.results.draws import OverDraws

EXPLANATION = (
    "Effect sizes above are means over draws of {drawn}. Combined: by the "
    "random-effects model of the published CEAT, whose p mostly measures the number of draws. "
    "Variance of associations at level 1: between {varied_of}, stimuli, targets."
)
HEADS = (
    "Draws",
    "Level 1: d in\n95% of draws",
    "Combined\nd",
    "\nI²",
    "Variance\nc / s / t",
    "Pattern in",
)


def over_draws(members: Sequence[AssociationResult]) -> Table | None:
    """Spread, combination and patterns of draws; None where no contexts were drawn."""
    shown = [result for result in members if isinstance(result, DrawnResult)]
    if not shown:
        return None
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
    table.add_column("Over draws", no_wrap=True)
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for result in shown:
        table.add_row(Text(result.test, "bold"), *_cells(result))
    return table


def about(result: DrawnResult) -> str:
    """What the columns say."""
    return EXPLANATION.format(drawn=result.drawn, varied_of=result.varied_of)


def _cells(result: DrawnResult) -> list[str]:
    found = result.draws.level1
    ends = found.quantiles and (found.quantiles[0], found.quantiles[4])
    combined = found.combined
    return [
        f"{result.draws.count:,}",
        interval(ends),
        effect(combined.effect_size) if combined else UNDEFINED,
        percent(combined.i2) if combined else UNDEFINED,
        _variance(found),
        f"{percent(result.draws.patterns.get(result.pattern.label, 0.0))} of draws",
    ]


def _variance(found: OverDraws) -> str:
    shares = found.shares
    if shares is None:
        return UNDEFINED
    contexts = UNDEFINED if shares.contexts is None else percent(shares.contexts)
    return f"{contexts} / {percent(shares.stimuli)} / {percent(shares.groups)}"
