"""All words of a scan as CSV and Parquet: read back equal, whole or not at all."""

import csv
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.csv_cells import unescape_cell
from eatlas.errors import ResultsError
from eatlas.writing import atomic_files
from eatlas_vocabulary.engine import scan as module
from eatlas_vocabulary.engine.scan import write_words
from eatlas_vocabulary.results.scan import COLUMNS, read_words

ODD = [
    "the", ",", '"', 'say "hi"', "nan", "null", "None", "", "1e5", "a\nb", "a\r\nb", "naïve", "🌹",
]  # fmt: skip
KINDS = [".csv", ".parquet"]


def block(words, seed=0, first=1):
    rng = np.random.default_rng(seed)
    k = len(words)
    d = rng.normal(size=k)
    d[::5] = np.nan
    adjusted = rng.uniform(size=k)
    adjusted[1::4] = np.nan
    return {
        "word": list(words),
        "effect_size": d,
        "p_greater": rng.integers(1, 12_871, k) / 12_870,
        "p_less": rng.uniform(0, 1, k) ** 30,
        "p_two_sided": rng.uniform(0, 1, k),
        "p_max_t": adjusted,
        "p_by": np.ones(k),
        "difference": rng.normal(size=k) * 1e-17,
        "rank": np.arange(first, first + k),
        "attribute": ["no" if i % 4 != 1 else "AB"[i % 2] for i in range(k)],
        "method": ["exact"] * k,
        "rel_err": np.full(k, np.nan),
    }


def write(path, words):
    result = SimpleNamespace(
        signature="SC-EAT()", test=None, source="made", source_from="", provenance=[("seed", 0)]
    )
    with atomic_files() as new:
        write_words(path, new, words, result)


def assert_equal(found, expected):
    assert tuple(found.columns) == tuple(expected.columns) == COLUMNS
    for name in COLUMNS:
        mine, other = found[name].to_numpy(), expected[name].to_numpy()
        if mine.dtype.kind == "f":
            assert mine.astype(np.float64).tobytes() == other.tobytes(), name
        else:
            assert mine.tolist() == other.tolist(), name


@pytest.mark.parametrize("kind", KINDS)
def test_reading_back_gives_every_bit(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 100)
    words = block([*ODD, *(f"w{i}" for i in range(500))])
    path = tmp_path / f"words{kind}"
    write(path, words)
    assert_equal(read_words(path), pd.DataFrame(words))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8))
def test_the_csv_module_reads_what_we_write(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("csv") / "words.csv"
    write(path, block(words))
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert [unescape_cell(row[0]) for row in rows] == words
    assert not any(row[0].startswith(("=", "@", "\t", "\r")) for row in rows)
    assert {len(row) for row in rows} <= {len(COLUMNS)}


def digits(text):
    return text.split("e")[0].replace(".", "").lstrip("-0").rstrip("0")


def test_every_double_comes_back_and_none_has_needless_digits():
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    odd = [0.0, -0.0, 5e-324, 1e16, 1e22, 123456789012345680.0, 1e-5, 0.1, 1 / 3, 2.0**53]
    column = np.concatenate([bits[np.isfinite(bits)], odd])
    texts = module.numbers_as_text(column)
    assert np.array(list(map(float, texts))).tobytes() == column.tobytes()
    assert list(map(digits, texts)) == [digits(repr(x)) for x in column.tolist()]


def test_parquet_says_where_the_words_come_from_and_has_no_nan(tmp_path):
    path = tmp_path / "words.parquet"
    write(path, block(ODD))
    table = pq.read_table(path)
    metadata = table.schema.metadata
    assert metadata[b"eatlas.signature"] == b"SC-EAT()"
    assert metadata[b"eatlas.seed"] == b"0"
    assert table.column("effect_size").null_count == 3
    assert table.column("word").null_count == 0
    assert table.column("rank").type == "int64"


@pytest.mark.parametrize("kind", KINDS)
def test_what_fails_leaves_the_old_file(tmp_path, kind):
    path = tmp_path / f"words{kind}"
    write(path, block(["old"]))
    before = path.read_bytes()
    bad = block(["new"]) | {"p_less": None}
    with pytest.raises((AttributeError, TypeError)):
        write(path, bad)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_no_table_of_a_scan(tmp_path):
    (tmp_path / "a.csv").write_text("word,d\nthe,1\n")
    (tmp_path / "c.parquet").write_bytes(b"no Parquet")
    for name in ("a.csv", "b.csv", "c.parquet"):
        with pytest.raises(ResultsError, match="not a table of a scan"):
            read_words(tmp_path / name)
