"""``--vectors NAME=SOURCE``: what people read is the name, and verify finds the source again."""

import json
import re

import pytest
from tests.inputs import TOML, make_test, make_vectors


@pytest.fixture
def folder(tmp_path):
    """Two files of vectors below a folder, and a test."""
    (tmp_path / "t.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "deep").mkdir()
    for name, seed in (("one.txt", 1), ("two.txt", 2)):
        vectors = make_vectors(make_test(), seed=seed)
        text = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in vectors.items())
        (tmp_path / "deep" / name).write_text(text, encoding="utf-8")
    return tmp_path


BOTH = ("--vectors", "small=deep/one.txt", "--vectors", "large=deep/two.txt")


def test_names_everywhere(eatlas_cli, folder):
    ended = eatlas_cli("run", "--tests", "t.toml", *BOTH)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("2 sources: ")
    assert re.search(r"^Test +small +large +Difference$", ended.out, re.MULTILINE)
    assert "deep/" not in ended.out
    lines = [json.loads(one) for one in (folder / "out/results.jsonl").read_text().splitlines()]
    assert [(one["source"], one["source_from"]) for one in lines] == [
        ("small", "deep/one.txt"),
        ("large", "deep/two.txt"),
    ]
    page = (folder / "out/report.html").read_text(encoding="utf-8")
    assert '<code dir="auto">small</code>, the name of <code dir="auto">deep/one.txt</code>' in page
    assert "deep/one.txt, here" not in page
    assert "on one.txt, here “small” and two.txt, here “large” with eatlas" in page
    for form in ("csv", "markdown", "latex"):
        eatlas_cli("report", "out/results.jsonl", "--format", form, "-o", "table")
        assert "small" in (folder / "table").read_text(encoding="utf-8")
    assert eatlas_cli("verify", "out/results.jsonl").code == 0
