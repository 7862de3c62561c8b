"""What the report says of draws of contexts."""

import re

import numpy as np
import pytest
from tests.inputs import make_sentences
from tests.present.test_comparison import compared, in_texts

import eatlas
from eatlas.numbers import effect


@pytest.fixture(scope="module")
def result():
    test = make_sentences(dict.fromkeys("XYAB", (4, 3, 5, 1)))
    rng = np.random.default_rng(5)
    vectors = {text: rng.normal(size=40) for text in test.terms}
    return eatlas.CEAT(n=150)(test, vectors)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    eatlas.write_report([result], path)
    return path.read_text(encoding="utf-8")


def words_of(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_page_has_draws_patterns_and_stimuli(page, result):
    words = words_of(page)
    assert "Over samples of contexts 150 samples of one context for each stimulus" in words
    combined = result.samples.level1.combined
    assert effect(combined.effect_size) in words
    printed = result.samples.level1.published
    brief = f"published CES {effect(printed.effect_size)}, z = {effect(printed.z, 1)}"
    row, _, _ = page.partition('<div class="body">')
    assert brief in words_of(row)
    p = f"z = {effect(printed.z, 1)}, two-sided p"
    assert f"combined effect size (CES) {effect(printed.effect_size)}, {p}" in words.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert (
        "Percentage of 150 samples of contexts that show each of the nine patterns; patterns that none shows are left out."
        in words
    )
    assert "13 contexts of 4 stimuli" in words
    assert "x0 (4)" in words
    assert "x0 0." not in words
    assert "Each target stimulus has its mean cosine" in words


def test_windows_are_compared():
    windows = [in_texts(window=w, source=s) for s in ("cbow:a", "cbow:b") for w in (9, 3, 5)]
    rows = compared(*windows)
    assert [(row.by, len(row.members)) for row in rows] == [("source", 2)] * 3 + [("window", 3)] * 2
    assert ">Windows compared</h2>" in eatlas.present.report_html(windows)
