"""Studies against plain runs: the same numbers, whoever reads, encodes and measures."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.tiny_models import make_model

import eatlas
from eatlas.encoders import loading, transformer
from eatlas_workbench.studies import prepare

SMALL = make_test(
    X=("rose", "ivy"), Y=("ant", "wasp"), A=("nice", "lovely", "peace"), B=("vile", "awful", "war")
)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return f"hf:{make_model(tmp_path_factory.mktemp('bert'), 'bert')}"


def test_specifications_are_what_eatlas_run_finds():
    choices = {
        "transform": ["none", "center"],
        "ddof": [1, 0],
        "tail": ["directional", "two-sided"],
    }
    study = eatlas.multiverse({"tests": ["weat-6"], "choices": choices})
    plain = "ml-eat(frequency=off,resamples=0,ddof={ddof},tail={tail})"
    for one, result in zip(study.record.specifications, study.results, strict=True):
        source = {"none": "glove-sample", "center": "glove-sample?transform=center"}
        (alone,) = eatlas.run(
            one.choices["test"], source[one.choices["transform"]], plain.format(**one.choices)
        )
        assert result == alone
        assert (one.d, one.p, one.pattern) == (
            alone.level1.effect_size,
            alone.effects()[0].p_of(),
            alone.pattern.label,
        )
        assert study.results[one.line - 1].test == one.test


def test_resampling_is_for_those_who_want_it():
    bare = {"tests": ["weat-6"]}
    assert eatlas.multiverse(bare).results[0].uncertainty is None
    full = eatlas.multiverse({**bare, "study": {"intervals": True}})
    assert full.results[0] == eatlas.run("weat-6")[0]
    one = full.record.specifications[0]
    assert one.low < one.d < one.high
    chosen = eatlas.multiverse({**bare, "choices": {"resamples": [500]}})
    assert chosen.record.specifications[0].low is not None


def test_templates_and_words_names_and_terms(bert):
    study = eatlas.multiverse(
        {
            "tests": {"career": {"names": "c6-name", "terms": "c6-term"}},
            "vectors": {"bert": bert},
            "measures": ["weat"],
            "choices": {"contexts": ["none", "templates"]},
        }
    )
    assert [one.test for one in study.record.specifications] == [
        "c6-name", "sent-c6-name", "c6-term", "sent-c6-term",
    ]  # fmt: skip
    (alone,) = eatlas.run("sent-c6-name", bert, "weat(frequency=off,resamples=0)")
    assert study.results[1].level1 == alone.level1


def test_contexts_of_a_corpus_with_windows(bert, tmp_path):
    (tmp_path / "corpus.txt").write_text(
        "\n".join(
            f"We saw that the {word} was there again on a very long day number {n}."
            for role in "XYAB"
            for word in eatlas.load_tests("weat-9")[0].concept(role).terms
            for n in range(3)
        )
    )
    contexts = eatlas.find_contexts(str(tmp_path / "corpus.txt"), "weat-9", per_term=3)
    contexts.write(tmp_path / "contexts.jsonl")
    window = {"values": [2, 5], "when": {"contexts": "corpus"}}
    study = eatlas.multiverse(
        {
            "tests": ["weat-9"],
            "vectors": {"bert": f"{bert}?level=word"},
            "measures": ["weat"],
            "choices": {
                "contexts": {"words": "none", "corpus": str(tmp_path / "contexts.jsonl")},
                "window": window,
            },
        }
    )
    assert [one.choices["window"] for one in study.record.specifications] == ["", "2", "5"]
    runs = eatlas.run(
        "weat-9",
        f"{bert}?level=word",
        "weat(frequency=off,resamples=0)",
        contexts=contexts,
        windows=[2, 5],
    )
    assert [r.level1 for r in study.results[1:]] == [r.level1 for r in runs]
    assert [r.contexts.window for r in study.results[1:]] == [2, 5]


def test_cosine_and_probability_in_one_study(tmp_path):
    model, tokenizer = tiny.bert()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    measures = ["weat", "lpbs"]
    study = eatlas.multiverse(
        {"tests": [SMALL], "vectors": [f"hf:{tmp_path}"], "measures": measures}
    )
    assert [one.metric for one in study.record.specifications] == ["cosine", "log-probability"]
    (alone,) = eatlas.run(SMALL, f"hf:{tmp_path}", "lpbs(resamples=0)")
    assert study.results[1] == alone


def test_a_model_is_loaded_once_and_layers_share_a_pass(bert, monkeypatch):
    loads, passes = [], []
    load, pooled = loading._load, transformer.pool_batch
    monkeypatch.setattr(loading, "_load", lambda *given: loads.append(given) or load(*given))
    monkeypatch.setattr(
        transformer,
        "pool_batch",
        lambda *given: passes.append(len(given[-1])) or pooled(*given),
    )
    loading.forget()
    plan = {
        "tests": ["weat-6", "weat-9"],
        "vectors": {"bert": bert},
        "measures": ["weat"],
        "choices": {"layer": [0, 1, 2, 3], "pool": ["mean", "first"], "prompt": ["none", "a {}"]},
    }
    study = eatlas.multiverse(plan)
    assert len(study.results) == 32
    assert len(loads) == 1
    texts = {term for test in eatlas.load_tests(["weat-6", "weat-9"]) for term in test.terms}
    assert 0 < sum(passes) <= 4 * len(texts)  # two poolings, two prompts; four layers in each
    (alone,) = eatlas.run(
        "weat-9", f"{bert}?layer=2&pool=first&cache=no", "weat(frequency=off,resamples=0)"
    )
    spec = next(
        one
        for one in study.record.specifications
        if (one.test, one.choices["layer"], one.choices["pool"], one.choices["prompt"])
        == ("weat-9", "2", "first", "none")
    )
    assert spec.d == pytest.approx(alone.level1.effect_size, abs=1e-6)


def test_families_are_adjusted_as_statsmodels_does():
    choices = {"transform": ["none", "center"], "ddof": [1, 0]}
    plan = {
        "tests": ["weat-6", "weat-7", "weat-8", "weat-9"],
        "measures": ["weat"],
        "choices": choices,
    }
    frame = eatlas.multiverse(plan).to_frame()
    for _, family in frame.groupby(["transform", "ddof"]):
        assert len(family) == 4
        for method, column in (("holm", "p_holm"), ("fdr_bh", "p_bh")):
            expected = multipletests(family["p_two_sided"], method=method)[1]
            np.testing.assert_allclose(family[column], expected, rtol=1e-12)
    plan["family"] = {"over": "all"}
    frame = eatlas.multiverse(plan).to_frame()
    expected = multipletests(frame["p_two_sided"], method="holm")[1]
    np.testing.assert_allclose(frame["p_holm"], expected, rtol=1e-12)


def test_costs_count_texts_and_share_passes(bert):
    plan = {
        "tests": ["weat-6"],
        "vectors": {"glove": "glove-sample", "bert": bert},
        "measures": ["weat"],
        "choices": {"layer": {"values": [0, 1], "when": {"vectors": "bert"}}},
    }
    words = {t for role in "XYAB" for t in eatlas.load_tests("weat-6")[0].concept(role).terms}
    assert prepare(plan).cost() == (32, len(words))


def test_a_failed_job_costs_no_other():
    study = eatlas.multiverse(
        {"tests": ["weat-6", "weat-7"], "measures": ["weat"], "choices": {"case": ["exact"]}}
    )
    assert [one.status for one in study.record.specifications] == ["failed", "done"]
    assert "no term has a usable vector" in study.record.specifications[0].reason
    with pytest.raises(eatlas.EatlasError, match="no term has a usable vector"):
        eatlas.multiverse({"tests": ["weat-6"], "choices": {"case": ["exact"]}})


@pytest.mark.slow
def test_a_choice_of_adjust_is_read_from_either_record():
    choices = {"adjust": ["none", "frequency"], "tail": ["directional", "two-sided"]}
    study = eatlas.multiverse({"tests": ["weat-3", "weat-6"], "choices": choices})
    for one, result in zip(study.record.specifications, study.results, strict=True):
        levels, rule = result, one.choices["tail"]
        if one.choices["adjust"] == "frequency":
            levels = result.adjusted
        assert (one.d, one.two_sided) == (levels.level1.effect_size, levels.level1.p.two_sided)
        p = levels.level1.p
        assert one.p == (p.greater if rule == "directional" else p.two_sided)
        assert one.pattern == levels.pattern.label
    (contrast,) = (c for c in study.analysis().contrasts if c.choice == "adjust")
    assert contrast.significant == (1.0, 0.5)
    assert contrast.flips == 2
    plain = eatlas.multiverse({"tests": ["weat-3"], "choices": {"adjust": ["none"]}})
    assert plain.results[0].adjusted is None


def test_a_bias_given_frequency_is_read_too():
    plan = {"tests": ["divdist-face-validity"], "choices": {"adjust": ["none", "frequency"]}}
    study = eatlas.multiverse(plan)
    result = study.results[1]
    assert [one.status for one in study.record.specifications] == ["done", "done"]
    assert study.record.specifications[1].d == result.adjusted.mean_bias != result.effects()[0].d


def test_without_such_a_choice_the_plain_numbers_are_read():
    study = eatlas.multiverse({"tests": ["weat-3"]})
    (one,), (result,) = study.record.specifications, study.results
    assert one.d == result.level1.effect_size != result.adjusted.level1.effect_size


def test_no_adjusted_number_is_a_failure_with_its_reason(tmp_path):
    test = make_test("mine", X=("rose", "ivy"), Y=("ant", "bee"), A=("nice", "joy"), B=("war", "x"))
    words = {term: np.eye(8)[i] + 0.1 for i, term in enumerate(test.terms)}
    plan = {"tests": [test], "vectors": [words], "choices": {"adjust": ["none", "frequency"]}}
    study = eatlas.multiverse(plan, out=tmp_path / "study")
    plain, adjusted = study.record.specifications
    assert (plain.status, adjusted.status, adjusted.line) == ("done", "failed", 2)
    assert adjusted.reason.startswith("Not adjusted for covariates")
    assert (adjusted.d, adjusted.p, adjusted.pattern) == (None, None, "")
    assert adjusted.reason in (tmp_path / "study" / "report.html").read_text("utf-8")
    again = eatlas.multiverse(plan, out=tmp_path / "study")
    assert again.record == study.record
