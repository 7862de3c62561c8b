"""What charts say: titles from what they show, whole labels, one style of numbers."""

import re

import numpy as np
import pytest
from tests.present.reading import svg_root, texts
from tests.present.records import level_trend, ml_eat, slope, trend

import eatlas
from eatlas.present import report_text
from eatlas.present.comparison import title_of_results
from eatlas.present.drawings.svg import size_of
from eatlas.present.findings import NAMES, findings_of
from eatlas.results import Results
from eatlas.results.settings import Settings

BOTH = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}


@pytest.fixture(scope="module")
def two():
    return eatlas.run(tests=["weat-3", "weat-6"], vectors=BOTH)


@pytest.fixture(scope="module")
def groups():
    """Measures without a test of other words, and a test that only one of them takes."""
    tests = ["weat-6", "weat-8", "divdist-religion"]
    with pytest.warns(eatlas.EatlasWarning):
        return eatlas.run(tests=tests, measures=["rnd", "mac", "rnsb", "ect"])


def written(number):
    return f"{number:.2f}".replace("-", "−")


def test_influence_names_the_largest_change_of_all_effect_sizes(two):
    changes = [
        (abs(change), written(row.d + change), written(row.d), term, result.test)
        for result in two
        for row in result.effects()
        for role, values in row.influence.items()
        for change, term in zip(values, result.scored(role), strict=False)
    ]
    size, without, d, term, test = max(changes)
    title = eatlas.plot(two, "influence").title
    assert title.startswith(f"Single terms change d by at most {size:.2f}: without “{term}”, d ")
    assert title.endswith(f" is {without} instead of {d} ({test})")


def test_null_counts_the_permutations_of_the_drawing(two):
    few = eatlas.plot(two[0], "null", width=120)
    number = int(re.match(r"(\d+) of 20,000 random permutations give", few.title)[1])
    assert number / 20_000 == pytest.approx(two[0].level1.p.two_sided, abs=0.001)
    p = [result.level1.p.two_sided for result in two]
    title = eatlas.plot(two, "null").title
    assert title.endswith(f"p ≤ .05 in {sum(value <= 0.05 for value in p)} of {len(p)} results")


def test_the_map_of_the_words_counts_those_on_either_side(two):
    (result, _) = (each for each in two if each.test == "weat-6")
    cosines, first = np.array(result.similarities), len(result.paired("A"))
    closer = cosines[:, :first].mean(axis=1) > cosines[:, first:].mean(axis=1)
    x, y = closer[:8].sum(), closer[8:].sum()
    assert eatlas.plot(result, "plane").title == (
        f"{x} of 8 Male names and {y} of 8 Female names are closer to Career than to Family"
    )


def test_several_drawings_have_each_a_title_of_what_they_show(two):
    for kind, title in (("influence", "Single terms change"), ("null", "random permutations")):
        heads = [text for text in texts(eatlas.plot(two, kind)) if title in text]
        assert len(heads) >= len(two), kind


def test_a_forest_of_sources_counts_the_marks_that_it_fills(two):
    """What holds for other sources is no mark of the drawing."""
    verdicts = [finding.questions["level1"].verdict for finding in findings_of(two)]
    counts = {2: "two of four", 3: "three of four"}
    for kind in ("forest", "findings", "table"):
        title = eatlas.plot(two, kind).title
        assert f"{counts[verdicts.count('supported')]} results hold for other words" in title


def test_a_map_by_the_papers_rule_says_the_verdicts_too(two):
    plot = eatlas.plot(two[0])
    assert plot.title == f"By the paper's rule: {two[0].primary.label}"
    x, y = (NAMES[two[0].finding.questions[f"level2.{side}"].verdict] for side in "XY")
    said = f"By verdict: European American names: {x}; African American names: {y}"
    assert said in " ".join(texts(plot))


def test_a_timeline_of_several_series_has_the_title_of_their_page():
    years, still = (1900, 1910, 1930), level_trend(p=0.4, slope=slope(0.01) | {"over": ["words"]})
    members = [ml_eat(period=year, test=test) for test in ("a", "b") for year in years]
    results = Results(
        members, trends=[trend(years, test="a"), trend(years, test="b", level1=still)]
    )
    title = eatlas.plot(results, "timeline").title
    assert title == title_of_results(results, Settings.from_results(results), [])
    assert "d of a rises by 0.09 per decade" in title
    third = [ml_eat(period=year, test="c") for year in years]
    other = Results([*members, *third], trends=results.trends)
    assert "goes from" in eatlas.plot(other, "timeline").title


def test_headings_of_a_forest_lie_on_paper_and_not_on_lines(two):
    root, svg = svg_root(eatlas.plot(two, "forest").svg), "{http://www.w3.org/2000/svg}"
    papers = [
        (float(rect.get("y")), float(rect.get("height")))
        for rect in root.iter(f"{svg}rect")
        if rect.get("class") == "eat-paper"
    ]
    headings = [
        float(text.get("y"))
        for text in root.iter(f"{svg}text")
        if (text.text or "").startswith("weat-") and text.get("font-weight") == "700"
    ]
    assert len(headings) == 2
    for y in headings:
        assert any(top < y - 9 and y + 3 < top + high for top, high in papers)


def test_each_scale_of_a_forest_names_its_tests_and_the_key_is_of_all(groups):
    plot = eatlas.plot(groups, "forest")
    said = texts(plot)
    for measure in ("RND", "RNSB", "ECT"):
        assert any(text.startswith(measure) for text in said)
    assert sum(text.startswith("weat-6") for text in said) == 4, "a heading on each axis"
    marks = re.findall(r'class="(?:m|m no|m on|b)"', plot.drawn)
    assert len(marks) == len(groups)
    assert {"Small: not shown.", "Gray: no test."} <= set(
        re.findall(r"\w+: [\w ]+\.", plot.description)
    )
    assert groups.plot("table").title == plot.title
    assert "MAC, RNSB and ECT have no test" in plot.title


def test_a_table_has_no_empty_rows(groups):
    said = texts(eatlas.plot(groups, "table", width="single"))
    assert sum(text == "divdist-religion" for text in said) == 1, "only MAC compares three groups"


def test_a_matrix_of_measures_has_no_measure_in_front_of_a_row(groups):
    pairs = Results(result for result in groups if result.test != "divdist-religion")
    assert texts(eatlas.plot(pairs, "matrix")).count("RND") == 1


@pytest.mark.parametrize("kind", ["matrix", "findings", "forest", "influence", "adjusted", "table"])
def test_no_label_is_cut_in_one_column(kind, two):
    plot = eatlas.plot(two, kind, width="single")
    assert not [text for text in texts(plot) if "…" in text]
    wide, _ = size_of(plot.drawn)
    assert wide < 440


def test_numbers_have_one_style_in_each_medium(two, groups):
    lines = [result.summary() for result in (*groups, *two)]
    assert not re.search(r"[=(] ?-\d", " ".join(lines))
    assert groups[0].summary().startswith("RND = −0.025, two-sided p = .48; targets from ")
    said = eatlas.plot(groups, "forest").alt
    assert "RND = −0.025" in said
    assert "RND = −0.02." not in said
    for form in ("markdown", "html-table", "sentences"):
        text = report_text(two, form).replace("&#8315;", "⁻").replace("&#215;", "×")
        assert not re.search(r"\de-\d", text), form
        assert " × 10⁻" in text or " × 10&#" in text
