"""Warnings of earlier versions are those of today in other words; their numbers still count."""

import ast
import tomllib
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eatlas
from eatlas.engine.verify_records import differences
from eatlas.engine.wordings import current

SOURCE = Path(eatlas.__file__).parent
TABLE = tomllib.loads((SOURCE / "engine/data/retired_wordings.toml").read_text("utf-8"))["wording"]
EVERY = pytest.mark.parametrize("wording", TABLE, ids=[one["old"][:40] for one in TABLE])


def names(template):
    return [name for _, name, _, _ in Formatter().parse(template) if name]


@EVERY
def test_what_a_sentence_says_of_one_result_is_kept(wording):
    known = sorted(set(names(wording["old"])))
    assert sorted(set(names(wording["new"]))) == known
    values = {name: f"{name.upper()}-{place}.5" for place, name in enumerate(known)}
    old, new = (wording[key].format_map(values) for key in ("old", "new"))
    assert current(old) == current(new) == new
    for name in known:
        assert current(wording["old"].format_map(values | {name: "another"})) != new
    assert current(f"{old} And more.") != new


@EVERY
def test_the_wording_of_today_is_one_that_a_result_can_have(wording):
    """Where a sentence is worded anew, the table follows."""
    words = [literal.split() for literal, _, _, _ in Formatter().parse(wording["new"])]
    runs = [" ".join(some[i : i + 4]) for some in words for i in range(max(1, len(some) - 3))]
    assert sum(run in sentences() for run in runs) >= len(runs) / 3


@cache
def sentences():
    """All texts of the package."""
    trees = (ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(node.value for node in nodes if isinstance(node.value, str))


@given(st.text())
def test_any_other_text_is_left_as_it_is(text):
    assert current(text) == text


def test_a_long_text_that_nearly_fits_takes_no_time():
    text = "1 are one vector, " * 200_000
    assert current(text) == text


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("no rank is known of ivy", "no rank is known for ivy", True),
        ("no rank is known of ivy", "no rank is known for iris", False),
        ("no rank is known for ivy", "no rank is known of ivy", False),
    ],
)
def test_only_what_the_file_has_may_be_of_an_earlier_version(old, new, same):
    for key, value in (("warnings", list), ("reason", str), ("frequency_reason", str)):
        made = [old] if value is list else old, [new] if value is list else new
        assert (not list(differences({key: made[0]}, {key: made[1]}))) is same
    assert list(differences({"test": old}, {"test": new}))
