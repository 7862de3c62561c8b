"""Source strings that begin with a scheme."""

import numpy as np
import pytest

import eatlas
from eatlas import installed
from eatlas.errors import EatlasError, SourceError
from eatlas.sources import ArraySource, open_sources
from eatlas.sources.opening import SCHEMES
from eatlas.untrusted import data_only


@pytest.fixture
def numbers(monkeypatch):
    def open_numbers(text):
        rest = text.removeprefix("numbers:")
        return tuple(
            ArraySource(["up", "down"], np.eye(2) * int(n), name=n) for n in rest.split(",")
        )

    monkeypatch.setitem(SCHEMES, "numbers", open_numbers)


def test_a_scheme_opens_its_sources(numbers):
    assert eatlas.open_vectors("numbers:7").lookup(["up"])["up"].tolist() == [7.0, 0.0]
    assert [source.name for source in open_sources("numbers:1,2")] == ["1", "2"]


def test_an_unknown_scheme_is_told_the_known_ones(numbers):
    with pytest.raises(SourceError, match=r"allowed: .*\bnumbers: .*and what it takes"):
        eatlas.open_vectors("letters:a")


PACKAGE = """
import numpy as np
from eatlas import ArraySource

def open_mine(text):
    rest = text.removeprefix("mine:")
    return ArraySource(["up", "down"], np.eye(2), name=f"mine:{rest}")

def open_dots(path, options, name):
    scale = float(options.get("scale", 1))
    words = path.read_text().split()
    return ArraySource(words, np.eye(len(words)) * scale, name=name)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package that adds a scheme and a format."""
    (tmp_path / "of_others.py").write_text(PACKAGE)
    info = tmp_path / "of_others-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: of-others\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[eatlas.schemes]\nmine = of_others:open_mine\ngone = of_nobody:open\n"
        "[eatlas.formats]\ndots = of_others:open_dots\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    forget_packages()
    yield tmp_path
    forget_packages()


def forget_packages():
    installed._all_points.cache_clear()
    installed.entry_points_of.cache_clear()


def test_a_scheme_of_another_package_gets_the_whole_string(package):
    source = eatlas.open_vectors("mine:NAME?layer=3")
    assert source.name == "mine:NAME?layer=3"
    centred = eatlas.open_vectors("mine:NAME?layer=3&transform=center")
    assert centred.lookup(["up"])["up"].tolist() == [0.5, -0.5]
    with pytest.raises(SourceError, match="or mine: or py:"):
        eatlas.open_vectors("letters:a")


def test_a_format_of_another_package(package, tmp_path):
    (tmp_path / "v.dots").write_text("up down")
    assert eatlas.open_vectors(tmp_path / "v.dots").lookup(["up"])["up"].tolist() == [1.0, 0.0]
    (tmp_path / "v.txt").write_text("up down")
    source = eatlas.open_vectors(f"{tmp_path / 'v.txt'}?format=dots&scale=2")
    assert source.lookup(["up"])["up"].tolist() == [2.0, 0.0]


def test_what_another_package_registers_is_not_called_for_a_file(package, tmp_path):
    (tmp_path / "v.dots").write_text("up down")
    for text in ("mine:a", str(tmp_path / "v.dots")):
        with data_only(text), pytest.raises(EatlasError, match="refused, as it would call of_othe"):
            eatlas.open_vectors(text)


def test_a_package_that_cannot_be_imported_is_named(package):
    with pytest.raises(EatlasError, match="of_nobody:open cannot be imported"):
        eatlas.open_vectors("gone:a")
