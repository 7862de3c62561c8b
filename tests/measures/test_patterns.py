"""EAT patterns: the nine labels, and every row that the paper prints."""

import itertools
import tomllib
from pathlib import Path

import pytest

from eatlas.measures.patterns import associated_with, eat_pattern

ROWS = tomllib.loads((Path(__file__).parent / "ml_eat_tables.toml").read_text(encoding="utf-8"))


def test_nine_labels():
    sides = ("A", "B", None)
    labels = {(x, y): eat_pattern(x, y) for x, y in itertools.product(sides, sides)}
    assert {label for label, _ in labels.values()} == {
        "AB-Divergent", "BA-Divergent", "A-Uniform", "B-Uniform", "AX-Singular", "BX-Singular",
        "AY-Singular", "BY-Singular", "Non-Directional",
    }  # fmt: skip
    assert labels["A", "B"] == ("AB-Divergent", "Divergent")
    assert labels["B", "A"] == ("BA-Divergent", "Divergent")
    assert labels[None, "B"] == ("BY-Singular", "Singular")
    assert labels["B", None] == ("BX-Singular", "Singular")
    assert labels["B", "B"] == ("B-Uniform", "Uniform")


@pytest.mark.parametrize(
    ("d", "p", "side"),
    [
        (0.21, 0.049, "A"), (-0.21, 0.049, "B"), (0.2, 0.001, None), (-0.2, 0.001, None),
        (1.5, 0.05, None), (1.5, 0.0499, "A"), (None, 1.0, None), (0.0, 0.5, None),
    ],
)  # fmt: skip
def test_both_limits_are_strict(d, p, side):
    assert associated_with(d, p, alpha=0.05, threshold=0.2) == side


def published(d: float, star: bool) -> str | None:
    """The rule applied to a printed effect size; a star says p < .05."""
    return associated_with(d, 0.01 if star else 0.5, alpha=0.05, threshold=0.2)


@pytest.mark.parametrize(
    ("table", "row"),
    [(table, row) for table, rows in ROWS.items() for row in rows],
    ids=lambda value: value if isinstance(value, str) else value["eat"].replace(" ", "-"),
)
def test_printed_level_2_gives_the_published_label(table, row):
    (d_x, star_x), (d_y, star_y) = row["X"], row["Y"]
    assert eat_pattern(published(d_x, star_x), published(d_y, star_y))[0] == row["label"]


def test_the_text_of_table_1():
    """The caption and the text of the paper name the pattern of each row."""
    said = [row["label"] for row in ROWS["table-1"]]
    assert said == [
        "AB-Divergent", "AB-Divergent", "Non-Directional", "Non-Directional", "AX-Singular",
        "BY-Singular", "Non-Directional", "AX-Singular", "BY-Singular", "A-Uniform",
    ]  # fmt: skip
    assert [row["label"] for row in ROWS["table-2-no-prompt"]] == [
        "AB-Divergent", "B-Uniform", "BY-Singular", "A-Uniform", "Non-Directional",
    ]  # fmt: skip
    assert [row["label"] for row in ROWS["table-2-with-prompt"]] == [
        row["label"] for row in ROWS["table-2-no-prompt"]
    ]


def test_the_grid_of_rows_is_complete():
    sizes = {table: len(rows) for table, rows in ROWS.items()}
    assert sizes == {
        "table-1": 10, "table-2-no-prompt": 5, "table-2-with-prompt": 5,
        "table-3-base": 10, "table-3-xl": 10, "table-4": 10, "table-5": 10, "table-6": 10,
        "table-7": 10, "table-8": 10, "table-9": 11, "table-10": 11, "table-11": 11, "table-12": 11,
    }  # fmt: skip
