"""Both readings of a test of sentences, on the page and in the terminal."""

import warnings

import pytest
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.cli.stimulus_table import over_stimuli
from eatlas.cli.table import print_results
from eatlas.report import report_html
from eatlas.report.numerals import effect, p_value
from eatlas.report.stimulus_level import EXPLANATION, stimulus_rows
from eatlas.results import Results

COUNTS = {"X": (3, 2, 4, 3), "Y": (2, 5, 2, 4), "A": (2, 4, 2, 3), "B": (3, 3, 2, 2)}


def measured(measure, counts=COUNTS):
    test = make_sentences(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return measure(test, make_vectors(test))


def text_of(html: str) -> str:
    return " ".join(html.split())


@pytest.mark.parametrize("measure", [eatlas.MLEAT(), eatlas.WEAT()], ids=["ml-eat", "weat"])
def test_the_page_has_both_p_values_and_says_why_they_differ(measure):
    result = measured(measure)
    page = text_of(report_html([result]))
    rows = stimulus_rows(result)
    assert len(rows) == (3 if measure.name == "ml-eat" else 1)
    assert EXPLANATION in page.replace("&#39;", "'")
    assert "Over stimuli: a stimulus' sentences averaged first" in page.replace("&#39;", "'")
    for row in rows:
        assert f"{row.sentences.n[0]} v {row.sentences.n[1]}" in page
        assert f"{row.stimuli.n[0]} v {row.stimuli.n[1]}" in page
        assert p_value(row.stimuli.p.two_sided, 0.05) in page
        assert p_value(row.sentences.p.two_sided, 0.05) in page
    assert "these terms are sentences made of 8 stimuli" in page
    assert "Which single stimuli drive it" in page
    assert "When all stimuli are drawn anew" in page


def test_the_stability_is_that_of_the_pattern_over_stimuli():
    result = measured(eatlas.MLEAT())
    page = text_of(report_html([result]))
    assert "resamples of the stimuli that show each of the nine patterns, all judged over" in page
    assert f"EAT pattern over stimuli: <strong>{result.stimulus_level.pattern.label}" in page


def test_a_level_without_p_is_said_to_be_undefined():
    result = measured(eatlas.MLEAT(), {**COUNTS, "Y": (9,)})
    assert "undefined: a group of one stimulus" in report_html([result])


def test_tests_of_words_say_nothing_of_stimuli(tiny, tiny_vectors):
    result = eatlas.MLEAT()(tiny, tiny_vectors)
    assert stimulus_rows(result) == []
    assert over_stimuli([result]) is None
    assert "Over stimuli" not in report_html([result])


def test_the_terminal_has_both_p_values(capsys):
    one = measured(eatlas.MLEAT())
    words = eatlas.MLEAT()(make_test(), make_vectors(make_test()))
    print_results(Results([one, words]))
    shown = capsys.readouterr().out
    assert f"{EXPLANATION} In parentheses: p over sentences." in text_of(shown)
    below = shown[shown.index("Over stimuli") : shown.index(EXPLANATION[:30])]
    assert "4, 4; 4, 4" in below
    assert one.stimulus_level.pattern.label in below
    for row in stimulus_rows(one):
        assert effect(row.stimuli.effect_size) in below
        assert p_value(row.rule.p(row.stimuli), 0.05) in below
        assert f"({p_value(row.over_sentences, 0.05)})" in below
    assert "tiny" not in below


def test_a_dash_stands_in_the_terminal_where_there_is_no_p(capsys):
    print_results(Results([measured(eatlas.MLEAT(), {**COUNTS, "A": (9,)})]))
    below = capsys.readouterr().out.split("Over stimuli", 1)[1]
    # level 1 stands; level 2 of both and the pattern do not
    (row,) = [line for line in below.splitlines() if line.startswith("said  ")]
    assert row.split()[-3:] == ["–"] * 3
