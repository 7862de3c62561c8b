"""A test file's faults are named by file, test and key."""

from tests.inputs import TOML

from eatlas.stimuli import load_tests


def test_a_good_file_loads(test_file):
    (test,) = load_tests(test_file)
    assert (test.id, test.X.name, test.B.terms[-1]) == ("tiny", "Flowers", "agony")


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "bom.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TOML.encode())
    assert load_tests(path)[0].id == "tiny"


def test_terms_may_go_over_several_lines(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML.replace('"aster", ', '\n  "aster",  # {\n'), encoding="utf-8")
    assert load_tests(path)[0].X.terms[0] == "aster"
