"""The page in Chromium, as a person uses it: by mouse, by keyboard, on a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browsing import CUT_LABELS, Tabs, violations
from tests.explorer.conftest import OTHER

import eatlas
from eatlas.results import read_results
from eatlas_workbench.explorer import ExplorerPage

DESK, PHONE = 1280, 390
REFUSED = "status of 422"
"""What Chromium says in its console of words that are refused."""
BAND = "Words were changed after seeing results"


@pytest.fixture(scope="module")
def served(mine: Path) -> Iterator[ExplorerPage]:
    """One page for all tests of the module."""
    with eatlas.explore(["weat-6", mine], ["glove-sample", OTHER]) as page:
        yield page


@pytest.fixture
def open_page(tabs: Tabs, served: ExplorerPage) -> Callable[..., Page]:
    """The page in a tab of its own."""
    tabs.forgiven = (REFUSED,)
    served._explorer._looked_at.clear()

    def opened(width: int = DESK, scheme: str = "light") -> Page:
        page = tabs.open(
            served.address, width=width, height=800, scheme=scheme,
            allowed=lambda url: url.startswith((served.address, "blob:")),
        )  # fmt: skip
        headline = "Male names are more strongly associated with Career than Female names are."
        expect(page.locator("#headline")).to_have_text(headline)
        return page

    return opened


def numbers(page: Page, part: str = "b") -> list[str]:
    """d of the three levels; as `small` the adjusted ones, and what they were."""
    return page.locator(f"#levels [data-level] td:nth-child(2) {part}").all_inner_texts()


def test_a_word_is_switched_off_and_on_and_undone(open_page):
    page = open_page()
    before = numbers(page)
    assert before == ["1.72", "0.75", "−1.34"]
    adjusted = numbers(page, "small")
    assert adjusted == ["2.37 adjusted", "0.66 adjusted", "−1.52 adjusted"]
    expect(page.locator("#band")).to_have_count(0)
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#band")).to_contain_text(BAND)
    expect(page.locator("#finding")).to_contain_text("changed: without Diana (Female names)")
    diana = page.locator("#chip-Y4")
    expect(diana).to_have_attribute("aria-pressed", "false")
    assert "line-through" in diana.evaluate("one => getComputedStyle(one).textDecorationLine")
    assert page.locator("#plane .dot.off[data-word=Y4]").count() == 1
    assert page.locator("#plane .mean.ghost").count() == 1  # where the mean of Y was
    expect(page.locator("#levels")).to_contain_text("was −1.34")
    expect(page.locator("#levels")).to_contain_text("adjusted, was 2.37")
    expect(page.locator("#others table")).to_be_visible()
    for part in ("#band", "#headline", "#group-B", "#plane svg", "#levels", "#others table"):
        box = page.locator(part).bounding_box()  # all that decides is in one view
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800, part
    page.get_by_role("button", name="Undo").click()
    expect(diana).to_have_attribute("aria-pressed", "true")
    assert (numbers(page), numbers(page, "small")) == (before, adjusted)
    expect(page.locator("#band")).to_contain_text(BAND)  # it stays
    diana.click()
    page.get_by_role("button", name="Original words").click()
    expect(diana).to_have_attribute("aria-pressed", "true")
    assert numbers(page) == before
    diana.hover()
    lit = page.locator(".lit").evaluate_all("all => all.map((one) => one.dataset.word)")
    assert set(lit) == {"Y4"}
    assert len(lit) >= 3  # button, mark and name


@pytest.mark.slow
def test_everything_by_keyboard(open_page):
    page = open_page()
    chips = page.locator("#group-X .chip")
    assert chips.evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1
    chips.first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "ArrowLeft"):
        page.keyboard.press(key)
    focused = "document.activeElement.dataset.text"
    assert page.evaluate(focused) == "Bill"  # from the first to the last
    page.keyboard.press("Space")
    expect(page.locator("#finding")).to_contain_text("without Bill")
    assert page.evaluate(focused) == "Bill"  # the new page keeps the focus
    page.keyboard.press("Tab")
    page.keyboard.type("Bob")
    page.keyboard.press("Enter")
    expect(page.locator("#chip-X8")).to_have_text("Bob1,863")
    page.locator("#chip-X8").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#chip-X8")).to_have_count(0)
    reached = set()
    page.locator("#test").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.id || document.activeElement.dataset.copy")
        )
    wanted = {"source", "against", "undo", "make", "take", "add-X", "add-B", "chip-Y0", "command"}
    assert wanted <= reached


@pytest.mark.slow
def test_a_word_moves_to_another_group(open_page):
    page = open_page()
    page.locator("#chip-X0").drag_to(page.locator("#group-B summary"))
    expect(page.locator("#finding")).to_contain_text("John moved from Male names to Family")
    expect(page.locator("#chip-B8")).to_have_text("John280")
    assert page.locator("#plane .dot.off[data-word=X0]").count() == 1
    page.locator("#chip-B8").drag_to(page.locator("#group-X .chips"))  # home again
    expect(page.locator("#chip-B8")).to_have_count(0)
    expect(page.locator("#finding")).not_to_contain_text("changed")
    page.locator("#chip-Y0").focus()
    page.keyboard.press("m")
    menu = page.get_by_role("dialog", name="Move Amy to")
    expect(menu.get_by_role("button")).to_have_text(["X: Male names", "A: Career", "B: Family"])
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator("#chip-Y0")).to_be_focused()
    page.keyboard.press("m")
    page.keyboard.press("a")
    expect(page.locator("#finding")).to_contain_text("Amy moved from Female names to Career")
    expect(page.locator("#chip-A8")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator("#finding")).not_to_contain_text("changed")
    page.locator("#chip-X1").click(button="right")
    page.get_by_role("button", name="Y: Female names").click()
    expect(page.locator("#finding")).to_contain_text("Paul moved from Male names to Female names")


def test_what_cannot_be_measured_shows_no_number(open_page):
    page = open_page()
    page.locator("#add-A").fill("home")
    page.locator("#add-A").press("Enter")
    expect(page.locator("#why")).to_contain_text("the term 'home' is on both sides, A and B")
    assert page.locator("#levels, #plane, #sentence, #others").count() == 0
    page.locator("#chip-B0").click()  # the other home
    expect(page.locator("#levels")).to_be_visible()
    expect(page.locator("#finding")).to_contain_text("home moved from Family to Career")
    page.locator("#add-X").fill("x" * 10_000)
    page.locator("#add-X").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("a word of 10,000 letters")
    for part in ("#headline", "#levels", "#plane"):
        expect(page.locator(part)).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#headline")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.slow
def test_new_lists_and_what_is_missing_while_typing(open_page, mine):
    page = open_page()
    page.get_by_role("button", name="New test").click()
    page.get_by_role("button", name="Science/Arts").click()
    expect(page.locator("#found-X")).to_contain_text("8 found")
    page.locator("#file").set_input_files(__file__)
    expect(page.locator("#started")).to_contain_text("test_page.py: The file: this is not TOML")
    page.locator("#file").set_input_files(mine)
    expect(page.locator("#started")).to_have_text("These are the lists of mine.")
    expect(page.locator("#words-A")).to_have_value("she, woman, her, mother")
    page.get_by_role("button", name="the words shown").click()
    expect(page.locator("#name-X")).to_have_value("Male names")
    given = {"X": "nurse, teacher, qqxq", "Y": "carpenter, engineer", "A": "she, woman", "B": "he"}
    for role, words in given.items():
        page.locator(f"#name-{role}").fill(f"List {role}")
        page.locator(f"#words-{role}").fill(words)
    expect(page.locator("#found-X")).to_contain_text("2 found in GloVe 6B (100d); 1 word missing")
    expect(page.locator("#remarks")).to_contain_text("only 1 term has a usable vector")
    page.locator("#words-B").fill("he, man")
    expect(page.locator("#found-B")).to_contain_text("2 found")
    page.get_by_role("button", name="Measure these lists").click()
    expect(page.locator("#group-X summary")).to_contain_text("List X")
    expect(page.locator("#group-X .missing")).to_have_text(re.compile("qqxq"))
    expect(page.locator("#test")).to_have_value("")
    page.reload()  # the tab keeps its words
    expect(page.locator("#group-X summary")).to_contain_text("List X")


@pytest.mark.slow
def test_lists_with_spaces_are_split_by_one_click_and_never_silently(open_page):
    page = open_page()
    page.get_by_role("button", name="New test").click()
    dialog = page.get_by_role("dialog", name="New test: four lists")
    expect(page.locator("#words-X")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="New test")).to_be_focused()
    page.get_by_role("button", name="New test").click()
    many = "\n".join([f"engineer{i}" for i in range(40)] + ["nurse"])
    page.evaluate("text => { globalThis.pasted = text; }", many)
    page.locator("#words-X").evaluate(
        """(box) => { box.focus(); document.execCommand("insertText", false, globalThis.pasted);
            box.dispatchEvent(new ClipboardEvent("paste", { bubbles: true })); }"""
    )
    later = "box => new Promise((done) => setTimeout(() => done(box.scrollTop), 50))"
    assert page.locator("#words-X").evaluate(later) == 0  # the first word is in sight
    given = {
        "X": "nurse, teacher",
        "Y": "carpenter, engineer",
        "A": "he his him man",
        "B": "she, her",
    }
    for role, words in given.items():
        page.locator(f"#words-{role}").fill(words)
    expect(page.locator("#found-A")).to_contain_text("1 word missing: he his him man")
    expect(page.locator("#remarks")).to_contain_text("no term has a usable vector")
    assert page.locator("[data-split]").count() == 1
    page.get_by_role("button", name="Split at spaces: he, his, him, man").click()
    expect(page.locator("#words-A")).to_have_value("he, his, him, man")
    expect(page.locator("#found-A")).to_contain_text("4 found")
    expect(page.locator("[data-split]")).to_have_count(0)
    page.get_by_role("button", name="Measure these lists").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#group-A .chip")).to_have_count(4)
    page.locator("#add-A").fill("boy father qqxq")  # a word that is nowhere
    page.locator("#add-A").press("Enter")
    expect(page.locator("#group-A .missing")).to_have_count(1)
    expect(page.locator("[data-apart]")).to_have_count(0)
    page.locator("#add-A").fill("boy father")
    page.locator("#add-A").press("Enter")
    page.locator("[data-apart]").click()
    expect(page.locator("#group-A .chip")).to_have_count(7)
    assert page.evaluate("document.activeElement.dataset.text") == "boy"
    expect(page.locator("[data-apart]")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_comparing_shows_beside_the_finding_and_intervals_at_the_marks(open_page, width):
    page = open_page(width)
    select = page.locator("#against")
    wide = "one => { const c = document.createElement('canvas').getContext('2d'); c.font = getComputedStyle(one).font; return c.measureText('no other source').width + 30; }"  # fmt: skip
    assert select.evaluate(wide) <= select.bounding_box()["width"]
    assert page.locator("#beside").is_hidden()
    select.select_option("1")
    rows = page.locator("#beside tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("supported")
    box = page.locator("#beside").bounding_box()
    assert box["y"] + box["height"] <= 800
    expect(page.locator("#others table")).to_be_visible()
    levels = page.locator("#levels [data-level]")
    expect(levels.locator(".i")).to_have_count(levels.count())  # each has its interval
    before = page.locator("#levels caption").first.inner_text()
    assert before.startswith("d from −3 to 3")
    marks = "all => all.map((one) => one.getAttribute('d'))"
    at = page.locator("#levels [data-level='level2.X'] .m").evaluate_all(marks)
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#finding")).to_contain_text("without Diana")
    assert page.locator("#levels caption").first.inner_text() == before  # no mark jumps
    assert page.locator("#levels [data-level='level2.X'] .m").evaluate_all(marks) == at
    expect(page.locator("#across tbody tr")).to_have_count(2)
    expect(page.locator("#across table")).to_be_visible()
    for part in ("#plane svg", "#without svg:visible", "#levels", "#across table", "#beside"):
        box = page.locator(part).first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width, part


def test_numbers_of_ticks_and_names_on_the_map_lie_on_no_mark(open_page):
    page = open_page()
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#finding")).to_contain_text("without Diana")
    meeting = """([texts, marks]) => {
      const boxes = (all) => [...document.querySelectorAll(all)].map((one) => [one, one.getBoundingClientRect()]);
      const met = ([, a], [, b]) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top < a.bottom - 2;
      return boxes(texts).flatMap((text) => boxes(marks).filter((mark) => met(text, mark)).map(() => text[0].textContent));
    }"""
    assert page.evaluate(meeting, ["#without .wide text.t:not(.s)", "#without .wide .m"]) == []
    names, marks = (
        "#plane text:is(.word, .s, .e:not([x='-6']))",
        "#plane :is(.dot, .mean:not(.ghost))",
    )
    assert page.evaluate(meeting, [names, marks]) == []


@pytest.mark.slow
def test_two_sources_downloads_and_another_tab(open_page, tmp_path):
    page, other = open_page(), open_page()
    page.locator("#against").select_option("1")
    expect(page.locator("#across figure")).to_be_visible()
    assert page.locator("#across .moves:not(.thick)").count() == 16
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#across thead th")).to_have_count(3)
    other.get_by_role("button", name="Joan").click()
    expect(other.locator("#finding")).to_contain_text("without Joan (Female names)")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Results (JSON Lines)").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    expect(page.locator("#taken")).to_have_text("Downloaded: weat-6-explored.jsonl")
    page.keyboard.press("Escape")
    assert read_results(path)[0].provenance.explored == 3
    page.locator("#against").select_option("")
    expect(page.locator("#across")).to_be_hidden()
    expect(page.locator("#finding")).to_contain_text("without Diana (Female names)")
    page.get_by_role("button", name="Original words").click()
    expect(page.locator("#finding")).not_to_contain_text("changed")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the sentence").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Male names against Female names: d = 1.72 [" in copied


@pytest.mark.slow
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_no_label_is_cut_and_the_axis_stays(open_page, width):
    page = open_page(width)
    axis = page.locator("#levels .interval .g").first
    before = axis.get_attribute("d")
    for change in (
        page.get_by_role("button", name="John").first.click,
        lambda: page.locator("#against").select_option("1"),
        lambda: page.locator("#test").select_option("mine"),
    ):
        change()
        expect(page.locator("#board")).not_to_have_attribute("aria-busy", "true")
        expect(page.locator("#others table")).to_be_visible()
        assert page.evaluate(CUT_LABELS) == []
        assert axis.get_attribute("d") == before
    assert page.locator("#test").evaluate("box => box.selectedOptions[0].label") == "mine"


@pytest.mark.slow
def test_switches_of_tests_stay_off_when_words_change(open_page):
    page = open_page()
    claim = page.locator("#claim .claim")
    page.get_by_label("adjusted for frequency").uncheck()
    expect(claim.get_by_role("status")).to_contain_text("word frequency was not adjusted for")
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#finding")).to_contain_text("without Diana")
    expect(page.get_by_label("adjusted for frequency")).not_to_be_checked()
    expect(claim.get_by_role("status")).to_contain_text("word frequency was not adjusted for")
    page.get_by_label("adjusted for frequency").check()
    expect(claim.get_by_role("status")).not_to_contain_text("was not adjusted for")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_is_content_and_nothing_overflows(open_page, scheme, width):
    page = open_page(width, scheme)

    def check() -> None:
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.get_by_role("button", name="Diana").click()
    page.locator("#against").select_option("1")
    expect(page.locator("#across figure")).to_be_visible()
    expect(page.locator("#others table")).to_be_visible()
    page.get_by_label("new words").uncheck()
    check()
    for name in ("New test", "Export"):
        page.get_by_role("button", name=name).click()
        check()
        page.keyboard.press("Escape")


def test_a_page_that_has_ended_says_so(browser):
    page = browser.new_page()
    with eatlas.explore("weat-6") as served:
        page.goto(served.address)
        expect(page.locator("#levels")).to_be_visible()
    page.get_by_role("button", name="Diana").click()
    expect(page.get_by_role("alert")).to_contain_text("The server has stopped.")
    page.close()
