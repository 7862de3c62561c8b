"""TOML files that take quadratic time, gigabytes or a traceback, and messages without end."""

from __future__ import annotations

import pytest
from tests.sources.files.faults import no_more_memory_than

import eatlas
from eatlas.decoding import read_toml
from eatlas.errors import EatlasError, StimulusError
from eatlas.sources.published import parse_registry
from eatlas.stimuli.batteries import read_test_file
from eatlas.stimuli.pairs import parse_pairs, read_pairs
from eatlas.stimuli.reading import parse_battery
from eatlas.stimuli.sentences import parse_templates, read_templates

KEY = ".".join(["a"] * 38_000)
PARSERS = {
    "tests": lambda data: parse_battery(data, "FILE", "x"),
    "pairs": lambda data: parse_pairs(data, "FILE"),
    "templates": lambda data: parse_templates(data, "FILE"),
    "published": lambda data: parse_registry(data, "FILE"),
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 100_000, "this TOML cannot be read\n  got: values nested hundreds deep"),
        ("x = " + "{a=" * 100_000, "this TOML cannot be read\n  got: values nested hundreds deep"),
        ("schema = " + "9" * 100_000, "this TOML cannot be read\n  got: Exceeds the limit"),
        (KEY + " = 1", "a key has too many parts\n  got: a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."),
    ],
)
def test_values_and_keys_beyond_all_bounds(parser, text, said):
    with no_more_memory_than(256 << 20), pytest.raises(EatlasError) as caught:
        PARSERS[parser](text.encode())
    assert f"FILE: {said}" in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        f"[{KEY}]",
        f"[[ {KEY} ]]",
        f"x = {{ {KEY} = 1 }}",
        KEY.replace("a", '"a"') + " = 1",
        KEY.replace("a", "'a b'") + " = 1",
        KEY.replace(".", " \t. ") + " = 1",
        f'x = """a"""" # "\n{KEY} = 1',
        f'x = ["""a"""", {{ {KEY} = 1 }}]',
        f"x = [''' ' ''', {{ {KEY} = 1 }}]",
        f'x = "\\\\"\n{KEY} = 1',
        f"x = '\\'\n{KEY} = 1",
        f"# it's\n{KEY} = 1",
    ],
)
def test_wherever_such_a_key_stands(text):
    with pytest.raises(StimulusError, match="FILE: a key has too many parts"):
        read_toml(text.encode(), "FILE", StimulusError)


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "0.5, " * 1000 + "]",
        ".".join(["a"] * 16) + " = 1",
        "\n".join(f"a{n}.b = 1" for n in range(1000)),
    ],
)
def test_dots_in_texts_comments_and_numbers_are_none(text):
    assert read_toml(text.encode(), "FILE", StimulusError)


@pytest.mark.parametrize(
    "text",
    ["x" * 2_000_000, '"""\\' * 500_000, "'" * 1_000_001, ". " * 1_000_000, "a. " * 16 + "\n"],
)
def test_what_is_no_toml_is_looked_through_once(text):
    with pytest.raises(StimulusError, match="FILE: (this is not TOML|a key has too many parts)"):
        read_toml(text.encode() + b"." * 70, "FILE", StimulusError)


def tables_under_tables(size: int) -> str:
    """What takes the parser longest: long keys under a table with a long name."""
    return f"[{'h.' * 15}x]\n" + "".join(f"{'a.' * 15}{n} = 1\n" for n in range(size))


def chains_of_tables(size: int) -> str:
    """What takes it most memory: a chain of tables for every line."""
    return "".join(f"{n}{'.a' * 15} = 1\n" for n in range(size))


@pytest.mark.parametrize("worst", [tables_under_tables, chains_of_tables])
def test_the_worst_that_is_not_too_large_is_read_in_little_memory(worst):
    text = worst(7_000).encode()
    assert len(text) > (2 << 20) / 8  # both grow in proportion: 10 s and 768 MiB for a whole one
    with no_more_memory_than(96 << 20):
        read_toml(text, "FILE", StimulusError)


def test_a_test_of_a_million_terms_is_refused_by_its_size(tmp_path):
    path = tmp_path / "million.toml"
    path.write_bytes(battery_of(250_000))
    with pytest.raises(StimulusError) as caught:
        eatlas.run(tests=path, vectors="glove-sample")
    assert str(caught.value) == (
        f"{path}: this file is too large\n  got: more than 2,097,152 bytes\n  allowed: at most 2 MiB\n"
        "  remedy: divide it into several files"
    )


def test_no_more_is_read_of_a_file_than_shows_that_it_is_too_large(tmp_path):
    path = tmp_path / "sparse.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for read in (read_test_file, read_templates, read_pairs):
        with no_more_memory_than(64 << 20), pytest.raises(StimulusError, match="is too large"):
            read(path)


def battery_of(count: int) -> bytes:
    terms = {role: [f"{role}{n}" for n in range(count)] for role in "XYAB"}
    groups = "\n".join(f'{r} = {{ name = "{r}", terms = {names} }}' for r, names in terms.items())
    return f'schema = 1\n[[test]]\nid = "long"\n{groups}\n'.encode()


def test_a_test_of_a_hundred_thousand_terms_passes():
    (test,) = parse_battery(battery_of(25_000), "FILE", "x").tests
    assert sum(len(test.concept(role).terms) for role in "XYAB") == 100_000
