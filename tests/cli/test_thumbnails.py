"""Small pictures of image stimuli in reports, from the command line."""

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


def test_report_shows_the_images_of_a_folder(eatlas_cli, tmp_path):
    written(tmp_path)
    assert eatlas_cli("run", "--tests", "test.toml", "--vectors", "vectors.csv").code == 0
    assert not symbols(Path("out/report.html").read_text("utf-8"))
    assert "data:image" not in Path("out/results.jsonl").read_text("utf-8")
    done = eatlas_cli("report", "out/results.jsonl", "--images", "set", "-o", "again.html")
    assert done.code == 0
    assert symbols(Path("again.html").read_text("utf-8"))
