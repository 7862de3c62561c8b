"""The tables of papers: numbers and shades by the records, one table a setting, what is refused."""

import re

import pytest
from tests.present.records import HOSTILE, divdist, full, level, ml_eat, weat
from tests.present.tables.reading import markdown_tables

import eatlas
from eatlas.present import report_table


def table(results, form="markdown"):
    return report_table(results, form, columns="published")


def shades(text):
    """Number of each shaded cell of LaTeX, with its shade."""
    return re.findall(
        r"\\eatlas(positive|negative|neutral) (\$-\$)?([\d.]+)", text.partition("midrule")[2]
    )


def test_the_three_levels_as_in_the_paper():
    ((head, *rows),) = markdown_tables(table([full(), full("A-Uniform", test="two")]))
    assert head == [
        "Targets X / Y, attributes A / B", "Level 1\nA,B,X,Y", "Level 2\nA,B,X", "Level 2\nA,B,Y",
        *(f"Level 3\n{cell}" for cell in ("A,X", "B,X", "A,Y", "B,Y")),
    ]  # fmt: skip
    mean = "0.10 (0.05)"
    name = "Flowers / Insects (3)\nPleasant / Unpleasant (3)"
    assert rows == [
        [f"test-1\n{name}", "1.40*", "0.90*", "0.10", *[mean] * 4],
        [f"two\n{name}", "1.40*", "0.90*", "0.90*", *[mean] * 4],
    ]


def test_numbers_are_those_of_the_results():
    results = eatlas.run(tests="caliskan")
    ((_, *rows),) = markdown_tables(table(results))
    for result, row in zip(results, rows, strict=True):
        shown = [e.d for e in result.effects()]
        assert [float(cell.rstrip("*").replace("−", "-")) for cell in row[1:4]] == pytest.approx(
            shown, abs=0.005
        )
        assert ["*" in cell for cell in row[1:4]] == [e.significant for e in result.effects()]
        for cell, text in zip(("XA", "XB", "YA", "YB"), row[4:], strict=True):
            mean, sd = re.fullmatch(r"(−?\d\.\d\d) \((\d\.\d\d)\)", text).groups()
            assert float(mean.replace("−", "-")) == pytest.approx(
                result.level3[cell].mean, abs=0.005
            )
            assert float(sd) == pytest.approx(result.level3[cell].sd, abs=0.005)
    assert rows[0][0] == "weat-1\nFlowers / Insects (24 / 25)\nPleasant / Unpleasant (25)"


def test_level_2_is_shaded_by_sign_and_significance():
    text = table([ml_eat("AB-Divergent"), ml_eat("Non-Directional"), ml_eat("B-Uniform")], "latex")
    assert shades(text) == [
        ("positive", "", "0.90"), ("negative", "$-$", "0.90"), ("neutral", "", "0.10"),
        ("neutral", "", "0.10"), ("negative", "$-$", "0.90"), ("negative", "$-$", "0.90"),
    ]  # fmt: skip
    assert r"\usepackage{booktabs,array,colortbl}" in text
    assert all(
        rf"\providecommand{{\eatlas{shade}}}" in text
        for shade in ("positive", "negative", "neutral")
    )
    assert "Shading of level 2: red, significant and above 0" in text
    html = table([ml_eat("AB-Divergent")], "html-table")
    assert re.findall(r'style="background: #(\w+)', html) == ["f5c7c2", "bdd9f0"]
    assert "Shading" not in table([ml_eat()])
    assert "colortbl" not in report_table([ml_eat()], "latex")


def test_an_undefined_effect_has_no_shade():
    text = table([ml_eat("Non-Directional", undefined="X")], "latex")
    assert len(shades(text)) == 1


def test_each_setting_has_a_table_and_each_table_a_name():
    results = [ml_eat(source="a"), ml_eat(source="b"), ml_eat(source="a", test="two")]
    text = table(results, "latex")
    assert re.findall(r"\\label\{tab:eatlas-([\w-]+)\}", text) == ["ml-eat", "ml-eat-2"]
    first, second = markdown_tables(table(results))
    assert [row[0].split("\n")[0] for row in first[1:]] == ["test-1", "two"]
    assert len(second) == 2


def test_the_notes_say_which_tests_show_which_pattern():
    text = table([ml_eat(), ml_eat("A-Uniform", test="two"), ml_eat(test="three")])
    assert "EAT patterns: AX-Singular (test-1, three); A-Uniform (two)." in text
    assert "not adjusted for the number of tests" in text


def test_targets_by_source_as_share_less_reference():
    first = divdist(nurse=(-0.3, 0.001, None), pilot=(0.1234, 0.2, None), judge=None)
    second = divdist(pilot=(0.25, 0.9, None)).model_copy(update={"source": "other"})
    text = table([first, second])
    ((head, *rows),) = markdown_tables(text)
    assert head == ["Jobs", "some-vectors", "other"]
    assert rows == [["nurse", "−0.300*", "–"], ["pilot", "0.123", "0.250"], ["judge", "–", "–"]]
    assert "men-directed bias, as proportion minus reference" in text
    assert "Reference: uniform, 1/2 for each group" in text
    assert "By DIVDIST()." in text


def test_several_groups_have_a_column_each_under_their_source():
    results = eatlas.run("divdist-religion", measures="divdist(resamples=0,p=off)")
    text = table(results)
    ((head, *rows),) = markdown_tables(text)
    groups = results[0].groups
    assert head == ["Professions", *(f"GloVe 6B (100d)\n{group}" for group in groups)]
    shown = {row[0]: row[1:] for row in rows}
    for target in results[0].by_target:
        texts = [f"{v:.3f}".replace("-", "−") for v in target.deviation or ()]
        assert shown[target.term] == [t.replace("−0.000", "0.000") for t in texts] or ["–"] * 3
    assert "Holm" not in text


def test_references_that_differ_are_named_by_source():
    first = divdist(nurse=(-0.3, 0.001, None))
    second = first.model_copy(update={"source": "other", "reference": (0.6, 0.4)})
    text = table([first, second])
    assert "Reference of some-vectors: uniform." in text
    assert "Reference of other: men 0.6, women 0.4." in text


def test_both_kinds_of_results_have_their_tables():
    made = markdown_tables(table([ml_eat(), divdist(nurse=(0.1, 0.5, None))]))
    assert [len(rows[0]) for rows in made] == [8, 2]


@pytest.mark.parametrize("form", ["latex", "markdown", "html-table"])
def test_names_of_any_script_are_in_cells(form):
    text = table([full(names=HOSTILE, test="<b>&"), divdist(**{"<b>": (0.1, 0.5, None)})], form)
    assert "<script>" not in text
    assert "\x1b" not in text


def test_csv_has_all_numbers_with_any_columns():
    assert report_table([ml_eat()], "csv", columns="published") == report_table([ml_eat()], "csv")


def test_other_measures_have_stars_and_p_values_of_single_words():
    three, other = markdown_tables(table([ml_eat(), weat()]))
    assert three[0][1] == "Level 1\nA,B,X,Y"
    assert other[0] == ["Test", "d"]
    assert other[1][1] == "1.20*\n.0078\n(.016)"
    text = table([weat()])
    assert "By the paper's rule: \\* p &lt; .05" in text
    assert "New words" not in text


def test_a_level_without_a_threshold_is_still_read_by_its_p():
    values = ml_eat("Non-Directional").to_dict()
    values["level2"]["X"] = level(0.05, 100)
    assert shades(table([type(ml_eat()).from_dict(values)], "latex"))[0] == ("positive", "", "0.05")
