"""The search of the whole site, by its own engine: what readers type finds its page among the first three."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browsing import PATIENCE
from tests.present.browser.conftest import DESK
from tools.docs.search import RANKS, TYPED

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]

ROOT = Path(__file__).parents[3]
HITS = {
    "install": "install",
    "p-value": "methods/p-values",
    "how do I use my own vectors": "how-to/own-vectors",
    "confidence interval": "methods/uncertainty",
    "interval": "methods/uncertainty",
    "CI": "methods/uncertainty",
    "CI GitHub": "how-to/continuous-integration",
    "continuous integration": "how-to/continuous-integration",
    "GPU": "how-to/transformers",
    "WEAT python": "from-other-tools",
    "toml": "files",
    "csv": "files",
    "word2vec google news": "how-to/published-vectors",
    "gender bias": "association-tests",
    "plot effect size": "how-to/charts",
    "compare two models": "how-to/many-sources",
    "missing words": "choosing-stimuli",
    "sample size": "methods/power",
    "how many words": "choosing-stimuli",
    "GPT": "how-to/language-models",
    "different numbers": "how-to/different-numbers",
    "gpt-2": "how-to/language-models",
    "bert": "how-to/transformers",
    "stereotype": "association-tests",
    "career family": "association-tests",
    "effect size interpretation": "methods/effect-size",
    "LaTeX table": "how-to/tables",
    "word table": "how-to/tables",
    "cosine close to 1": "methods/diagnosis",
    "chatgpt": "how-to/ask",
    "refusals": "methods/refusals",
    "exact permutation": "methods/p-values",
    "dark mode": "reading-the-report",
}
FIRST = "items => items.slice(0, 3).map(item => item.querySelector('a').getAttribute('href'))"


def test_what_readers_type_finds_its_page(tabs, site):
    page = tabs.open((site / "install.html").as_uri(), width=DESK)
    box, meta = page.locator(".md-search__input"), page.locator(".md-search-result__meta")
    box.focus()
    missed = {}
    for query, wanted in HITS.items():
        for text in ("", query):
            box.fill(text)
            box.dispatch_event("keyup")
            said = "matching document" if text else "Type to start"
            expect(meta).to_contain_text(said, timeout=PATIENCE)
        first = page.locator(".md-search-result__item").evaluate_all(FIRST)
        if not any(f"/{wanted}.html" in f"/{address}" for address in first):
            missed[query] = first
    assert missed == {}


def test_ranks_and_words_are_those_of_pages():
    made = {"changelog", "contributing", "gallery"}
    pages = {
        path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    } | made
    assert set(TYPED) <= pages
    assert [start for start in RANKS if not any(page.startswith(start) for page in pages)] == []
