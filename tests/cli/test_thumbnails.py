"""Small pictures of image stimuli in reports, from the command line."""

import re
from pathlib import Path

from tests.present.test_thumbnails import images_of, symbols


def written(folder):
    """A test file and a table of vectors."""
    _, vectors = images_of(folder / "set")
    rows = [",".join([term, *map(repr, row.tolist())]) for term, row in vectors.items()]
    (folder / "vectors.csv").write_text("\n".join(rows) + "\n", "utf-8")
    (folder / "test.toml").write_text(
        'schema = 1\n[[test]]\nid = "pictures"\n'
        'X = { name = "Flowers", images = "set/flowers/*.png" }\n'
        'Y = { name = "Insects", images = "set/insects" }\n'
        'A = { name = "Pleasant", terms = ["love", "peace", "joy"] }\n'
        'B = { name = "Unpleasant", terms = ["war", "agony", "filth"] }\n',
        "utf-8",
    )


def test_run_shows_images_and_report_those_of_a_folder(eatlas_cli, tmp_path):
    written(tmp_path)
    run = ("run", "--tests", "test.toml", "--vectors", "vectors.csv")
    assert eatlas_cli(*run).code == 0
    page = Path("out/report.html").read_text("utf-8")
    assert symbols(page)
    assert eatlas_cli(*run, "--no-thumbnails", "--out", "plain").code == 0
    assert not symbols(Path("plain/report.html").read_text("utf-8"))
    lines = Path("out/results.jsonl").read_text("utf-8")
    assert lines == Path("plain/results.jsonl").read_text("utf-8")
    assert "data:image" not in lines
    again = eatlas_cli("report", "out/results.jsonl", "--images", "set", "-o", "again.html")
    assert again.code == 0
    assert Path("again.html").read_text("utf-8") == page
    assert eatlas_cli("report", "out/results.jsonl", "-o", "none.html").code == 0
    assert not symbols(Path("none.html").read_text("utf-8"))


def test_a_folder_that_is_not_there(eatlas_cli, tmp_path):
    written(tmp_path)
    eatlas_cli("run", "--tests", "test.toml", "--vectors", "vectors.csv")
    said = eatlas_cli("report", "out/results.jsonl", "--images", "nowhere", "-o", "r.html")
    assert said.code == 2
    assert re.search("nowhere: there is no such folder of images", said.err)
    assert not Path("r.html").exists()
