"""Themes in the page, in tables and texts, and as a chart."""

import csv
import io
import json
import re

import pytest
from tests.present.drawings.test_plot import WIDTHS, drawn_in_width
from tests.present.reading import Page, svg_root, texts
from tests.present.test_page import NASTY

import eatlas
from eatlas.errors import ResultsError
from eatlas.present import report_text
from eatlas_vocabulary.present.themes import title
from eatlas_vocabulary.results.themes import strength


@pytest.fixture(scope="module")
def two():
    """Two groups, with one of which the first theme is made to go."""
    result = eatlas.scan("glove-sample", "divdist-gender", themes=30, first=3000)
    found = result.themes[0].model_copy(update={"p_max_t": 0.01, "stability": 0.7})
    return result.model_copy(update={"themes": (found, *result.themes[1:])})


@pytest.fixture(scope="module")
def three():
    themes = {"Spain": ["spain", "madrid", "mexico"], "China": ["china", "beijing", "taiwan"]}
    return eatlas.scan("glove-sample", "divdist-race", themes=themes)


def hostile(result):
    """The same with markup in every name and in the first word of each theme."""
    themes = tuple(
        theme.model_copy(update={"name": f"{NASTY}{i}", "words": (NASTY, *theme.words[1:])})
        for i, theme in enumerate(result.themes)
    )
    names = type(result.concepts)({role: f"{NASTY}{role}" for role in result.concepts})
    return result.model_copy(update={"themes": themes, "concepts": names, "title": NASTY})


@pytest.mark.parametrize("made", [lambda result: result, hostile])
def test_the_page_is_whole_and_loads_nothing(two, three, made):
    for result in map(made, (two, three)):
        html = report_text(result)
        page = Page(html)
        assert len(page.scripts) == 1
        assert "<script>alert" not in html
        assert not {"link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
        assert not [a for _, a in page.tags if {"src", "style"} & set(a)]
        assert not re.findall(r"url\(|https?://", html)
        ids = page.ids()
        assert len(ids) == len(set(ids))
        assert {a["href"][1:] for a in page.all("a")} <= set(ids)
        for theme in result.themes:
            assert theme.words[1] in page.text
        for drawn in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
            assert svg_root(drawn).get("aria-label") or 'aria-hidden="true"' in drawn
        svg_root(eatlas.plot(result).svg)


def test_a_page_says_how_sure_a_theme_is(two, three):
    text = Page(report_text(two)).text
    assert "p = .010 among all themes" in text
    assert "for this theme only. Again in 7 of 10 other clusterings; with 15 themes: " in text
    assert "The themes were found by a search." in text
    assert "Test it with the words that the search did not use." in text
    assert "The search used a random half of the words of each group (9 and 7)" in text
    assert "held out: " in text
    assert "Near-synonyms count as one word: " in text
    assert "6 and 5 units were compared" in text
    text = Page(report_text(three)).text
    assert "Hispanic over Asian" in text
    assert "fixed beforehand" in text
    assert "Again in" not in text


def test_a_title_says_no_more_than_was_found(two, three):
    """Two groups and more, nothing found, few themes and many, unstable, unadjusted, of names."""
    assert title(two) == (
        "1 of 30 themes is significantly more associated with Female, adjusted for word frequency, "
        f"in half of the words of each group: “{two.themes[0].name}” (again in 7 of 10 clusterings)"
    )
    assert title(three).startswith("2 of 2 themes differ significantly between Asian, Hispanic and")

    def said(p, stability=0.4, **more):
        update = {"p_max_t": p, "stability": stability}
        themes = tuple(theme.model_copy(update=update) for theme in two.themes)
        return title(two.model_copy(update={"themes": themes, **more}))

    assert said(0.5) == (
        "None of 30 themes is significantly more associated with Female or Male, adjusted for word "
        "frequency, in half of the words of each group"
    )
    many = said(0.01, covariates=(), warnings=(eatlas.notes.Note("themes.groups-made"),))
    assert re.fullmatch(
        r"30 of 30 themes are significantly more associated with Female \(\d+\) or Male \(\d+\), "
        "NOT adjusted for word frequency, in half of the words of each group; 30 of these in fewer than half of 10 other clusterings; clusters of names "
        "differ by construction",
        many,
    )


def test_a_table_is_read_again_as_names(two, tmp_path):
    """The user fills in a name, in the CSV of a report, and gives it to the same scan."""
    rows = list(csv.DictReader(io.StringIO(report_text(two, "csv"))))
    assert list(rows[0])[:2] == ["theme", "name"]
    assert [row["theme"] for row in rows] == [theme.name for theme in two.themes]
    rows[3]["name"] = "=Mine, and <ours>"
    path = tmp_path / "names.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    again = eatlas.scan("glove-sample", "divdist-gender", themes=30, first=3000, names=path)
    assert [t.name for t in again.themes] == [
        "=Mine, and <ours>" if i == 3 else theme.name for i, theme in enumerate(two.themes)
    ]
    row = again.rows()[3]
    assert (row["theme"], row["name"]) == (two.themes[3].name, "=Mine, and <ours>")
    assert list(again.to_frame()["theme"]) == [theme.name for theme in two.themes]


def test_texts_for_a_paper(two, three):
    methods, bibtex = (report_text(two, form) for form in ("methods", "bibtex"))
    for name, key in {
        "Swinger": "swinger2019", "Freedman": "freedman1983", "Westfall": "westfall1993",
        "Dhillon": "dhillon2001", "MacKinnon": "mackinnon1985", "Garg": "garg2018",
    }.items():  # fmt: skip
        assert name in methods
        assert key in bibtex
    assert "Holm" not in methods + bibtex
    methods, bibtex = (report_text(three, form) for form in ("methods", "bibtex"))
    assert "Holm's (1979)" in methods
    assert "holm1979" in bibtex
    assert "k-means" not in methods
    assert "two-sided" not in methods + eatlas.plot(three).description
    assert "is held out to confirm what it found" in methods
    assert "fixed beforehand" not in methods  # which only the user knows
    assert "dhillon" not in bibtex
    for result in (two, three):
        for form in ("latex", "markdown", "html-table"):
            assert report_text(result, form).count(result.themes[0].name.split(",")[0]) >= 1


def test_a_chart_of_themes_is_of_themes_alone(two):
    plot = eatlas.plot(two)
    assert plot.alt.startswith(f"30 themes, 1 significant. {two.found[0].name}: d = ")
    assert plot.title == title(two)
    names, strongest = {theme.name for theme in two.themes}, sorted(two.themes, key=strength)
    drawn = [text for text in texts(eatlas.plot(two, width=300)) if text in names]
    assert drawn == [theme.name for theme in strongest]
    with pytest.raises(ResultsError, match="kind forest cannot show this\n  got: +ThemesResult"):
        eatlas.plot(two, "forest")
    with pytest.raises(ResultsError, match="themes cannot show this"):
        eatlas.plot(eatlas.run(tests="weat-6", measures="weat"), "themes")


@pytest.mark.parametrize(
    "change",
    [{"themes": []}, {"concepts": {"A": "x"}}, {"means": {}}, {"held_out": {"A": ["he"]}}],
)
def test_a_record_of_other_groups_is_no_summary(two, tmp_path, change):
    record = two.to_dict()
    (record["themes"][0] if "means" in change else record).update(change)
    path = tmp_path / "words.csv.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ResultsError, match="not a summary of a scan"):
        eatlas.read_scan(path)


@pytest.mark.parametrize("width", WIDTHS)
def test_they_are_drawn_in_every_width(width):
    themes = eatlas.scan("glove-sample", "weat-7", themes=30, first=3000)
    drawn_in_width(themes, "themes", width)
