"""The page of an atlas of a store of very many results: drawn from columns, not from records.

The page has the numbers of all cells, packed; its script draws some rows at a time. It names the
command that writes the details of a result, and does not have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eatlas.present.blocks import deflate
from eatlas.present.findings import NAMES
from eatlas.present.overview import MOST_ROWS, count_supported, rows_by
from eatlas.present.rendering import page_files, render
from eatlas.present.sentences import wording
from eatlas.results.finding import Verdict

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.scan import ResultsScan

SETTINGS = (
    "period", "encoded", "layer", "pool", "subword", "prompt", "weights", "window", "distance",
)  # fmt: skip
"""Columns that distinguish results on one source: its period, how texts were encoded, contexts."""
ROW = ("source", *SETTINGS)
SIDES = ("X", "Y", "A", "B")
NUMBERS = ("effect_size", "low", "high")
PARTS = ("term", "target")
"""Columns of results with several rows, of which the first does not stand for the others."""
COLUMNS = (*ROW, "test", "signature", *SIDES, *NUMBERS, "verdict", *PARTS)
CODES: dict[Verdict, str] = {"not shown": "1", "these words": "2", "supported": "3"}
"""What the page calls verdicts in its data; "0" is a result without a test."""
SINGLE = "s"
"""Of a result with a row for each term or target, which has no verdict of its own in a store."""
BINS = np.linspace(-2, 2, 33)
"""Effect sizes d of the small histograms; larger ones are in the outermost bins."""
HEIGHT = 20


class StorePage(NamedTuple):
    """The page, and how much it shows."""

    html: str
    sources: int
    tests: int
    results: int
    notes: tuple[str, ...]


def page_of_store(scan: ResultsScan, name: str, default: str) -> StorePage:
    """Write the page from the columns of a store; its title begins with a name that is not usual.

    Verdicts are adjusted over all tests of each setting in the store.
    """
    frame = scan.first_rows([column for column in COLUMNS if column in scan.columns])
    frame = frame.reindex(columns=list(COLUMNS))
    frame["single"] = frame[list(PARTS)].notna().any(axis=1)
    frame.loc[frame["single"], list(NUMBERS)] = np.nan
    frame["row"] = frame.groupby(list(ROW), sort=False, dropna=False).ngroup()
    read = len(frame)
    frame = frame.drop_duplicates(["row", "test", "signature"], keep="last")
    notes = []
    if replaced := read - len(frame):
        notes.append(
            f"{replaced:,} results have another result with the same source, test and measure. The "
            "page shows the last one of the store; the command of a cell shows all of them."
        )
    tests = frame.drop_duplicates("test")
    rows = rows_by(frame, "test")
    matrices = [
        _matrix(signature, results) for signature, results in frame.groupby("signature", sort=False)
    ]
    matrices.sort(key=lambda matrix: -len(matrix["verdicts"].replace(SINGLE, "")))
    signatures = [matrix["signature"] for matrix in matrices]
    supported = count_supported(frame)
    html = render(
        "atlas_of_store",
        **page_files("atlas.css", "atlas_of_store.js"),
        title=supported if name == default else f"{name}: {supported}",
        results=len(frame),
        n_tests=len(tests),
        n_sources=int(frame["row"].nunique()),
        signatures=signatures,
        verdicts={NAMES[verdict]: code for verdict, code in reversed(CODES.items())},
        names=list(NAMES.values()),
        rows=[(row, _histogram(frame, row.name, row.signature)) for row in rows[:MOST_ROWS]],
        n_rows=len(rows),
        height=HEIGHT,
        failures=len(scan.failures),
        store=scan.path.name,
        notes=notes,
        words=wording([]),
        packs=[deflate(_headings(frame, tests, scan.path.name)), *map(deflate, matrices)],
    )
    return StorePage(html, int(frame["row"].nunique()), len(tests), len(frame), tuple(notes))


def _headings(frame: pd.DataFrame, tests: pd.DataFrame, store: str) -> dict[str, Any]:
    """Names of the store, of sources with their settings, and of tests with their concepts."""
    sources = frame.drop_duplicates("row").sort_values("row")
    return {
        "store": store,
        "sources": sources["source"].tolist(),
        "settings": {
            name: _values(sources[name]) for name in SETTINGS if sources[name].notna().any()
        },
        "tests": {
            test: [" / ".join(filter(None, sides[:2])), " / ".join(filter(None, sides[2:]))]
            for test, *sides in zip(tests["test"], *(_values(tests[s]) for s in SIDES), strict=True)
        },
    }


def _values(column: pd.Series[Any]) -> list[Any]:
    """Values of a column, None where there is none."""
    return column.astype(object).where(column.notna(), None).tolist()


def _matrix(signature: object, frame: pd.DataFrame) -> dict[str, Any]:
    """The cells of one measure, row by row: where they are, numbers and verdicts."""
    tests = list(dict.fromkeys(frame["test"]))
    columns = frame["test"].map({test: place for place, test in enumerate(tests)})
    place = frame["row"].to_numpy() * len(tests) + columns.to_numpy()
    order = np.argsort(place)
    cells = frame.iloc[order]
    return {
        "signature": signature,
        "tests": tests,
        "steps": np.diff(place[order], prepend=0).tolist(),
        "verdicts": "".join(
            cells["verdict"].map(CODES).fillna("0").where(~cells["single"], SINGLE)
        ),
        **{name: _hundredths(cells[name]) for name in NUMBERS if cells[name].notna().any()},
    }


def _hundredths(column: pd.Series[float]) -> list[int | None]:
    """Numbers with two decimals, as whole numbers."""
    return [round(100 * float(f"{d:.2f}")) if np.isfinite(d) else None for d in column]


def _histogram(frame: pd.DataFrame, test: str, signature: str) -> str:
    """The outline of the distribution of effect sizes, as a path of SVG; empty without any."""
    of_test = frame["effect_size"][(frame["test"] == test) & (frame["signature"] == signature)]
    counts, _ = np.histogram(of_test.dropna().clip(BINS[0], BINS[-1]), BINS)
    if not counts.any():
        return ""
    tops = HEIGHT - np.round((HEIGHT - 2) * counts / counts.max(), 1)
    return f"M0 {HEIGHT}" + "".join(f"V{top:g}h3" for top in tops) + f"V{HEIGHT}z"
