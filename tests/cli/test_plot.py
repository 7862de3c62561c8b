"""``eatlas plot``: every kind of drawing, to a file by its ending, or an error and no file."""

import sys

import pytest
from tests.commands import QUICK

import eatlas


@pytest.fixture
def two(eatlas_cli, tmp_path):
    """Results of two tests, in a file."""
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    return tmp_path / "o" / "results.jsonl"


def test_the_drawing_is_that_of_eatlas_plot(eatlas_cli, tmp_path, two):
    ended = eatlas_cli("plot", two, "--kind", "forest", "--width", "single", "-o", "fig.svg")
    drawing = eatlas.plot(eatlas.read_results(two), "forest", width="single")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"figure: fig.svg\ncaption: {drawing.description}\n"
    drawing.save(tmp_path / "same.svg")
    assert (tmp_path / "fig.svg").read_bytes() == (tmp_path / "same.svg").read_bytes()


@pytest.mark.parametrize(("ending", "first"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_the_ending_chooses_the_form(eatlas_cli, tmp_path, two, ending, first):
    ended = eatlas_cli("plot", two, "--width", 120, "-o", f"fig.{ending}")
    assert (ended.code, ended.err) == (0, "")
    assert (tmp_path / f"fig.{ending}").read_bytes().startswith(first)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-o fig.jpg", "error: fig.jpg: a drawing is not saved like this\n  got: .jpg\n"
         "  allowed: .svg, .pdf, .png\n  remedy: save it as fig.svg\n"),
        ("-o o/results.jsonl", "allowed: .svg, .pdf, .png"),
        ("--kind forrest -o fig.svg", "no such kind of drawing; did you mean forest?"),
        ("--kind eat-map -o fig.svg", "a drawing of the kind eat-map cannot show this"),
        ("--width wide -o fig.svg", "got: 'wide'\n  allowed: \"single\" (89 mm), \"double\""),
        ("--width 20 -o fig.svg", "got: 20.0"),
        ("--alpha 0.1 -o fig.svg", "a drawing of the kind forest takes no alpha"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_an_error_and_no_file(eatlas_cli, tmp_path, two, options, said):
    before = two.read_bytes()
    ended = eatlas_cli("plot", two, *options.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["o"]
    assert two.read_bytes() == before


def test_the_extra_is_named_where_its_library_is_missing(eatlas_cli, tmp_path, two, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    ended = eatlas_cli("plot", two, "-o", "fig.pdf")
    assert ended.code == 2
    assert "remedy: pip install 'eatlas[plots]'" in ended.err
    assert not (tmp_path / "fig.pdf").exists()


def test_the_intact_results_of_a_damaged_file_are_drawn(eatlas_cli, tmp_path, two):
    two.write_bytes(two.read_bytes()[:-200])
    ended = eatlas_cli("plot", two, "-o", "fig.svg")
    assert ended.code == 1
    assert "line 2: the file ends in the middle of this result" in ended.err
    assert "weat-6" in (tmp_path / "fig.svg").read_text(encoding="utf-8")


def test_a_long_drawing_names_each_of_its_files(eatlas_cli, tmp_path):
    eatlas_cli("run", "--out", "o", *QUICK)
    results = [f"{n}.jsonl" for n in range(9)]
    for name in results:
        (tmp_path / name).write_bytes((tmp_path / "o" / "results.jsonl").read_bytes())
    ended = eatlas_cli("plot", *results, "--kind", "findings", "--width", "single")
    files = sorted(path.name for path in tmp_path.glob("figure-*.svg"))
    assert ended.out.split("\ncaption")[0].splitlines() == [f"figure: {name}" for name in files]
    assert len(files) > 1
