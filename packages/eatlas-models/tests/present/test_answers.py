"""Results of a model that is asked in words: what is refused comes first, then what it shows."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import make_test
from tests.measures.test_lpbs import words
from tests.present.records import head, level
from tests.present.test_lpbs import ABOUT_VECTORS, RIGHT, words_of

import eatlas
from eatlas import Ask
from eatlas.cli.table import print_results
from eatlas.numbers import percent
from eatlas.present import report_html, report_table, sentence
from eatlas.present.drawings.plane import has_map
from eatlas.present.report import report_text
from eatlas.results.compare import side_by_side
from eatlas_models.results.answers import AskResult, AssignResult
from eatlas_workbench.atlas import write_atlas

LITTLE = (
    "† More than a fifth of the answers are refusals or unusable, or more than 90% of the "
    "probability goes to other answers: this shows little."
)
TEST = make_test(
    X=("rose", "ivy", "tulip", "lily"), Y=("ant", "wasp", "flea", "gnat"),
    A=("nice", "lovely", "kind", "good"), B=("vile", "awful", "nasty", "bad"),
)  # fmt: skip
TEMPLATES_OF_TARGETS = "Is {target} {first} or {second}?; {target}: {first} or {second}?"


def gardener(refuse: float = 0.0, liking: float = 0.45):
    """A model that finds flowers nice, and declines a share of the questions."""

    def answers(prompts):
        return [_answer(prompt, refuse, liking) for prompt in prompts]

    return answers


def _answer(prompt: str, refuse: float, liking: float) -> str:
    first, second = re.findall(r"(\w+) or (\w+)\?", prompt)[0]
    noise = zlib.crc32(prompt.encode()) / 2**32
    if zlib.crc32(prompt[::-1].encode()) / 2**32 < refuse:
        return "I'm sorry, I can't choose."
    flower = any(word in prompt for word in TEST.X.terms)
    wanted = TEST.A.terms if flower else TEST.B.terms
    return first if noise < 0.5 + liking * ((first in wanted) - (second in wanted)) else second


def list_maker(prompts):
    """A model that assigns words as they come."""
    answers = []
    for prompt in prompts:
        pair = r"about (\w+) and a text about (\w+)|(\w+) (?:or|and) (\w+)"
        targets = [target for target in re.search(pair, prompt).groups() if target]
        words = re.search(r"\w+(?:, \w+){3,}", prompt)[0].split(", ")
        chosen = (targets[zlib.crc32(f"{prompt}{word}".encode()) % 2] for word in words)
        answers.append("\n".join(f"{w} - {t}" for w, t in zip(words, chosen, strict=True)))
    return answers


def asked(model, **parameters) -> AskResult:
    return Ask(templates=TEMPLATES_OF_TARGETS, resamples=200, **parameters)(TEST, model)


@pytest.fixture(scope="module")
def open_minded():
    return asked(gardener())


@pytest.fixture(scope="module")
def refusing():
    return asked(gardener(refuse=0.4))


def with_answers(result: AskResult, **changes) -> AskResult:
    """The same result, of a model that answered otherwise."""
    answers = result.answers.model_copy(update=changes)
    return result.model_copy(update={"answers": answers})


def assigned(refused: int = 1, d: float = 1.5, **changes) -> AssignResult:
    """Lists of words, made by hand."""
    shares = {"one": 0.9, "two": 0.8, "three": 0.7}
    record = head() | {
        "measure": "assign",
        "signature": "ASSIGN(alpha=0.05)",
        "over_attributes": level(d),
        "score": 0.81,
        "score_interval": [0.72, 0.9],
        "lists": 50,
        "with_score": 48,
        "assignments": 730,
        "unread": 12,
        "refused": refused,
        "shares": shares,
        "models": ["gpt-x"],
        "dates": ["2026-03-01"],
    }
    return AssignResult.from_dict(record | {"temperature": 1.0} | changes)


REFUSED = re.compile(r"\d+% of the answers are refusals or unusable, so this shows little")


def test_what_is_refused_comes_first_everywhere(refusing, capsys):
    finding = refusing.finding
    assert REFUSED.match(str(finding))
    assert REFUSED.match(sentence(refusing))
    assert re.match(r"\d+% unusable answers, ", refusing.summary())
    page = report_html([refusing])
    assert re.search(rf"<h1[^>]*>[^<]*?: {REFUSED.pattern}", page)
    for form in ("latex", "markdown", "html-table"):
        text = report_table([refusing], form).replace("\\", "").replace("allowbreak{}", "")
        assert REFUSED.search(re.sub(r"\s+", " ", text)), form
    print_results(eatlas.Results([refusing]))
    first = " ".join(capsys.readouterr().out.split("\n\n")[0].split())
    assert REFUSED.search(first)


def test_tables_of_several_models_mark_those_that_refuse(open_minded, refusing, capsys):
    results = eatlas.Results([open_minded, refusing.model_copy(update={"source": "other"})])
    share = f"† {percent(refusing.answers.refused)} unusable"
    print_results(results)
    printed = capsys.readouterr().out
    beside = side_by_side(results)
    for text in (printed, str(beside)):
        assert share in " ".join(text.split())
        assert LITTLE in " ".join(text.split())
    for text in (
        report_html(results), results._repr_html_(), report_table(results), beside.to_latex(),
        report_table(results, "latex", columns="wide"),
    ):  # fmt: skip
        plain = text.replace(r"\textdagger{}", "†").replace(r"\%", "%")
        assert plain.count(LITTLE) == 1
    alone = eatlas.Results([open_minded])
    assert "†" not in report_table(alone) + report_html(alone)


def test_options_without_probability_come_first_too(open_minded):
    said, unsaid = (
        with_answers(open_minded, by="logprobs", temperature=None, mass=mass)
        for mass in (0.1, 0.05)
    )
    assert not said.shows_little
    assert unsaid.shows_little
    assert said.unanswered == said.answers.refused
    sentence = "95% of the probability goes to other answers, so this shows little: "
    assert str(unsaid.finding).startswith(sentence)
    assert "†" in report_table([unsaid], "markdown")
    methods = report_text([unsaid], "methods")
    assert "unusable answers (" not in methods
    assert (
        "read from the log-probabilities of the options, and tests for other words also "
        "generalise" in methods
    )


def test_a_title_of_several_says_how_many_refuse(open_minded, refusing):
    page = report_html([open_minded, refusing.model_copy(update={"test": "other"})])
    title = re.search(r"<h1[^>]*>([^<]*)", page)[1]
    assert "in 1 of 2 results more than a fifth of the answers are refusals or unusable" in title
    assert title.index("fifth") < title.index("associations hold")
    assert "fifth" not in re.search(r"<h1[^>]*>([^<]*)", report_html([open_minded]))[1]


@given(st.integers(1, 500), st.data())
def test_more_than_a_fifth_is_the_one_rule(asked_for, data):
    refused = data.draw(st.integers(0, asked_for))
    result = assigned(refused=refused, lists=asked_for)
    assert result.shows_little is (5 * refused > asked_for)
    assert result.finding.sentence.startswith("D = ") is not result.shows_little


def test_refusals_of_one_kind_of_questions_are_told_from_a_preference():
    test, chance = words(8, 8, 8, 8), np.random.default_rng(3)

    def choose(prompt):
        target, *options = re.findall(r"\b[xyab]\d\b", prompt)
        choice = chance.choice(options)  # without a preference
        declines = target[0] == "x" and choice[0] == "b" and chance.random() < 0.4
        return "I'm sorry, I can't choose." if declines else str(choice)

    templates = TEMPLATES_OF_TARGETS.replace("Is {target}", "{target} is")
    measure = Ask(templates=templates, opponents=6)
    result = measure(test, lambda prompts: list(map(choose, prompts)))
    assert result.level1.p.two_sided < 0.001
    assert result.answers.refused < 0.15
    assert result.answers.level1.bounds[0] > 0
    (row,) = result.rows()
    assert row["refusals_p"] == result.answers.level1.p_uneven[0] > 0.05


def test_no_sentence_of_the_page_is_about_vectors(open_minded):
    wrong = [
        line
        for text in words_of(report_html([open_minded, assigned(source="gpt-x")]))
        for line in text.splitlines()
        if ABOUT_VECTORS.search(line)
    ]
    assert [line for line in wrong if not RIGHT.search(line)] == []


def test_the_page_says_how_the_model_answered(open_minded, refusing):
    page = re.sub(r"<[^>]+>", " ", report_html([open_minded, refusing]))
    page = re.sub(r"\s+", " ", page)
    answers = open_minded.answers
    assert page.count("How the model answered") == 2
    assert (
        f"{answers.asked:,} answers: 16 pairs of attributes for each target, sampled from A and B "
        "together, in 2 questions" in page
    )  # of a function
    assert "100% choose one of the two options" in page
    assert "decline" in page
    assert "The option named first wins" in page
    assert "Is [target] [first] or [second]?" in page
    assert "d at level 1 by question" in page
    assert "0.5 without a preference" in page
    read = with_answers(open_minded, by="logprobs", temperature=None, mass=0.625, models=("m-1",))
    page = re.sub(r"<[^>]+>", " ", report_html([read]))
    assert "as log-probabilities of both options" in page
    assert "62% of the probability" in page
    assert "100% of the prompts gave probabilities for the options" in page
    assert "choose one of the two options" not in page
    assert "It calls itself m-1" in page


def test_the_page_counts_in_the_singular_and_says_what_is_undefined(open_minded):
    answers = open_minded.answers
    alone = {"usable": answers.asked - 3, "faults": {"refused": 1, "empty": 2}, "temperature": 0.5}
    templates = tuple(each.model_copy(update={"effect_size": None}) for each in answers.templates)
    page = report_html([with_answers(open_minded, templates=templates, **alone)])
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "of the others, 2 are empty and 1 declines." in page
    assert "answers sampled at a temperature of 0.5: " in page
    assert "d at level 1 is undefined in each of 2 questions." in page


def test_cells_are_in_percent_and_no_map_shows_one_line(open_minded):
    mean = open_minded.level3.XA.mean
    assert open_minded.cell_text("XA") == f"{mean:.0%}"
    page = report_html([open_minded])
    assert f">{mean:.0%}<" in page
    assert "* p &lt; .05 in the direction of d<" in page
    assert ">50% without a preference<" in page
    assert not has_map(open_minded)
    assert has_map(with_answers(open_minded, about="attribute"))
    said = sentence(open_minded)
    assert f"Pleasant wins {mean:.0%} of its comparisons for Flowers" in said
    assert "without a preference 50%" in said
    turned = sentence(with_answers(open_minded, about="attribute"))
    assert f"Flowers win {mean:.0%} of their comparisons for Pleasant" in turned


def test_texts_for_a_paper(open_minded):
    methods = report_text([open_minded], "methods")
    assert "the proportion of paired comparisons (Thurstone 1927; Bradley and" in methods
    assert "answers were those of a function" in methods
    assert "refusals and unusable answers (0%) were left out" in methods
    works = report_text([open_minded, assigned()], "bibtex")
    for key in (
        "thurstone1927law",
        "bradley1952rank",
        "brennan2001generalizability",
        "bai2025explicitly",
    ):
        assert f"{{{key}," in works
    row = report_table([open_minded], "csv").splitlines()[0].split(",")
    assert {"asked", "by", "refused", "first_place", "agreement", "mass", "temperature"} <= {*row}


def test_the_terminal_says_how_models_answered(open_minded, refusing, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    print_results(eatlas.Results([open_minded]))
    out = " ".join(capsys.readouterr().out.split())
    assert "How the model answered Prompts. " in out
    print_results(eatlas.Results([open_minded, refusing.model_copy(update={"test": "other"})]))
    out = capsys.readouterr().out
    line = next(each for each in out.splitlines() if each.startswith("other ") and "%" in each)
    assert f"{refusing.answers.refused:.0%}" in line.split()
    assert "named first" not in out


def test_lists_lead_with_d_and_its_interval(capsys):
    result = assigned()
    assert str(result.finding) == (
        "D = 0.81 [0.72, 0.90]: in these word lists, Pleasant is assigned to Flowers more often "
        "than to Insects."
    )
    weak = assigned(over_attributes=level(0.1, 6000))
    assert str(weak.finding) == (
        "D = 0.81 [0.72, 0.90]: no significant difference between Flowers and Insects is shown."
    )
    assert [each.finding.verdict for each in (result, weak)] == ["these words", "not shown"]
    assert str(assigned(20).finding).startswith("40% of the lists have no assignment, so")
    print_results(eatlas.Results([result]))
    out = " ".join(capsys.readouterr().out.split())
    assert "730 words assigned; 12 lines of the answers could not be read" in out
    assert "1 list (2%) has no assignment; 48 lists have a D." in out
    page = report_html([result])
    assert "<h4>How the model answered</h4>" in page
    assert "It calls itself gpt-x. It answered on 2026-03-01." in page


def test_an_atlas_says_in_its_title_how_many_refuse(open_minded, refusing, tmp_path):
    path = tmp_path / "results.jsonl"
    other = refusing.model_copy(update={"source": "another"})
    eatlas.Results([open_minded, other]).write(path)
    write_atlas([path], tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    title = re.search(r"<h1[^>]*>([^<]*)", page)[1]
    assert title.startswith("2 sources: in 1 of 2 results more than a fifth of the answers are")
    assert "or more than a fifth of the answers are refusals or unusable" in page


def test_trackers_and_tables_have_what_was_refused(refusing):
    metrics = refusing.metrics()
    assert metrics["unanswered"] == refusing.answers.refused
    assert len(metrics) <= 11
    (row,) = refusing.rows()
    assert row["refused_X"] == refusing.answers.unusable["X"]
    low, high = refusing.answers.level2.Y.bounds
    assert (row["refusals_low_Y"], row["refusals_high_Y"]) == (min(low, high), max(low, high))
    assert (row["questions_low"], row["questions_high"]) == refusing.answers.level1.d.interval
    assert "unanswered" not in eatlas.run(tests="weat-6", measures="weat(resamples=0)")[0].metrics()


def test_the_explorer_refuses_what_a_model_answered(open_minded):
    with pytest.raises(eatlas.EatlasError, match="not answers of a model") as failure:
        eatlas.explore([open_minded])
    assert failure.value.got == open_minded.signature
