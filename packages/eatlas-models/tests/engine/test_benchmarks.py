"""Scores of logs as results, and whether they agree with associations over models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr
from tests.reading.inputs import EPOCHS, EVAL, LM_EVAL, inspect_json, is_biased, write_model

import eatlas
from eatlas.errors import ResultsError
from eatlas.results import AssociationResult, Results
from eatlas.stimuli.batteries import load_tests
from eatlas_models.engine.benchmarks import match_models, rename_models
from eatlas_models.stimuli.categories import category_of_task, category_of_test

CAREER = "bai-career"


def test_scores_of_a_log_by_category() -> None:
    ambiguous, disambiguated, accuracy = eatlas.read_logs(EVAL)
    assert [r.metric for r in (ambiguous, disambiguated, accuracy)] == [
        "bias-ambiguous", "bias-disambiguated", "accuracy",
    ]  # fmt: skip
    samples = inspect_json()["samples"]
    for category in ("Gender_identity", "Age", "Race_x_SES"):
        own = [
            sample["metadata"]["answer_info"][f"ans{'ABC'.index(letter)}"][1]
            for sample in samples
            if sample["metadata"]["category"] == category
            if sample["metadata"]["context_condition"] == "ambig"
            for letter in [sample["scores"]["choice"]["answer"]]
        ]
        signs = [
            (label != "unknown") * (1 if is_biased(sample, label) else -1)
            for sample, label in zip(
                (
                    sample
                    for sample in samples
                    if sample["metadata"]["category"] == category
                    if sample["metadata"]["context_condition"] == "ambig"
                ),
                own,
                strict=True,
            )
        ]
        (found,) = (target for target in ambiguous.targets if target.term == category)
        assert found.value == pytest.approx(sum(signs) / len(signs))
    assert accuracy.value == pytest.approx(8 / 24)
    assert accuracy.interval[0] < 8 / 24 < accuracy.interval[1]
    assert (accuracy.log.samples, accuracy.log.basis) == (24, "samples")


def test_scores_of_real_answers_of_a_model() -> None:
    """Accuracies as ``inspect eval`` printed them, bias scores by a loop over its samples."""
    of = {"choice/mean/accuracy": (0.417, {"Age": 0.375, "Sexual_orientation": 0.3,
                                           "Gender_identity": 0.667}),
          "bias-ambiguous": (-0.5, {"Age": -0.6, "Sexual_orientation": -0.4,
                                    "Gender_identity": -0.5}),
          "bias-disambiguated": (-0.714, {"Age": -1.0, "Sexual_orientation": 0.0,
                                          "Gender_identity": -1.0})}  # fmt: skip
    results = {result.metric: result for result in eatlas.read_logs(EPOCHS)}
    for metric, (value, categories) in of.items():
        assert round(results[metric].value, 3) == value
        assert {t.term: round(t.value, 3) for t in results[metric].targets} == categories
        assert results[metric].log.basis == "samples"
    assert str(results["bias-ambiguous"].warnings[0]).startswith("6 of 48 answers name none")
    mode = results["choice/mode/accuracy"]
    assert mode.log.basis == "standard error", "a mean over epochs by category is no mode"
    assert [target.term for target in mode.targets] == ["All questions"]


def test_a_score_without_samples_has_the_standard_error_of_its_log(tmp_path: Path) -> None:
    path = tmp_path / LM_EVAL.name
    path.write_text(LM_EVAL.read_text())
    by_metric = {result.metric: result for result in eatlas.read_logs(path)}
    acc = by_metric["acc"]
    reach = 1.959964 * 0.09829463743659808
    assert acc.interval == pytest.approx((1 / 3 - reach, 1 / 3 + reach))
    assert acc.log.basis == "standard error"
    bias = by_metric["bias-ambiguous"]
    assert {t.term for t in bias.targets} == {"Gender_identity", "Age", "Race_x_SES"}
    assert (bias.interval, bias.log.basis) == (None, "none")


def test_where_samples_and_log_differ_a_note_says_so(tmp_path: Path) -> None:
    log = json.loads(LM_EVAL.read_text())
    log["results"]["bbq"]["amb_bias_score,none"] = 0.75
    (tmp_path / LM_EVAL.name).write_text(json.dumps(log))
    for samples in LM_EVAL.parent.glob("samples_*.jsonl"):
        (tmp_path / samples.name).write_bytes(samples.read_bytes())
    (note,) = (note for result in eatlas.read_logs(tmp_path) for note in result.warnings)
    assert note.code == "logs.differ"
    assert "The log reports 0.750, and its samples give" in str(note)


def test_a_log_of_ambiguous_contexts_alone_has_their_score(tmp_path: Path) -> None:
    log = inspect_json()
    log["samples"] = [
        sample for sample in log["samples"] if sample["metadata"]["context_condition"] == "ambig"
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    metrics = [result.metric for result in eatlas.read_logs(path)]
    assert metrics == ["bias-ambiguous", "accuracy"]


def test_results_survive_a_file_and_are_not_verified(tmp_path: Path) -> None:
    read = eatlas.read_logs(EVAL)
    read.write(tmp_path / "scores.jsonl")
    assert list(eatlas.read_results(tmp_path / "scores.jsonl")) == list(read)
    for verdict in eatlas.verify(read):
        assert verdict.status == "not repeated"
        assert "read from logs" in " ".join(verdict.details)


# --- agreement ------------------------------------------------------------------------------------


class Model:
    """A model that puts so many of ten words of a kind where the stereotype does."""

    def __init__(self, follows: float) -> None:
        (test,) = load_tests(CAREER)
        self.x, self.y = test.X.terms, test.Y.terms
        self.a, self.b = set(test.A.terms), set(test.B.terms)
        self.follows = follows

    def __call__(self, prompts: Iterable[str]) -> list[str]:
        answers = []
        for number, prompt in enumerate(prompts):
            of_x = any(name in prompt for name in self.x)
            first, second = self.options(prompt)
            like = number * 0.618 % 1 < self.follows
            if (first in self.a) == (second in self.a):
                answers.append(min(first, second))
            else:
                wanted = self.a if of_x == like else self.b
                answers.append(first if first in wanted else second)
        return answers

    def options(self, prompt: str) -> list[str]:
        """The two attributes of a prompt, the longest names first."""
        named = sorted({*self.a, *self.b}, key=len, reverse=True)
        found: list[str] = []
        for word in named:
            if word in prompt and not any(word in other for other in found):
                found.append(word)
        return found[:2]


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Results]:
    """Six models, in a test of association and in a log."""
    folder = tmp_path_factory.mktemp("six")
    models: dict[str, Any] = {}
    for number, biased in enumerate((0, 1, 1, 2, 3, 4)):
        write_model(folder / f"{number}.json", f"host/model-{number}", biased)
        models[f"model-{number}"] = Model(0.5 + 0.08 * number)
    return eatlas.run(CAREER, models, "ask(by=samples)"), eatlas.read_logs(folder)


def test_models_are_correlated_over_those_that_both_have(six: tuple[Results, Results]) -> None:
    asked, read = six
    found = eatlas.agreement([*asked, *read])
    assert {result.metric for result in found} == {"bias-ambiguous", "bias-disambiguated"}
    for result in found:
        scores = {r.source: r for r in read if r.metric == result.metric}
        x = [r.value for r in asked]
        y = [
            next(t.value for t in scores[f"host/{r.source}"].targets if t.term == "Gender_identity")
            for r in asked
        ]
        assert result.category == "Gender_identity"
        assert result.value == pytest.approx(spearmanr(x, y).statistic)
        assert [target.association for target in result.targets] == list(zip(x, y, strict=True))
        assert result.p_holm == pytest.approx(min(1.0, 2 * result.p), abs=0.05)
        low, high = result.interval
        assert low < result.value <= high


def test_a_sentence_says_no_more_than_p_after_holm(six: tuple[Results, Results]) -> None:
    asked, read = six
    for result in eatlas.agreement([*asked, *read]):
        significant = result.p_holm <= 0.05 and result.interval[0] > 0
        assert result.finding.verdict == ("these words" if significant else "not shown")
        begins = "Models with a larger" if significant else "No significant agreement"
        assert result.finding.sentence.startswith(begins)


@pytest.mark.parametrize(
    ("p_holm", "interval", "verdict"),
    [
        (0.01, (0.1, 0.9), "these words"),
        (0.06, (0.1, 0.9), "not shown"),
        (0.01, (-0.1, 0.9), "not shown"),
    ],
)
def test_what_is_shown_has_a_small_p_and_an_interval_without_0(
    six: tuple[Results, Results], p_holm: float, interval: tuple[float, float], verdict: str
) -> None:
    result = eatlas.agreement([*six[0], *six[1]])[1]
    small = dict.fromkeys(("greater", "less", "two_sided"), 0.01)
    p = result.p_values.model_copy(update=small)
    update = {"p_values": p, "p_holm": p_holm, "interval": interval}
    finding = result.model_copy(update=update).finding
    assert finding.verdict == verdict
    if verdict == "these words":
        assert finding.sentence.startswith(f"Models with a larger value of ASK in {CAREER} have a")


@pytest.mark.parametrize(("count", "models"), [(1, "1 model"), (4, "4 models")])
def test_of_few_models_nothing_can_be_shown(
    six: tuple[Results, Results], count: int, models: str
) -> None:
    asked, read = six
    for result in eatlas.agreement([*asked[:count], *read]):
        assert (result.value, result.interval, result.p_values, result.p_holm) == (None,) * 4
        assert (result.source, result.finding.verdict) == (models, None)
        assert re.search(f"cannot be shown: {models} ha.* at least 6", result.finding.sentence)
        assert set(result.unmatched) == {f"host/model-{n}" for n in range(count, 6)}


def test_a_score_that_is_the_same_for_all_models_has_no_rho(six: tuple[Results, Results]) -> None:
    asked, _ = six
    logs = eatlas.read_logs({r.source: EVAL for r in asked})
    result = eatlas.agreement([*asked, *logs])[0]
    assert result.value is None
    assert "is undefined: one of the two is the same for all 6 models" in result.finding.sentence


def test_tests_of_the_users_have_a_category(six: tuple[Results, Results]) -> None:
    asked, read = six
    mine: list[AssociationResult] = [r.model_copy(update={"test": "mine"}) for r in asked]
    with pytest.raises(ResultsError, match=r"same category[\s\S]*--same"):
        eatlas.agreement([*mine, *read])
    found = eatlas.agreement([*mine, *read], categories={"mine": "Gender_identity"})
    assert {result.association_test for result in found} == {"mine"}


def test_two_results_of_one_model_are_refused(six: tuple[Results, Results]) -> None:
    asked, read = six
    with pytest.raises(ResultsError, match=r"model-0: two results of this model"):
        eatlas.agreement([*asked, asked[0], *read])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("hf:gpt2", "openai-community/gpt2"),
        ("hf:openai-community/gpt2?layer=3", "gpt2"),
        ("hf:openai-community/gpt2", "hf/openai-community/GPT2"),
        ("chat:http://localhost:8000/v1?model=gpt2", "openai-api/local/gpt2"),
        ("chat:http://localhost:11434/v1?model=llama3:8b", "ollama/llama3:8b"),
        ("hf:meta/llama-3:free", "openrouter/meta/llama-3:free"),
        ("hf:/data/models/gpt2/", "openai-community/gpt2"),
        ("hf:./gpt2", "openai-community/gpt2"),
    ],
)
def test_one_model_has_several_names(first: str, second: str) -> None:
    assert match_models([first], [second]) == {first: second}
    assert match_models([second], [first]) == {second: first}


@pytest.mark.parametrize(
    ("sources", "others"),
    [
        (["hf:meta/chat"], ["mistral/chat"]),  # names that end alike
        (["ollama/qwen2:8b"], ["ollama/llama3:8b"]),
        (["hf:a/chat", "hf:b/chat"], ["chat"]),  # either could be it
        (["hf:a/chat"], ["chat", "host/a/chat"]),
    ],
)
def test_models_that_may_differ_are_not_matched(sources: list[str], others: list[str]) -> None:
    assert match_models(sources, others) == {}
    assert match_models(others, sources) == {}


def test_the_same_name_is_matched_before_one_that_ends_alike() -> None:
    assert match_models(["a/chat", "chat"], ["chat"]) == {"chat": "chat"}


def test_names_that_end_alike_are_not_compared(six: tuple[Results, Results]) -> None:
    asked, read = six
    theirs = [r.model_copy(update={"source": f"hf:maker/{r.source}"}) for r in asked]
    for result in eatlas.agreement([*theirs, *read]):
        assert result.models == 0
        assert set(result.unmatched) == {r.source for r in (*theirs, *read)}
    assert rename_models(theirs, read) == [*read]
    ours = [r.model_copy(update={"source": f"hf:{r.source}"}) for r in asked]
    assert {r.source for r in rename_models(ours, read)} == {r.source for r in ours}


def write_categories(folder: Path, model: str, scores: dict[str, float]) -> None:
    """Write a log of lm-eval with bias scores by category."""
    numbers = {f"amb_bias_score_{name},none": value for name, value in scores.items()}
    whole = {"amb_bias_score,none": 0.1, **numbers}
    log = {"results": {"bbq": whole}, "configs": {}, "model_name": model}
    (folder / f"results_{model}.json").write_text(json.dumps(log))


def test_categories_with_one_common_name_are_compared_apart(
    six: tuple[Results, Results], tmp_path: Path
) -> None:
    asked, _ = six
    labels = ["Race_ethnicity", "Race_x_gender", "Race_x_SES"]
    for number, result in enumerate(asked):
        first = number % 3
        scores = {x: number / 10 + labels.index(x) for x in labels[first:] + labels[:first]}
        write_categories(tmp_path, result.source, {x: v / 3 for x, v in scores.items()})
    read = eatlas.read_logs(tmp_path)
    found = eatlas.agreement([*asked, *read], categories={CAREER: "race"})
    assert sorted(result.category for result in found) == sorted(labels)
    for result in found:
        values = [pair.association[1] for pair in result.targets]
        expected = [(n / 10 + labels.index(result.category)) / 3 for n in range(6)]
        assert values == pytest.approx(expected), result.category


def test_the_seed_of_permutations_is_recorded(six: tuple[Results, Results]) -> None:
    found = eatlas.agreement([*six[0], *six[1]], seed=5)
    assert {result.provenance.seed for result in found} == {5}


@pytest.mark.parametrize(
    ("value", "error", "interval"),
    [(0.5, -1, None), (0.5, 0, None), (0.9, 0.1, (0.9 - 0.1959964, 1.0)), (0.5, 1, (0.0, 1.0))],
)
def test_an_interval_of_a_standard_error_is_in_order_and_in_range(
    value: float, error: float, interval: tuple[float, float] | None, tmp_path: Path
) -> None:
    scores = {"acc,none": value, "acc_stderr,none": error}
    path = tmp_path / "results_1.json"
    path.write_text(json.dumps({"results": {"t": scores}, "configs": {}, "model_name": "m"}))
    (result,) = eatlas.read_logs(path)
    assert result.interval == (interval and pytest.approx(interval))


def test_categories_of_tests_and_tasks() -> None:
    every = [test.id for battery in ("caliskan", "bai") for test in load_tests(battery)]
    without = {test for test in every if not category_of_test(test)}
    assert without == {"weat-1", "weat-2", "weat-9", "bai-eating", "bai-decisions-eating"}
    assert category_of_task("crows_pairs_english_race_color") == "race"
    assert category_of_task("crows_pairs_english_gender") == "gender"
    assert category_of_task("piqa") == ""
