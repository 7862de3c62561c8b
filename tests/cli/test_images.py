"""Tests of images on the command line: listed, checked, shown, run, and refused where they cannot."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.drawn import draw_folder, draw_set, features_of

TOML = """\
schema = 1
[[test]]
id = "drawn"
X = { name = "Flowers", images = "flowers/*.png" }
Y = { name = "Insects", images = "insects/*.png" }
A = { name = "Pleasant", terms = ["love", "peace"] }
B = { name = "Unpleasant", terms = ["war", "agony"] }
[[test]]
id = "in-groups"
kind = "groups"
targets = { name = "Words", terms = ["love", "war", "peace"] }
groups = [
  { name = "Flowers", images = "flowers" },
  { name = "Insects", images = "insects" },
]
reference = "uniform"
"""


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_DATA", str(tmp_path / "data"))
    for seed, name in enumerate(("flowers", "insects")):
        draw_folder(tmp_path / name, 4, seed)
    (tmp_path / "mine.toml").write_text(TOML)
    rng = np.random.default_rng(1)
    keys = [f"{name}/{n}.png" for name in ("flowers", "insects") for n in range(4)]
    rows = [
        ",".join([key, *map(str, rng.normal(size=4).round(5))])
        for key in (*keys, "love", "peace", "war", "agony")
    ]
    (tmp_path / "vectors.csv").write_text("\n".join(rows))
    return tmp_path


def test_a_file_is_checked_shown_and_run(eatlas_cli, drawn):
    ended = eatlas_cli("tests", "check", "mine.toml")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[0] == (
        "drawn: X Flowers: 4, Y Insects: 4, A Pleasant: 2, B Unpleasant: 2"
    )
    shown = eatlas_cli("tests", "show", "mine.toml").out
    (drawn / "elsewhere.toml").write_text(shown)
    run = ("run", "--vectors", "vectors.csv", "--json", "--measure", "ml-eat,divdist")[:-2]
    first = eatlas_cli(*run, "--tests", "mine.toml")
    second = eatlas_cli(*run, "--tests", "elsewhere.toml")
    assert first.code == 0
    assert first.out == second.out
    one, other = map(json.loads, first.out.splitlines())
    assert one["coverage"]["X"]["used"] == [f"flowers/{n}.png" for n in range(4)]
    assert other["coverage"]["Flowers"]["image"] == one["coverage"]["X"]["image"]
    assert str(drawn) not in first.out


def test_a_published_set_is_listed_with_and_without_its_files(eatlas_cli, drawn, monkeypatch):
    listed = eatlas_cli("tests", "list").out
    assert "  ieat-age " in listed
    assert "(X6 images, Y6 images, A55 images, B55 images)" in listed
    assert (
        "images of the set ieat: not on this machine; eatlas vectors fetch ieat downloads" in listed
    )
    shown = eatlas_cli("tests", "show", "ieat-age")
    assert 'X = { name = "Young", images = "ieat:age/young" }' in shown.out
    assert "not on this machine" in shown.err
    refused = eatlas_cli("run", "--tests", "ieat-age", "--vectors", "vectors.csv")
    assert refused.code == 2
    assert "test ieat-age: its images are not on this machine" in refused.err
    draw_set(drawn / "set")
    monkeypatch.setenv("EATLAS_IEAT", str(drawn / "set"))
    tables = features_of(drawn / "set", "simclr_152_2x_sk1")
    features_of(drawn / "set", "igpt_l_32", seed=1)
    assert f"images of the set ieat: in {drawn / 'set'}" in eatlas_cli("tests", "list").out
    found = eatlas_cli("run", "--tests", "ieat-age", "--vectors", f"{tables}?model=igpt_l_32")
    assert found.code == 0
    several = eatlas_cli("run", "--tests", "ieat-age", "--vectors", tables)
    assert several.code == 2
    assert "several models" in several.err
    wrong = eatlas_cli("run", "--tests", "ieat-age", "--vectors", f"{tables}?model=igpt_l_23")
    assert "allowed: ?model= and one of igpt_l_32" in wrong.err
