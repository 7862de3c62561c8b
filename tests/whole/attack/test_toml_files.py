"""TOML files that take quadratic time, gigabytes or a traceback, and messages without end."""

from __future__ import annotations

import pytest
from tests.sources.files.faults import no_more_memory_than

from eatlas.decoding import read_toml
from eatlas.errors import StimulusError
from eatlas.stimuli.batteries import read_test_file

KEY = ".".join(["a"] * 38_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 100_000, "this TOML cannot be read\n  got: values nested hundreds deep"),
        ("x = " + "{a=" * 100_000, "this TOML cannot be read\n  got: values nested hundreds deep"),
        ("schema = " + "9" * 100_000, "this TOML cannot be read\n  got: Exceeds the limit"),
        (KEY + " = 1", "a key has too many parts\n  got: a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."),
        (f"[{KEY}]", "a key has too many parts"),
        (f"x = {{ {KEY} = 1 }}", "a key has too many parts"),
        (KEY.replace("a", "'a b'") + " = 1", "a key has too many parts"),
        (f'x = """a"""" # "\n{KEY} = 1', "a key has too many parts"),
        ('"""\\' * 500_000 + "." * 70, "this is not TOML"),
        ("a. " * 16 + "\n" + "." * 70, "a key has too many parts"),
    ],
)
def test_F19_F32_values_and_keys_beyond_all_bounds(text, said):
    with no_more_memory_than(256 << 20), pytest.raises(StimulusError) as caught:
        read_toml(text.encode(), "FILE", StimulusError)
    assert f"FILE: {said}" in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["x = [" + "0.5, " * 1000 + "]", ".".join(["a"] * 16) + " = 1"])
def test_F19_dots_in_texts_and_numbers_are_none(text):
    assert read_toml(text.encode(), "FILE", StimulusError)


def test_F19_no_more_is_read_of_a_file_than_shows_that_it_is_too_large(tmp_path):
    path = tmp_path / "sparse.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with no_more_memory_than(64 << 20), pytest.raises(StimulusError) as caught:
        read_test_file(path)
    assert "this file is too large\n  got: more than 2,097,152 bytes" in str(caught.value)
