"""Views of a model: what is measured, what there is not, and how far views agree."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from scipy import stats
from tests.inputs import make_test
from tests.model_views.planted import (
    ASK,
    STRENGTH,
    TEST,
    Model,
    answers,
    unrelated,
    vectors,
)
from tests.tiny_models import make_model

import eatlas
from eatlas.errors import EatlasError, ResultsError, SourceError
from eatlas.numbers import effect
from eatlas.present.findings import NAMES, findings_of
from eatlas.results import Failure
from eatlas.results.parts import schema_of
from eatlas_models.model_views.measuring import carry_out, prepare
from eatlas_models.model_views.page import FILES, agreement_tables, maps_table
from eatlas_models.model_views.record import Coefficient, SideAgreement, ViewsRecord

OF_MODELS = ["ml-eat(resamples=0)", "lpbs(resamples=0)"]
WORDS = {"vectors": vectors(), "measures": [ASK, "ml-eat(resamples=200)", "lpbs(resamples=200)"]}


@pytest.fixture(scope="module")
def planted():
    """Three views of one association."""
    return eatlas.views(tests=TEST, logprobs=Model(), answers=answers, **WORDS)


@pytest.fixture(scope="module")
def apart():
    """Answers that have nothing to do with the vectors."""
    return eatlas.views(tests=TEST, answers=unrelated, **WORDS)


def test_three_views_of_one_association_agree(planted):
    assert [view.form for view in planted.record.views] == [
        "vectors", "log-probabilities", "answers",
    ]  # fmt: skip
    for pair in planted.record.agreements:
        assert pair.targets.rho > 0.9
        assert pair.targets.interval[0] > 0.7
        assert pair.targets.p < 0.001
    assert {(pair.first, pair.second) for pair in planted.record.agreements} == {
        (0, 1), (0, 2), (1, 2),
    }  # fmt: skip
    assert planted.headline.startswith("Vectors and answers agree: rho 0.9")
    assert planted.record.missing == ()


def test_answers_that_have_nothing_to_do_with_the_vectors_agree_with_nothing(apart):
    (pair,) = apart.record.agreements
    for coefficient in (pair.targets, pair.targets.within):
        assert coefficient.interval[0] < 0 < coefficient.interval[1]
        assert coefficient.interval[1] - coefficient.interval[0] > 0.5
    assert apart.headline.startswith("No agreement between vectors and answers is shown: rho ")
    assert "no agreement is shown" in apart.sentences("planted")[1]


def test_answers_that_are_mostly_no_choice_are_said_to_show_little_first():
    def shy(prompts):
        said = answers(prompts)
        return [text if place % 4 else "I cannot say." for place, text in enumerate(said)]

    views = eatlas.views(tests=TEST, answers=shy, **WORDS)
    begun = "% of the answers are refusals or unusable, so this shows little: Vectors and answers "
    assert begun in views.headline
    assert begun in views.sentences("planted")[0]


def test_the_difference_between_groups_is_no_agreement_within_them():
    """Within X and Y the answers go by another order; both views still separate X from Y."""
    shuffled = dict(zip(STRENGTH, STRENGTH.values(), strict=True))
    for role in "xy":
        names = [f"{role}{i}" for i in range(8)]
        for name, i in zip(names, (3, 6, 1, 5, 2, 7, 0, 4), strict=True):
            shuffled[name] = STRENGTH[f"{role}{i}"]
    views = eatlas.views(tests=TEST, answers=lambda prompts: answers(prompts, shuffled), **WORDS)
    (pair,) = views.record.agreements
    assert pair.targets.interval[0] > 0.3
    assert pair.targets.within.interval[0] < 0 < pair.targets.within.interval[1]
    first, second = views.sentences("planted")[:2]
    assert first.startswith("Vectors and answers agree")
    assert "no agreement is shown" in second


def test_coefficients_are_those_of_scipy(planted):
    for pair in planted.record.agreements:
        x, y = (
            np.round([*scores.X, *scores.Y], 9)
            for number in (pair.first, pair.second)
            for scores in [planted.result("planted", number).scores]
        )
        assert pair.targets.rho == pytest.approx(stats.spearmanr(x, y).statistic)
        a, b = (
            np.round(np.concatenate([s[:8] - s[:8].mean(), s[8:] - s[8:].mean()]), 8)
            for s in (x, y)
        )
        assert pair.targets.within.rho == pytest.approx(stats.spearmanr(a, b).statistic)
        assert pair.targets.n == pair.targets.within.n == 16


def test_coefficients_of_attributes_are_those_of_scipy(planted):
    for pair in planted.record.agreements:
        x, y = (
            np.round(cells[:8].mean(axis=0) - cells[8:].mean(axis=0), 6)
            for number in (pair.first, pair.second)
            for cells in [np.array(planted.result("planted", number).similarities)]
        )
        n = len(TEST.A.terms)
        a, b = (
            np.round(np.concatenate([s[:n] - s[:n].mean(), s[n:] - s[n:].mean()]), 5)
            for s in (x, y)
        )
        assert pair.attributes.rho == pytest.approx(stats.spearmanr(x, y).statistic)
        assert pair.attributes.n == len(x) == 8
        if 1 in (pair.first, pair.second):  # log-probabilities are alike within A and within B
            assert pair.attributes.within == Coefficient(n=8)
        else:
            assert pair.attributes.within.rho == pytest.approx(stats.spearmanr(a, b).statistic)


def test_views_may_agree_on_attributes_and_not_on_targets():
    """Answers know which attributes go with X more than with Y, and targets of a group as one."""

    def alike(prompts):
        strength = {word: 0.9 if word[0] == "x" else 0.2 for word in STRENGTH}
        return answers(prompts, strength)

    views = eatlas.views(tests=TEST, answers=alike, **WORDS)
    (pair,) = views.record.agreements
    assert pair.attributes.interval[0] > 0
    assert pair.targets.within.sign == 0
    said = views.sentences("planted")
    assert f"Over the attributes, they agree: rho {pair.attributes.text}." in said


def test_targets_that_one_view_lacks_are_left_out():
    fewer = {word: row for word, row in vectors().items() if word != "x0"}
    views = eatlas.views(tests=TEST, vectors=fewer, answers=answers, measures=ASK)
    assert views.record.agreements[0].targets.n == 15


def test_where_all_answers_are_alike_agreement_is_undefined():
    first = eatlas.views(
        tests=TEST, answers=lambda prompts: [p.split(": ")[1].split(" or ")[0] for p in prompts],
        **WORDS,
    )  # fmt: skip
    (pair,) = first.record.agreements
    assert pair.targets == SideAgreement(n=16, within=Coefficient(n=16))
    assert pair.attributes == SideAgreement(n=8, within=Coefficient(n=8))
    assert first.headline == (
        "Agreement between vectors and answers is undefined: all targets have the same score in "
        "answers"
    )
    assert first.result("planted", 0) is not None


def test_the_headline_of_several_tests_counts_them():
    again = TEST.model_copy(update={"id": "again"})
    views = eatlas.views(tests=[TEST, again], answers=answers, **WORDS)
    assert views.headline == "Vectors and answers agree in 2 of 2 tests"
    assert views.to_frame()["test"].tolist() == ["planted", "planted", "again", "again"]


@pytest.mark.parametrize(
    ("ends", "sign", "said"),
    [
        ((0.15, 0.85), 1, "Vectors and answers agree: rho 0.50 [0.15, 0.85]"),
        (
            (0.004, 0.85),
            0,
            "No agreement between vectors and answers is shown: rho 0.50 [0.00, 0.85]",
        ),
        ((-0.9, -0.2), -1, "Vectors and answers order the targets in opposite ways: rho"),
    ],
)
def test_a_sentence_says_no_more_than_the_interval_that_is_written(planted, ends, sign, said):
    pair = planted.agreement("planted", 0, 2)
    coefficient = SideAgreement(n=16, rho=0.5, interval=ends, p=0.01, within=Coefficient(n=16))
    assert coefficient.sign == sign
    assert planted.sentence(pair.model_copy(update={"targets": coefficient})).startswith(said)


# --- models of transformers -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "gpt2", "gpt2")


def test_a_causal_model_in_all_layers(gpt2):
    views = eatlas.views(f"hf:{gpt2}", TEST, answers=answers, measures=[ASK, *OF_MODELS])
    names = [view.name for view in views.record.views]
    assert names[:5] == ["layer 0", "layer 1", "layer 2", "layer 3", "log-probabilities"]
    first = views.results[0].encoding
    assert (first.level, first.prompt) == ("word", "This is {}")
    assert "model=causal" in views.record.views[4].signature
    layers = {(pair.first, pair.second) for pair in views.record.agreements if pair.second < 4}
    assert layers == set()  # they have a matrix of their own
    (among,) = views.record.layers
    assert among.layers == (0, 1, 2, 3)
    rows = [
        np.round([*scores.X, *scores.Y], 9)
        for number in among.layers
        for scores in [views.result("planted", number).scores]
    ]
    assert np.array(among.targets) == pytest.approx(stats.spearmanr(rows, axis=1).statistic)
    frame = views.to_frame()
    assert frame["rho_layer_before"][:4].tolist()[1:] == [
        row[n] for n, row in enumerate(among.targets[1:])
    ]
    before = [row[n] for n, row in enumerate(among.attributes[1:])]
    assert before[0] is None  # layer 0 knows no attribute from another
    assert frame["rho_attributes_layer_before"][2:4].tolist() == before[1:]
    assert frame["rho_attributes_layer_before"][4:].isna().all()
    assert (
        f"between the lowest and the top layer {effect(among.targets[0][3])}."
        in views.neighbours_sentence(among)
    )
    assert (0, 4) in {(pair.first, pair.second) for pair in views.record.agreements}
    assert views.references == (3, 4, 5)
    said = " ".join(views.sentences("planted"))
    assert "Of 4 layers, none agrees with answers (rho " in said
    (missing,) = views.record.missing  # its answers: it reads 40 pieces
    assert (missing.form, "too long" in missing.reason) == ("answers", True)


def test_a_masked_model_gives_no_answers(tmp_path):
    bert = make_model(tmp_path / "bert", "bert", "AutoModelForMaskedLM")
    views = eatlas.views(f"mine=hf:{bert}?layer=2", make_test(), prompt="{}", measures=OF_MODELS)
    assert [view.name for view in views.record.views] == ["layer 2", "log-probabilities"]
    assert "model=masked" in views.record.views[1].signature
    (missing,) = views.record.missing
    assert (missing.form, missing.model, missing.test) == ("answers", "mine", "")
    assert "does not answer" in missing.reason


def test_an_encoder_without_a_head_gives_vectors_alone(tmp_path):
    bert = make_model(tmp_path / "bert", "bert")
    views = eatlas.views(f"hf:{bert}", TEST, measures=OF_MODELS)
    assert {view.form for view in views.record.views} == {"vectors"}
    reasons = {missing.form: missing.reason for missing in views.record.missing}
    assert "lacks some of the model's" in reasons["log-probabilities"]
    assert "answers" in reasons


def test_a_model_in_memory_in_all_layers(gpt2):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    pair = AutoModelForCausalLM.from_pretrained(gpt2), AutoTokenizer.from_pretrained(gpt2)
    opened = prepare(pair, TEST).opened
    assert [(each.form, each.size) for each in opened][:2] == [
        ("vectors", 4), ("log-probabilities", 1),
    ]  # fmt: skip


# --- what there is not ----------------------------------------------------------------------------


def test_vectors_alone_have_no_other_view():
    views = eatlas.views("glove-sample")
    assert [missing.form for missing in views.record.missing] == ["log-probabilities", "answers"]
    assert all("glove" in missing.reason for missing in views.record.missing)
    assert views.headline == "Vectors: there is no other view to compare with"
    assert agreement_tables(views, "weat-6") == []


def test_a_test_that_a_measure_does_not_take_is_missing_in_its_view():
    german = TEST.model_copy(update={"language": "de", "id": "german"})
    views = eatlas.views(tests=[TEST, german], logprobs=Model(), **WORDS)
    (missing,) = views.record.missing
    assert (missing.form, missing.test) == ("log-probabilities", "german")
    assert "English" in missing.reason
    assert len(views.results) == 3


def test_a_job_that_fails_is_missing_in_its_view():
    few = {word: row for word, row in vectors().items() if word not in TEST.A.terms}
    with pytest.warns(eatlas.EatlasWarning, match="jobs failed|job failed|could not"):
        views = eatlas.views(tests=TEST, vectors=few, answers=answers, measures=ASK)
    (missing,) = views.record.missing
    assert (missing.form, missing.test) == ("vectors", "planted")
    assert [view.form for view in views.record.views] == ["answers"]
    assert isinstance(views.results.failures[0], Failure)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no source of the model is named"),
        ({"sources": "no-such-vectors"}, "no-such-vectors: no view of this model can be measured"),
        ({"sources": ["glove-sample", "no-such-vectors"]}, "no-such-vectors: no view"),
        ({"sources": "py:module:function"}, "may give vectors, log-probabilities or answers"),
        ({"sources": answers}, "may give vectors, log-probabilities or answers"),
        ({"sources": "glove-sample", "tests": "divdist-gender"}, "compared on association tests"),
        ({"sources": "glove-sample", "measures": "weat"}, "does not produce an EAT-Map"),
        ({"sources": "glove-sample", "measures": ["lpbs", "fmat"]}, "two measures of log-prob"),
        ({"vectors": "no-such-vectors"}, "no vectors called 'no-such-vectors'"),
        ({"sources": "glove-sample", "tests": "weat-66"}, "weat-66"),
    ],
)
def test_mistakes(given, said):
    with pytest.raises(EatlasError, match=said):
        eatlas.views(**given)


# --- files ----------------------------------------------------------------------------------------


def test_the_folder_is_read_again(planted, tmp_path):
    written = eatlas.write_views(planted, tmp_path / "o")
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == sorted(FILES)
    again = eatlas.read_views(tmp_path / "o")
    assert again.record == planted.record
    assert again.headline == planted.headline
    frame = pd.read_csv(tmp_path / "o" / "views.csv")
    assert frame["view"].tolist() == ["vectors", "log-probabilities", "answers"]
    rho = planted.agreement("planted", 0, 2).targets.rho
    assert frame["rho_answers"][0] == pytest.approx(rho)
    assert math.isnan(frame["rho_answers"][2])
    rho = planted.agreement("planted", 0, 2).attributes.rho
    assert frame["rho_attributes_answers"][0] == pytest.approx(rho)
    record = json.loads((tmp_path / "o" / "views.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema_of(ViewsRecord, "Views")).validate(record)
    tex = (tmp_path / "o" / "views.tex").read_text(encoding="utf-8")
    assert tex.count(r"\toprule") == 3
    with pytest.raises(ResultsError, match="the record of views cannot be read"):
        eatlas.read_views(tmp_path)


def test_results_of_another_run_are_kept(planted, apart, tmp_path):
    eatlas.write_views(planted, tmp_path)
    with pytest.warns(eatlas.EatlasWarning, match="results-1.jsonl"):
        eatlas.write_views(apart, tmp_path)
    assert eatlas.read_results(tmp_path / "results-1.jsonl")[2].measure == "ask"


def test_views_that_were_cut_off_go_on(planted, tmp_path):
    prepared = prepare(tests=TEST, logprobs=Model(), answers=answers, **WORDS)

    def stop(done, _):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(prepared, directory=tmp_path, progress=stop)
    taken = []
    again = carry_out(
        prepared, directory=tmp_path, begun=lambda store: taken.append(len(store.done))
    )
    assert taken == [2]
    assert again.record == planted.record
    assert not (tmp_path / "unfinished.jsonl").exists()


def test_results_of_all_views_go_to_other_processes(planted):
    for result in planted.results:
        assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301


def test_tables_have_a_row_for_each_view(planted):
    table = maps_table(planted, "planted")
    assert [row[0].lines[0] for row in table.rows] == ["vectors", "log-probabilities", "answers"]
    titles = [column.title for column in table.columns]
    assert titles[4:8] == ["these words", "new words", "adjusted for frequency", "Verdict"]
    assert titles[8].endswith("(paper's rule)")
    for row, finding in zip(table.rows, findings_of(planted.results), strict=True):
        assert row[7].lines[0] == NAMES[finding.verdict]
        assert [cell.star for cell in row[4:]] == [False] * 5, "stars are of the paper's rule"
    assert {row[7].lines[0] for row in table.rows} == {"not shown", "these word lists only"}
    narrow = maps_table(planted, "planted", whole=False)
    assert [column.title for column in narrow.columns] == ["View", "d", "d", "d", "Verdict"]
    assert [row[-1] for row in narrow.rows] == [row[7] for row in table.rows]
    matrix, of_attributes = agreement_tables(planted, "planted")
    pair = planted.agreement("planted", 0, 1)
    assert matrix.rows[0][1].lines[0] == pair.targets.text
    assert of_attributes.rows[0][1].lines[0] == pair.attributes.text
    assert [column.title for column in matrix.columns] == ["View", "log-probabilities", "answers"]
    assert matrix.rows[0][2].strong
    assert matrix.rows[2][2].lines == ("",)  # with itself
    brief = agreement_tables(planted, "planted", within=False)[0]
    assert brief.rows[0][1].lines == (pair.targets.text,)
    assert "Within" not in brief.notes[0]


def test_a_source_that_fails_while_it_is_read_ends_the_views():
    def broken(_):
        raise RuntimeError("no connection")

    with pytest.raises(SourceError, match="function failed"):
        eatlas.views(tests=TEST, answers=broken, **WORDS)
