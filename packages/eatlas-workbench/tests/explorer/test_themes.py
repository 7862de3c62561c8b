"""Words of the themes of a scan as lists of a new test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browsing import Tabs, violations
from tests.served import ask

import eatlas
from eatlas.errors import ResultsError, SourceError
from eatlas_vocabulary.results.themes import MOST_TERMS
from eatlas_workbench.explorer import ExplorerPage

HOSTILE = 'War <b class="x">'
THEMES = {
    "Faith": ["church", "priest", "holy", "bishop"],
    "Family": ["mother", "wife", "child", "parents"],
    HOSTILE: ["army", "troops", "war", "rebel"],
}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Themes of which the last has many words."""
    path = tmp_path_factory.mktemp("themes") / "words.csv"
    more = list(eatlas.open_vectors("glove-sample").vocabulary())[3000:3040]
    eatlas.scan("glove-sample", "weat-7", themes={**THEMES, "Many": more}, out=path)
    return path


@pytest.fixture
def page(words: Path) -> Iterator[ExplorerPage]:
    with eatlas.explore(themes=words) as served:
        yield served


def test_the_page_begins_with_the_strongest_theme_and_counts_all_themes(page, words):
    scan = eatlas.read_scan(words)
    (test,) = scan.tests(top=1, of_searched_words=True)
    assert list(page._explorer.tests.values()) == [test]
    assert [source.spec for source in page._explorer.sources] == ["glove-sample"]
    board = ask(page.address, "view", json.dumps({"test": test.id}).encode()).text
    assert "Words were chosen after seeing results" in board
    assert "4 lists tried" in board
    without = json.dumps(
        {"test": test.id, "off": {"X": [test.X.terms[0]]}, "what": "toml"}
    ).encode()
    assert "Words were changed after seeing results" in ask(page.address, "view", without).text
    assert page.looked_at(test.id) == 5
    assert ask(page.address, "export", without).text.count("explored_on = ") == 2
    lists = {role: [part.name, ", ".join(part.terms)] for role, part in test.parts}
    pasted = json.dumps(
        {"lists": {**lists, "Y": ["Of mine", "nurse, pilot"]}, "what": "toml"}
    ).encode()
    assert page.looked_at("") == 4
    assert ask(page.address, "view", pasted).status == 200
    assert "explored = 5" in ask(page.address, "export", pasted).text


def test_tests_of_ones_own_and_other_vectors_come_first(words):
    scan = eatlas.read_scan(words)
    with eatlas.explore("weat-7", "glove-sample?transform=center", themes=scan) as page:
        assert list(page._explorer.tests) == ["weat-7", scan.tests(top=1)[0].id]
        assert [source.spec for source in page._explorer.sources] == [
            "glove-sample?transform=center"
        ]
        assert page.looked_at("weat-7") == 0


def test_the_page_shows_no_words_that_the_search_held_out():
    scan = eatlas.scan("glove-sample", "divdist-gender", themes=THEMES)
    with eatlas.explore(themes=scan) as page:
        (test,) = page._explorer.tests.values()
    assert (test.A.terms, test.B.terms) == tuple(scan.searched.values())
    assert scan.held_out["A"]


def test_files_that_are_no_themes(tmp_path, words):
    with pytest.raises(ResultsError, match="not a summary of a scan"):
        eatlas.explore(themes=tmp_path / "nothing.csv")
    record = json.loads(words.with_name("words.csv.json").read_text("utf-8"))
    (tmp_path / "evil.csv.json").write_text(json.dumps(record | {"source": "py:evil:f"}), "utf-8")
    with pytest.raises(SourceError, match="refused, as it would import"):
        eatlas.explore(themes=tmp_path / "evil.csv.json")
    record["provenance"]["source_fingerprint"] = "sha256:other"
    (tmp_path / "other.csv.json").write_text(json.dumps(record), "utf-8")
    with pytest.raises(SourceError, match="has different vectors from"):
        eatlas.explore(themes=tmp_path / "other.csv.json")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [pytest.param("light", 1280, marks=pytest.mark.slow), ("dark", 390)],
)
def test_the_words_of_a_theme_are_a_list_in_two_clicks(page, words, tabs: Tabs, scheme, width):
    scan = eatlas.read_scan(words)
    (test,) = scan.tests(top=1)
    tab = tabs.open(page.address, width=width, height=800, scheme=scheme)
    expect(tab.locator("#group-X summary")).to_contain_text(test.X.name)
    tab.get_by_role("button", name="New test").click()
    expect(tab.locator("#name-Y")).to_have_value(test.Y.name)  # what is shown
    choice = tab.get_by_role("combobox", name="Words of a theme").nth(1)
    options = choice.locator("option").all_inner_texts()[1:]
    assert sorted(text.split(": ")[0] for text in options) == sorted([*THEMES, "Many"])
    assert all(": Male terms, d = " in text or ": Female terms, d = " in text for text in options)
    (many,) = [text for text in options if text.startswith("Many: ")]
    choice.select_option(label=many)
    expect(tab.locator("#name-Y")).to_have_value("Many")
    expect(tab.locator("#started")).to_have_text(
        f"Y: {MOST_TERMS} of 40 words of the theme, nearest to its centre."
    )
    assert len(tab.locator("#words-Y").input_value().split(", ")) == MOST_TERMS
    (hostile,) = [text for text in options if text.startswith("War")]
    tab.get_by_role("combobox", name="Words of a theme").nth(0).select_option(label=hostile)
    expect(tab.locator("#name-X")).to_have_value(HOSTILE)
    expect(tab.locator("#found-X")).to_contain_text("4 found")
    assert violations(tab) == []
    for part in ("document.documentElement", "document.getElementById('new')"):
        assert tab.evaluate(f"{part}.scrollWidth <= {part}.clientWidth")
    tab.get_by_role("button", name="Measure these lists").click()
    expect(tab.locator("#group-Y summary")).to_contain_text("Many")
    expect(tab.locator("#band")).to_contain_text("5 lists tried")
    expect(tab.locator("#group-X summary")).to_contain_text(HOSTILE)
    tab.locator("#add-X").fill("theme: Family")
    tab.locator("#add-X").press("Enter")
    expect(tab.locator("#group-X .chip.added")).to_have_count(4)
