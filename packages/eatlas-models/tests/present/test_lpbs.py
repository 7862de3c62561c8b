"""LPBS on the page, in the terminal and drawn."""

from __future__ import annotations

import re
import zlib

import pytest
from tests.inputs import make_test
from tests.present.records import (
    PLACES,
)

import eatlas
from eatlas import LPBS
from eatlas.present.findings import effects_with_verdicts
from eatlas.present.report import report_html
from eatlas.present.sentences import sentence
from eatlas_models.encoders.language import Answer
from eatlas_models.results.language import LPBSResult
from eatlas_models.results.language_model import LanguageModelRecord

TEST = make_test(
    X=("rose", "ivy", "tulip", "lily"), Y=("ant", "wasp", "flea", "gnat"),
    A=("nice", "lovely", "kind", "good"), B=("vile", "awful", "nasty", "bad"),
)  # fmt: skip


class Model:
    """A language model that finds flowers nice."""

    name, fingerprint, notes, kind = "hf:tiny", "sha256:0", (), "masked"
    about = LanguageModelRecord(
        model="tiny", architecture="BertForMaskedLM", kind="masked", vocabulary=9
    )

    def score(self, questions, tell=None):
        return {one: self._answer(one) for one in questions}

    def _answer(self, one):
        noise = zlib.crc32(f"{one}".encode()) % 100 / 100
        flower = one.stimulus.lower() in TEST.X.terms
        nice = one.other_stimulus in TEST.A.terms
        likely = 0.0 if one.hidden else (1.5 if nice else -1.5) * flower
        return Answer(-9.0 + likely + noise, 1, 1)


@pytest.fixture(scope="module")
def result():
    return LPBS(resamples=200)(TEST, Model())


def test_the_sentence_has_the_published_number_and_does_not_read_it(result):
    said = sentence(result)
    assert said.startswith(
        "Flowers are more strongly associated with Pleasant than Insects are. Flowers are associated "
        "with Pleasant rather than Unpleasant. No significant association of Insects with Pleasant "
        "or Unpleasant is shown."
    )
    assert "no verdict depends on it" in said
    assert "vectors" not in said
    d = f"{result.effect_size:.2f}".replace("0.", ".", 1) if result.effect_size < 1 else None
    assert "Over attributes, the LPBS is d = " in said
    assert d is None or d in said


def test_the_page_says_what_moves_and_has_no_cosines(result):
    html = report_html([result])
    assert "Over attributes" in html
    assert "the LPBS, over attributes" in html
    assert "Level 3: the log-ratios of target terms" in html
    assert "Level 3: the cosines themselves" not in html
    assert "kurita2019measuring" in html
    assert "husse2022mind" in html
    assert "LPBS(" in html
    assert "whose p-values permute the labels of attributes" in html
    assert "<dt>Log-ratio</dt>" in html


ABOUT_VECTORS = re.compile("cosine|vector|similar|embedding|space", re.IGNORECASE)
RIGHT = re.compile(
    r"title = \{|Association Test for Interpretable|^hf:|case rule|embedding association tests you can"
)
"""Titles of works, in which such a word may stand."""


def words_of(html):
    """Every text of a page that a reader meets, in attributes too, but no style and no script."""
    plain = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    said = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', plain)
    return [one.strip() for one in (*re.split(r"<[^>]*>", plain), *said) if one.strip()]


def test_no_sentence_of_the_page_is_about_vectors(result):
    wrong = [one for one in words_of(report_html([result])) if ABOUT_VECTORS.search(one)]
    wrong = [line for one in wrong for line in one.splitlines() if ABOUT_VECTORS.search(line)]
    assert [line for line in wrong if not RIGHT.search(line)] == []


def test_the_page_says_what_a_ratio_is_and_its_unit(result):
    html = report_html([result])
    assert "A log-ratio is log P(target | attribute) − log P(target), in nats" in html
    assert "tiny finds a masked target" in html
    assert "Sentences: [target] is/are [attribute]." in html
    assert "attribute terms, in nats</h4>" in html
    assert "Difference<br>of log-ratios<small>nats</small>" in html
    causal = result.model_copy(update={"direction": "attribute given target"})
    assert "finds an attribute after the target than after a neutral word" in report_html([causal])
    corpus = result.model_copy(update={"templates": (), "sentences": ((2, 3), (1, 1))})
    assert "7 sentences of a corpus that contain a target and" in report_html([corpus])


def test_lpbs_answers_questions_and_not_by_the_effect_size_over_attributes():
    result = eatlas.LPBS(resamples=0)(TEST, Model())
    assert tuple(result.finding.questions) == PLACES
    over = [level.verdict for level in effects_with_verdicts(result, result.finding)][-1]
    assert over is None


def test_its_levels_are_few():
    assert len(LPBSResult.places) == 4  # d, three p, low, high, three more, two counts
