"""The page of a store of very many results: counts of verdicts by test and by source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eatlas.numbers import number_of
from eatlas.present.findings import NAMES
from eatlas.present.rendering import page_files, render

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.scan import ResultsScan

IN_FULL = 1_000
"""Most results of a store whose report shows each of them."""
MOST_ROWS = 500
"""Most tests, and sources, that have a row."""
QUANTILES = (0.5, 0.05, 0.95)
COLUMNS = ("test", "source", "signature", "effect_size", "verdict")


class OverviewRow(NamedTuple):
    """What the results of a test, or on a source, show together."""

    name: str
    signature: str
    results: int
    counts: tuple[int, ...]
    """By verdict, in the order of `NAMES`."""
    middle: float | None
    """Median of the effect sizes d; None without any."""
    low: float | None
    """Their 5th and 95th percentile."""
    high: float | None


def overview_html(scan: ResultsScan, path: Path, where: Sequence[str] = ()) -> str:
    """Write the page of a store; from its columns.

    Verdicts are adjusted over all tests of each setting in the store.
    """
    frame = scan.first_rows([name for name in COLUMNS if name in scan.columns], where)
    frame = frame.reindex(columns=list(COLUMNS))
    tests, sources = rows_by(frame, "test"), rows_by(frame, "source")
    supported = list(NAMES).index("supported")
    sources.sort(key=lambda row: row.counts[supported] / row.results, reverse=True)
    return render(
        "store",
        **page_files("report.js"),
        title=f"{path.name}: {count_supported(frame)}",
        results=len(frame),
        n_tests=frame["test"].nunique(),
        n_sources=frame["source"].nunique(),
        signatures=frame["signature"].unique().tolist(),
        where=list(where),
        verdicts=[NAMES[verdict] for verdict in NAMES],
        tables=[
            ("tests", "By test", "Test", tests[:MOST_ROWS], len(tests)),
            ("sources", "By source", "Source", sources[:MOST_ROWS], len(sources)),
        ],
        failures=len(scan.failures),
        path=str(path),
        most=IN_FULL,
    )


def count_supported(frame: pd.DataFrame) -> str:
    """How many results are supported, of those with a test."""
    tested = frame["verdict"].notna().sum()
    if not tested:
        return f"{number_of(len(frame), 'result')} without a test of significance"
    return f"{(frame['verdict'] == 'supported').sum():,} of {tested:,} results are supported"


def rows_by(frame: pd.DataFrame, name: str) -> list[OverviewRow]:
    """A row for each test or source by each measure, in the order of the store."""
    groups = frame.groupby([name, "signature"], sort=False)
    sizes = groups.size()
    counts = groups["verdict"].value_counts().unstack(fill_value=0).reindex(sizes.index)
    tested = counts.reindex(columns=[v for v in NAMES if v], fill_value=0).fillna(0).astype(int)
    tested["none"] = sizes - tested.sum(axis=1)
    quantiles = groups["effect_size"].quantile(np.array(QUANTILES)).unstack()
    rows: Any = zip(
        sizes.items(), tested.itertuples(index=False), quantiles.itertuples(index=False),
        strict=True,
    )  # fmt: skip
    return [
        OverviewRow(
            str(value), str(signature), size, tuple(verdicts),
            *(None if math.isnan(d) else d for d in ends),
        )
        for ((value, signature), size), verdicts, ends in rows
    ]  # fmt: skip
