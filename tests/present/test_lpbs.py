"""LPBS on the page, in the terminal and drawn."""

from __future__ import annotations

import re
import zlib

import pytest
from tests.inputs import make_test

import eatlas
from eatlas import LPBS
from eatlas.cli.table import print_results
from eatlas.encoders.language import Answer
from eatlas.present.page import report_html
from eatlas.present.sentences import sentence
from eatlas.present.summaries import methods_paragraph
from eatlas.present.tables import report_table
from eatlas.results import Results
from eatlas.results.parts import LanguageModelRecord

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


def test_sentences_name_the_model_and_the_published_number(result):
    said = sentence(result)
    assert "The model's predictions associate" in said
    assert "vectors" not in said
    d = f"{result.effect_size:.2f}".replace("0.", ".", 1) if result.effect_size < 1 else None
    assert "Over attributes, the published LPBS is d = " in said
    assert d is None or d in said


def test_the_page_says_what_moves_and_has_no_cosines(result):
    html = report_html([result])
    assert "Over attributes" in html
    assert "the published effect size" in html
    assert "Level 3: the log-ratios themselves" in html
    assert "Level 3: the cosines themselves" not in html
    assert "kurita2019measuring" in html
    assert "husse2022mind" in html
    assert 'class="summary lpbs"' in html
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


def test_a_page_of_both_kinds_speaks_of_both(result):
    html = report_html([result, eatlas.run(tests="weat-6")[0]])
    assert "What 2 sources associate: " in html
    assert "the vectors, or the model&#39;s predictions, associate" in html
    assert "Closeness of vectors, measured by their cosine, or for LPBS the log-ratio" in html
    assert "No words were missing." in html
    assert "Hash of log-ratios" in html
    assert "Hash of vectors" in html


def test_the_page_says_what_a_ratio_is_and_its_unit(result):
    html = report_html([result])
    assert "A log-ratio is log P(target | attribute) − log P(target), in nats" in html
    assert "tiny finds a target behind a mask" in html
    assert "Sentences: [target] is/are [attribute]." in html
    assert "one attribute term, in nats." in html
    assert "Difference<br>of log-ratios<small>nats</small>" in html
    causal = result.model_copy(update={"direction": "attribute given target"})
    assert "finds an attribute after the target than after a neutral word" in report_html([causal])
    corpus = result.model_copy(update={"templates": (), "sentences": ((2, 3), (1, 1))})
    assert "7 sentences of a corpus that hold a target and an attribute." in report_html([corpus])


@pytest.mark.parametrize("form", ["latex", "markdown", "html-table"])
def test_tables_have_a_column_for_the_published_number(result, form):
    text = report_table([result], form)
    assert not ABOUT_VECTORS.search(re.sub(r".*(addlinespace|PREAMBLE|usepackage).*", "", text))
    assert "Over attributes" in text
    assert "mean log-ratio in nats" in text
    assert "whose p-values permute the labels of attributes" in text


def test_a_row_of_a_table_has_a_cell_for_each_column(result):
    head, _, row = report_table([result], "markdown").splitlines()[2:5]
    assert head.count(" | ") == row.count(" | ")
    place = [cell.strip() for cell in head.split(" | ")].index("Over attributes<br>d")
    assert f"{result.effect_size:.2f}".replace("-", "−") in row.split(" | ")[place]


@pytest.mark.parametrize("kind", ["eat-map", "forest", "findings", "influence", "stability"])
def test_drawings_are_not_about_vectors(result, kind):
    assert not ABOUT_VECTORS.search(eatlas.plot(result, kind).drawn)


def test_in_notebooks_too(result):
    assert not ABOUT_VECTORS.search(re.sub("white-space|overflow", "", result._repr_html_()))
    both = Results([result, result.model_copy(update={"source": "hf:other"})])
    assert not ABOUT_VECTORS.search(re.sub("white-space|overflow", "", both._repr_html_()))


def test_the_methods_paragraph_names_model_direction_and_templates(result):
    said = methods_paragraph([result])
    assert "log-probability bias score (LPBS; Kurita" in said
    assert "log-probability ratio of target given attribute by tiny" in said
    assert "made of templates ([target] is/are [attribute].)" in said
    assert "cosine" not in said


def test_the_table_has_a_column_of_its_own(result, capsys):
    print_results(Results([result]))
    shown = capsys.readouterr().out
    assert "LPBS d over" in shown
    assert "mean log-ratio in nats" in shown
    assert not ABOUT_VECTORS.search(shown)
    assert result.pattern.label in shown


def test_its_level_1_belongs_to_the_family(result):
    (member,) = Results([result]).family()
    assert (member.level, member.p) == ("level1", result.level1.p.two_sided)
