"""LPBS on the page, in the terminal and in charts."""

from __future__ import annotations

import zlib

import pytest
from tests.inputs import make_test

import eatlas
from eatlas import LPBS
from eatlas.cli.table import print_results
from eatlas.errors import ResultsError
from eatlas.plots import level3
from eatlas.report.methods import methods_paragraph
from eatlas.report.page import report_html
from eatlas.report.sentences import sentence
from eatlas.results import Results
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.language import Answer

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
    assert 'class="summary lpbs"' in html
    assert "whose p-values move labels of attributes" in html
    assert "<dt>Log-ratio</dt>" in html


def test_the_methods_paragraph_names_model_direction_and_templates(result):
    said = methods_paragraph([result])
    assert "log-probability bias score (LPBS; Kurita" in said
    assert "log-probability ratio of target given attribute by BertForMaskedLM" in said
    assert "{target:It|They} [is|are] {attribute}." in said
    assert "cosine" not in said


def test_the_table_has_a_column_of_its_own(result, capsys):
    print_results(Results([result]))
    shown = capsys.readouterr().out
    assert "LPBS d over" in shown
    assert "mean log-ratio" in shown
    assert result.pattern.label in shown


def test_level_3_is_drawn_in_its_unit_and_not_mixed(result):
    frame = level3.prepare(result)
    assert set(frame["unit"]) == {"log-ratio"}
    assert (frame["statistic"] == "log-ratio").sum() == 64
    other = eatlas.run(tests="weat-6")[0]
    with pytest.raises(ResultsError, match="one scale cannot show these results"):
        level3.prepare([result, other])


def test_its_level_1_belongs_to_the_family(result):
    (member,) = Results([result]).family()
    assert (member.level, member.p) == ("level1", result.level1.p.two_sided)
