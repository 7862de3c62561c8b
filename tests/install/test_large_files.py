"""The hook that refuses large new files."""

from tools.large_files import MOST, committed, too_large


def test_a_large_new_file_is_refused_and_one_that_is_known_is_not(tmp_path):
    (large := tmp_path / "large").write_bytes(b"0" * (MOST + 1))
    (small := tmp_path / "small").write_bytes(b"0" * MOST)
    names = [str(large), str(small)]
    assert too_large(names, set()) == [f"{large}: 524,289 bytes"]
    assert too_large(names, {str(large)}) == []
    assert "README.md" in committed()
