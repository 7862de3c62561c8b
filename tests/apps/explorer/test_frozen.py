"""A frozen explorer: its script finds what the library finds, and nothing of it needs a server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.apps.explorer.conftest import OTHER
from tests.browsing import Tabs, violations

import eatlas
from eatlas.errors import EatlasError
from eatlas.present.findings import finding_of

DESK, PHONE = 1280, 390
LIMIT = 700_000
"""Bytes."""
MEETING = """() => {
  const boxes = (all) => [...document.querySelectorAll(all)].map((one) => [one.textContent, one.getBoundingClientRect()]);
  const met = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 3 < b.bottom && b.top < a.bottom - 3;
  const marks = boxes("#plane :is(.dot, .mean:not(.ghost))"), names = boxes("#plane text:is(.word, .s, .e:not([x='-6']))");
  return names.flatMap(([name, a]) => marks.filter(([, b]) => met(a, b)).map(() => name));
}"""
"""Names on the map that lie on a mark."""
PLAIN = "ml-eat(resamples=0,frequency=off,adjust=none)"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frozen") / "weat-6.html"
    with eatlas.explore("weat-6") as page:
        page.save(path)
    return path


@pytest.fixture
def open_page(tabs: Tabs, file: Path) -> Iterator[Any]:
    def opened(width: int = DESK, scheme: str = "light") -> Page:
        address = file.as_uri()
        page = tabs.open(
            address, width=width, height=800, scheme=scheme, allowed=lambda url: url == address
        )
        expect(page.locator("#headline")).to_contain_text("Female names go with Family")
        return page

    return opened


def measured(page: Page, lists: dict[str, list[str]]) -> dict[str, Any]:
    script = "lists => { const m = eatlasFrozen.measure(lists); return {...m, at: null, finding: eatlasFrozen.finding(m), hangs: eatlasFrozen.decisive(lists, m)}; }"  # fmt: skip
    return page.evaluate(script, lists)


def require_same(page: Page, lists: dict[str, list[str]], names: dict[str, str]) -> None:
    """The script's numbers are those of the library, and so is what it says."""
    test = eatlas.AssociationTest(
        **{role: eatlas.Concept(name=names[role], terms=tuple(lists[role])) for role in "XYAB"}
    )
    (result,) = eatlas.run(test, "glove-sample", PLAIN)
    found = measured(page, lists)
    for effect in result.effects():
        level = found["levels"][effect.place]
        assert level["d"] == pytest.approx(effect.d, abs=1e-9)
        assert level["total"] == effect.p.total
        for tail in ("greater", "less", "two_sided"):
            assert level["p"][tail] == pytest.approx(effect.p[tail], abs=1e-9)
            if effect.p.count_of(tail) is not None:
                assert level["counts"][tail] == effect.p.count_of(tail)
    assert found["label"] == result.primary.label
    for cell, mean in found["cells"].items():
        assert mean == pytest.approx(result.level3[cell].mean, abs=1e-9)
    alone = finding_of(result.model_copy(update={"generalisation": None, "frequency": None}))
    assert found["finding"]["sentence"] == alone.sentence
    assert found["finding"]["grade"] == alone.grade
    if alone.grade != "not shown":
        assert tuple(found["hangs"]) == alone.hangs_on


def test_the_script_finds_what_the_library_finds(open_page):
    page = open_page()
    data = page.evaluate("eatlasFrozen.data")
    names = {role: group["name"] for role, group in data["groups"].items()}
    original = {role: list(group["words"]) for role, group in data["groups"].items()}
    require_same(page, original, names)
    rng = random.Random(7)
    for seed in range(12):
        pool = list(data["words"])
        rng.shuffle(pool)
        if seed % 3:  # near the original words: patterns of all kinds
            lists = {role: list(words) for role, words in original.items()}
            for role in "XYAB":
                for _ in range(rng.randrange(3)):
                    lists[role].pop(rng.randrange(len(lists[role])))
            for role in "XYAB"[: rng.randrange(5)]:
                lists[role].append(next(w for w in pool if w not in chain(*lists.values())))
        else:
            sizes = [rng.randrange(2, 11) for _ in range(4)]
            lists = {
                role: [pool.pop() for _ in range(n)] for role, n in zip("XYAB", sizes, strict=True)
            }
        require_same(page, lists, names)


@pytest.mark.slow
def test_the_longest_design_is_counted_exactly(open_page):
    page = open_page()
    words = page.evaluate("eatlasFrozen.data.words")
    lists = {"X": words[32:50], "Y": words[50:72], "A": words[16:24], "B": words[24:32]}
    test = eatlas.AssociationTest(**{role: list(terms) for role, terms in lists.items()})
    (result,) = eatlas.run(
        test, "glove-sample", "ml-eat(resamples=0,frequency=off,adjust=none,p=exact)"
    )
    assert measured(page, lists)["levels"]["level1"]["counts"] == {
        tail: result.level1.p.count_of(tail) for tail in ("greater", "less", "two_sided")
    }
    script = "lists => { try { eatlasFrozen.measure(lists); } catch (e) { return e.message; } }"
    assert "41 words: more than 40" in page.evaluate(script, lists | {"Y": words[50:73]})


def test_a_change_is_answered_undone_and_only_what_can_be_known_is_shown(open_page):
    page = open_page()
    before = page.locator("#board").inner_html()
    assert page.locator("#checks .holds").count() >= 3  # of the original words all is known
    expect(page.locator("#others table")).to_be_visible()
    for part in ("#make", "#take", "#against", "#source", "#chance", "#new", "#exports"):
        expect(page.locator(part)).to_have_count(0)
    expect(page.locator("#frozen")).to_contain_text("A frozen copy")
    page.get_by_role("button", name="Diana").click()
    expect(page.locator("#finding")).to_contain_text("changed: without Diana (Female names)")
    d = page.locator("#levels tr td:nth-child(2) b")
    expect(d).to_have_text(["1.76", "0.75", "−1.22"])
    (result,) = eatlas.run(
        eatlas.load_tests("weat-6")[0].model_copy(update={
            "Y": eatlas.Concept(name="Female names", terms=("Amy", "Joan", "Lisa", "Sarah", "Kate", "Ann", "Donna")),
        }), "glove-sample", PLAIN,
    )  # fmt: skip
    count = result.level1.p.count_of("greater")
    expect(page.locator("#levels")).to_contain_text(f"{count} of {result.level1.p.total:,}")
    expect(page.locator("#band")).to_contain_text("2 lists looked at")
    hangs = result.finding.hangs_on
    expect(page.locator("#hangs")).to_contain_text(f"It hangs on {', '.join(hangs[:6])}")
    assert page.locator("#plane .dot.off").count() == 1
    assert page.locator("#checks .not-made").count() == 4
    for part in ("#without", "#say"):
        expect(page.locator(part)).to_be_hidden()
    expect(page.locator("#others")).to_have_count(0)
    page.locator("#add-X").fill("Ann, qqxq")
    page.locator("#add-X").press("Enter")
    expect(page.locator("#finding")).to_contain_text("Nothing to show")
    expect(page.locator("#why")).to_contain_text("Ann: on both sides, X and Y")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Undo").click()
    page.locator("#chip-Y5").focus()
    page.keyboard.press("m")
    page.keyboard.press("x")
    expect(page.locator("#finding")).to_contain_text("moved from Female names to Male names")
    expect(page.locator("#group-X .chip")).to_have_count(9)
    page.locator("#add-A").fill("qqxq")
    page.locator("#add-A").press("Enter")
    expect(page.locator("#chips-A .note")).to_have_text("Not in this copy: qqxq.")
    page.get_by_role("button", name="Original words").click()
    expect(page.locator("#others table")).to_be_visible()
    page.locator("#band").evaluate("one => one.remove()")
    after = page.locator("#board").inner_html()
    assert after.replace(' list="candidates"', "") == before.replace(' list="candidates"', "")


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", PHONE)])
def test_axe_is_content_and_nothing_overflows(open_page, file, scheme, width):
    assert file.stat().st_size < LIMIT
    page = open_page(width, scheme)
    for word in (None, "Diana"):
        if word:
            page.get_by_role("button", name=word).click()
            expect(page.locator("#finding")).to_contain_text("changed")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(MEETING) == []
        for part in ("#plane svg", "#levels", "#eat-map"):
            box = page.locator(part).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


@pytest.mark.slow
def test_hostile_names_are_text_and_lists_with_spaces_are_split(tabs, mine, tmp_path):
    path = tmp_path / "mine.html"
    with eatlas.explore(mine) as served:
        served.save(path)
    page = tabs.open(path.as_uri(), width=DESK, allowed=lambda url: url == path.as_uri())
    expect(page.locator("#group-X .missing")).to_contain_text("<img src=x onerror=window.bad=1>")
    page.get_by_role("button", name="carpenter").click()
    expect(page.locator("#finding")).to_contain_text("without carpenter (People who work in")
    expect(page.locator("#group-X .missing")).to_contain_text("<img src=x onerror=window.bad=1>")
    assert page.evaluate("[window.bad, document.querySelectorAll('img, main i').length]") == [
        None,
        0,
    ]
    page.locator("#add-B").fill("SON BROTHER")
    page.locator("#add-B").press("Enter")
    page.locator("[data-apart='SON BROTHER']").click()
    expect(page.locator("#group-B .chip bdi")).to_have_text(
        ["he", "man", "his", "father", "son", "brother"]
    )
    page.locator("#add-B").fill("Boy")
    page.locator("#add-B").press("Enter")
    expect(page.locator("#group-B .chip bdi").last).to_have_text("boy")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("tests", "vectors", "measure", "said"),
    [
        (["weat-6", "weat-7"], "glove-sample", None, "a frozen page holds one test\n  got: weat-6, weat-7"),
        ("weat-6", ["glove-sample", OTHER], None, "a frozen page holds one source"),
        ("weat-1", "glove-sample", None, "weat-1 is too long for a frozen page\n  got: 50 words in X and Y"),
        ("weat-6", "glove-sample", "weat", "exact p-values of ML-EAT\n  got: weat"),
        ("weat-6", "glove-sample", "ml-eat(p=sampled)", "exact p-values of ML-EAT"),
    ],
)  # fmt: skip
def test_what_a_frozen_page_does_not_hold_is_refused(tmp_path, tests, vectors, measure, said):
    path = tmp_path / "page.html"
    with eatlas.explore(tests, vectors, measure) as page, pytest.raises(EatlasError, match=said):
        page.save(path)
    assert not path.exists()
