"""Source strings that begin with a scheme."""

import numpy as np
import pytest

import eatlas
from eatlas.errors import SourceError
from eatlas.sources import ArraySource, open_sources
from eatlas.sources.schemes import SCHEMES, opener_of


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


def test_each_source_of_a_scheme_is_transformed(numbers):
    one, two = open_sources("numbers:1,2?transform=center")
    assert one.lookup(["up"])["up"].tolist() == [0.5, -0.5]
    assert two.name == "2?transform=center"


def test_one_source_is_needed(numbers):
    with pytest.raises(SourceError) as raised:
        eatlas.open_vectors("numbers:1,2")
    assert str(raised.value) == (
        "numbers:1,2: these are 2 sources, and one is needed here\n"
        "  allowed: 1, 2\n"
        "  remedy: take one; eatlas run takes all of them"
    )


def test_an_existing_path_wins(numbers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numbers:7").write_text("up 1 0\ndown 0 1\n", encoding="utf-8")
    assert opener_of("numbers:7") is None
    assert eatlas.open_vectors("numbers:7").lookup(["up"])["up"].tolist() == [1.0, 0.0]


def test_an_unknown_scheme_is_told_the_known_ones(numbers):
    with pytest.raises(SourceError, match=r"allowed: .*\bnumbers: .*and what it takes"):
        eatlas.open_vectors("letters:a")
