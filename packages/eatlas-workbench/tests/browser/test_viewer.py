"""Pages of all kinds, and of unusual results, fit windows of three widths in two themes."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page
from tests.browsing import violations
from tests.contracts.sessions import call_eatlas
from tests.inputs import make_sentences
from tests.present.browser.conftest import DESK, PHONE
from tests.present.kinds import on_layers, results_of
from tests.present.records import full, ml_eat, sc_eat, weat
from tests.present.test_lpbs import TEST as OF_MODEL
from tests.present.test_lpbs import Model
from tests.present.test_other_measures import mac, nearness
from tests.present.test_thumbnails import images_of

import eatlas
from eatlas import CEAT, LPBS, GroupsTest
from eatlas.errors import ResultsError
from eatlas.present import report_html, write_report
from eatlas.results import AssociationResult, Failure, MLEATResult, Results
from eatlas_workbench.replication import write_replication

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*jobs failed")]

WIDE = 1920
WORDS = {"one": 1_800, "layers": 2_500}
"""Words that these pages have at most."""
DIVDIST = "divdist(resamples=60,permutations=500)"
FIRST_SCREEN = """() => {
  const seen = part => {
    const { top, width, height } = part.getBoundingClientRect();
    return part.checkVisibility() && width > 0 && top + Math.min(height, 120) <= innerHeight;
  };
  return ['h1', '.grade, .cell, .lead, .facts', 'main svg'].map(
    parts => [...document.querySelectorAll(parts)].some(seen));
}"""
"""Whether finding, grade and a picture are seen at once."""
OVERLAPS = """() => {
  const boxes = [], pairs = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode, parent = text.parentElement;
    if (!text.textContent.trim() || !parent.checkVisibility({ contentVisibilityAuto: true })) continue;
    if (parent.closest('.sr, .skip, script, style, option, nav')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const rect of range.getClientRects()) {
      let [left, top, right, bottom] = [rect.left, rect.top, rect.right, rect.bottom];
      for (let part = parent; part !== document.body; part = part.parentElement) {
        if (getComputedStyle(part).overflowX === 'visible') continue;
        const cut = part.getBoundingClientRect();
        [left, top] = [Math.max(left, cut.left), Math.max(top, cut.top)];
        [right, bottom] = [Math.min(right, cut.right), Math.min(bottom, cut.bottom)];
      }
      if (right - left > 2 && bottom - top > 2)
        boxes.push({ left, top, right, bottom, parent, text: text.textContent.trim() });
    }
  }
  boxes.sort((one, two) => one.top - two.top);
  boxes.forEach((one, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].top < one.bottom; j += 1) {
      const two = boxes[j];
      if (one.parent.contains(two.parent) || two.parent.contains(one.parent)) continue;
      const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (wide > 4 && high > 4) pairs.push(`${one.text} | ${two.text}`);
    }
  });
  return pairs;
}"""
"""Texts that lie on one another, by more than the edge of a letter."""
OUTSIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN = """() => document.querySelectorAll(
  'article.result:nth-of-type(-n + 2) details, main details:not(article.result details)')
  .forEach(part => { part.open = true; })"""
TAKEN = "Math.max(0, ...[...document.querySelectorAll('.body')].map(" \
    "body => body.querySelectorAll('.take').length))"  # fmt: skip


# --- pages of fourteen kinds ------------------------------------------------------------------


def run(*given: Any, **options: Any) -> Callable[[Path], Results]:
    return lambda _: eatlas.run(*given, **options)


def of_layers(folder: Path) -> list[MLEATResult]:
    """Two tests on seven layers with two prompts."""
    results = []
    for n, prompt in product((0, 1), ("", "This is {}.")):
        for result in on_layers(results_of("sample", folder)[n]):
            values = json.loads(json.dumps(result.to_dict()))
            if prompt:
                values["encoding"]["prompt"] = prompt
                values["source"] += f"&prompt={prompt}"
            results.append(MLEATResult.from_dict(values))
    return results


def of_contexts(_: Path) -> list[AssociationResult]:
    test, rng = make_sentences(dict.fromkeys("XYAB", (4, 3, 5, 1))), np.random.default_rng(5)
    return [CEAT(n=150)(test, {text: rng.normal(size=40) for text in test.terms})]


def of_sentences(_: Path) -> Results:
    test, rng = make_sentences(dict.fromkeys("XYAB", (3,) * 6)), np.random.default_rng(5)
    vectors = {text: rng.normal(size=40) for text in test.terms}
    return eatlas.run(test, vectors, "ml-eat(resamples=100)")


def of_nations(_: Path) -> Results:
    """Targets against five groups."""
    dishes = ("wine", "tea", "beer", "pasta", "cheese", "opera", "football", "fashion", "queen")
    words = {
        "French": "france paris", "German": "germany berlin", "British": "britain london",
        "Italian": "italy rome", "Spanish": "spain madrid",
    }  # fmt: skip
    groups = tuple(
        {"name": name, "terms": (name.lower(), *places.split())} for name, places in words.items()
    )
    test = GroupsTest(id="dishes", targets={"name": "Dishes", "terms": dishes}, groups=groups,
                      reference="uniform")  # fmt: skip
    return eatlas.run(test, measures=DIVDIST)


def of_addresses(*options: str) -> Callable[[Path], Results]:
    """Parts of the addresses to Congress."""

    def measured(folder: Path) -> Results:
        (folder / "home-war.toml").write_text(HOME_WAR, encoding="utf-8")
        parts, vectors = folder / "parts.npz", ["--vectors", "glove-sample"]
        tests = ["--tests", str(folder / "home-war.toml")]
        call_eatlas(["embed", str(ADDRESSES), *vectors, *tests, *options, "-o", str(parts)])
        return eatlas.run(folder / "home-war.toml", parts, "ml-eat(resamples=100)")

    return measured


def of_images(folder: Path) -> Results:
    return eatlas.run(*images_of(folder / "set"), ["ml-eat(resamples=50)", "sc-eat"])


ADDRESSES = Path(__file__).parents[4] / "docs" / "data" / "addresses.jsonl.xz"
HOME_WAR = """
schema = 1
[[test]]
id = "home-war"
X = { name = "Women", terms = ["she", "her", "woman", "women", "mother", "mothers", "wife", "daughter"] }
Y = { name = "Men", terms = ["he", "his", "man", "men", "father", "fathers", "husband", "son"] }
A = { name = "Home", terms = ["home", "house", "family", "families", "child", "children", "parents", "marriage"] }
B = { name = "War", terms = ["war", "army", "military", "navy", "force", "troops", "soldiers", "enemy"] }
"""
SOURCES = {"GloVe 6B": "glove-sample", "centred": "glove-sample?transform=center"}
PARTLY = {"sample": "glove-sample", "mine": {"he": np.ones(3), "she": np.arange(3.0)}}
RESULTS: dict[str, Callable[[Path], Any]] = {
    "one": run("weat-6"),
    "two sources": run(["weat-3", "weat-6"], SOURCES, "ml-eat(resamples=200)", frequency="off"),
    "layers": of_layers,
    "sentences": of_sentences,
    "contexts": of_contexts,
    "parts": of_addresses("--by", "party"),
    "years": of_addresses("--by", "year", "--bins", "years"),
    "ask": partial(results_of, "asked"),
    "language model": lambda _: [LPBS(resamples=200)(OF_MODEL, Model())],
    "two groups": run("divdist-gender", measures=DIVDIST),
    "three groups": run("divdist-race", measures=DIVDIST),
    "five groups": of_nations,
    "other measures": run("divdist-gender", measures=["rnd", "mac", "rnsb", "ect"]),
    "images": of_images,
    "partly failed": run(["weat-6", "weat-7"], PARTLY),
}
PAGES = ("ten_page", "study_page", "card_page", "replication_page", "two_themes", "three_themes")


@pytest.fixture(scope="module")
def replication_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replication")
    return write_replication(eatlas.replicate("ml-eat"), folder)[0]


@pytest.fixture(scope="module")
def two_themes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return themes_of("divdist-gender", tmp_path_factory.mktemp("themes"))


@pytest.fixture(scope="module")
def three_themes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return themes_of("divdist-race", tmp_path_factory.mktemp("themes"))


def themes_of(test: str, folder: Path) -> Path:
    write_report(eatlas.scan("glove-sample", test, themes=60), folder / "themes.html")
    return folder / "themes.html"


def looked_at(page: Page, kind: str = "") -> None:
    """No page is wider than its window, no text lies on another, and axe finds nothing."""
    assert page.evaluate(FIRST_SCREEN) == [True] * 3
    assert page.evaluate(TAKEN) <= 1, "files are offered once"
    assert len(page.inner_text("body").split()) < WORDS.get(kind, 10_000)
    fits(page)
    if page.locator(".claim input").count():
        page.locator(".claim input:visible").last.uncheck()
    for width, scheme in product((DESK, PHONE), ("light", "dark")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert violations(page) == [], (scheme, width)


def fits(page: Page) -> None:
    for unfolded, width in product((False, True), (DESK, PHONE, WIDE)):
        if unfolded:
            page.evaluate(OPEN)
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OUTSIDE) == 0, width
        assert page.evaluate(OVERLAPS) == [], width
    page.set_viewport_size({"width": DESK, "height": 800})


@pytest.mark.filterwarnings("ignore:.*The vectors may be in another language")
@pytest.mark.parametrize("kind", RESULTS)
def test_a_report_fits(kind, tmp_path, open_page):
    page = open_page(RESULTS[kind](tmp_path), width=DESK)
    page.set_viewport_size({"width": DESK, "height": 800})
    looked_at(page, kind)


@pytest.mark.parametrize("made", PAGES)
def test_a_page_fits(made, request, open_page):
    page = open_page(request.getfixturevalue(made), width=DESK)
    page.set_viewport_size({"width": DESK, "height": 800})
    looked_at(page)


# --- unusual results --------------------------------------------------------------------------


def refused(test: str) -> Failure:
    error = ResultsError(f"test {test}, group X (Jobs): no term has a usable vector", got="none")
    return Failure(test, "some-vectors", "ML-EAT()", error)


def many_words(n: int) -> MLEATResult:
    """A test with so many words in each group."""
    rng = np.random.default_rng(3)
    names = ("Flowers", "Insects", "Pleasant", "Unpleasant")
    groups = {
        role: {"name": name, "terms": tuple(f"{name.lower()}{i}" for i in range(n))}
        for role, name in zip("XYAB", names, strict=True)
    }
    test = eatlas.AssociationTest(id="many", **groups)
    vectors = {term: rng.normal(size=20) for term in test.terms}
    return eatlas.run(test, vectors, "ml-eat(resamples=100)", frequency="off")[0]


LONG = {
    "X": "Men who work in the manufacturing of agricultural machinery ab",
    "Y": "Women who work in the manufacturing of agricultural machinery",
    "A": "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunter",
    "B": "Words that stand for whatever is unpleasant to most of the rest",
}
HEBREW = {"X": "שמות של גברים", "Y": "שמות של נשים", "A": "قراءة", "B": "משפחה"}
WITHIN = {"X": "Names", "Y": "Names of women", "A": "Common Names", "B": "Family"}


def unusual(kind: str) -> tuple[Sequence[AssociationResult] | Results, str]:
    """Results, and a text that their page has."""
    return {
        "all failed": (Results([], [refused("weat-1"), refused("weat-2")]), "2 were not measured"),
        "one of ten failed": (
            Results([ml_eat(test=f"t{n}") for n in range(9)], [refused("weat-1")]),
            "1 of 10 was not measured.",
        ),
        "many": ([full(test=f"t{n}") for n in range(500)], "500 results of ML-EAT"),
        "many words": ([many_words(50)], "50 terms"),
        "long names": ([full(names=LONG)], LONG["Y"]),
        "from right to left": ([full(names=HEBREW), weat(test="two")], HEBREW["X"]),
        "other packages": ([mac(), nearness()], "MAC"),
        "many terms": ([sc_eat({f"term{n}": n / 20 - 1 for n in range(40)})], "of 40 terms"),
        "a name within a name": ([full("B-Uniform", names=WITHIN), ml_eat()], "Names of women"),
    }[kind]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        "all failed", "one of ten failed", "many", "many words", "long names",
        "from right to left", "other packages", "many terms", "a name within a name",
    ],
)  # fmt: skip
def test_a_page_of_unusual_results_fits(kind, tmp_path, open_page):
    shown, text = unusual(kind)
    path = tmp_path / "report.html"
    write_report(shown, path)
    page = open_page(path, width=DESK)
    assert text in " ".join(page.inner_text("body").split())
    assert page.evaluate(TAKEN) <= 1
    fits(page)
    if kind == "from right to left":
        assert page.locator("h3[dir=auto]").first.is_visible()


def test_a_failure_is_a_band():
    page = report_html(unusual("one of ten failed")[0])
    assert '<p class="band"><strong>1 of 10 was not measured.</strong>' in page
