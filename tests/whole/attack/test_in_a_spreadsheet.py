"""Names and texts of others as cells: no spreadsheet takes one for a formula."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.present.records import weat

from eatlas.csv_cells import NUMBER
from eatlas.present import report_table

HARMFUL = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3", "\t=1+1", "\r=1", "nan", "\\"]


@pytest.mark.parametrize("name", [*HARMFUL, "-5", "love", "a=b"])
def test_F24_no_spreadsheet_runs_a_name_and_pandas_gives_it_back(name):
    text = report_table([weat(concepts={"X": name, "Y": "y", "A": "a", "B": "b"})], "csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["X"] == ("\\" if name in HARMFUL else "") + name
    frame = pd.read_csv(io.StringIO(text), dtype={"X": str})
    assert frame["X"].str.removeprefix("\\").tolist() == [name]


def test_F24_no_cell_that_a_command_writes_is_a_formula(eatlas_cli, tmp_path):
    words = [*HARMFUL, "love", "peace", "joy", "war", "filth", "agony"]
    vectors = np.random.default_rng(0).normal(size=(len(words), 6))
    np.savez(tmp_path / "v.npz", words=np.array(words), vectors=vectors)
    lines = [f"{name} is love and war\n" for name in HARMFUL]
    Path("corpus.txt").write_text("".join(lines), encoding="utf-8", newline="")
    lists = ("--a", "love,peace,joy", "--b", "war,filth,agony", "--frequency-bands", "none")
    scan = eatlas_cli("scan", "--vectors", "v.npz", *lists, "--out", "w.csv")
    found = eatlas_cli("contexts", "corpus.txt", "--tests", "weat-1", "-o", "c.csv")
    assert (scan.code, found.code) == (0, 0), scan.err + found.err
    for name in ("w.csv", "c.csv"):
        with Path(name).open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert any("cmd|" in cell for cell in cells)
        formulas = [c for c in cells if c[:1] in set("=+-@\t\r") and c and not NUMBER.fullmatch(c)]
        assert formulas == []
