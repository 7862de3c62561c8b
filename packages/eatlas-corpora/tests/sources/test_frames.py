"""Counts and references from frames in memory."""

import datasets
import pandas as pd
import polars as pl
import pytest
from tests.sources.test_frames import WORDS

import eatlas
from eatlas.errors import SourceError
from eatlas.sources.tables import open_counts


def test_counts_and_references_of_any_frame():
    groups = {"Female": [3, 0, 1], "Male": [1, 2, 2]}
    want = {word: (f, m) for word, f, m in zip(WORDS, *groups.values(), strict=True)}
    targets = {"targets": {"T": WORDS}, "groups": {"Female": ["she"], "Male": ["he"]}}
    test = eatlas.GroupsTest.model_validate({"id": "t", "reference": "uniform", **targets})
    columns = {"term": WORDS, **groups}
    long = [(w, g, n) for g, row in groups.items() for w, n in zip(WORDS, row, strict=True)]
    frames = (
        pd.DataFrame(groups, index=WORDS),
        pl.DataFrame(columns),
        datasets.Dataset.from_dict(columns),
        pl.DataFrame(long, ["word", "group", "count"], orient="row"),
    )
    for frame in frames:
        (table,) = open_counts(frame)
        assert {w: (row["Female"], row["Male"]) for w, row in table.rows.items()} == want
        (result,) = eatlas.run(test, frame, "divdist(soa=counts)", reference=frame)
        assert result.source == "frame"
        assert result.value is None or abs(result.value) < 1e-12
    with pytest.raises(SourceError, match="frame, row 2: not a count"):
        open_counts(pl.DataFrame({"term": WORDS, "Female": [1, -1, 1], "Male": [1, 1, 1]}))
