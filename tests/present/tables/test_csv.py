import csv
import io

from tests.present.records import full, weat

from eatlas.present import report_table


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_numbers_stand_in_full_and_undefined_ones_are_empty():
    (row,) = read(report_table([full(undefined="Y")], "csv"))
    assert float(row["p_two_sided"]) == 200 / 12870
    assert float(row["p_two_sided_holm"]) == 200 / 12870
    assert (row["effect_size"], row["low"], row["high"]) == ("1.4", "1.0", "1.7")
    assert row["effect_size_Y"] == row["low_Y"] == ""
    assert row["pattern"] == "AX-Singular"
    assert "p_two_sided_holm_X" not in row


def test_names_with_commas_quotes_and_control_characters():
    names = {"X": 'a, "b"\nc', "Y": "\x1b[31m", "A": "=1+1", "B": "字"}
    (row,) = read(report_table([weat(concepts=names)], "csv"))
    assert [row[role] for role in "XYAB"] == ['a, "b"\nc', "\ufffd[31m", "\\=1+1", "字"]
