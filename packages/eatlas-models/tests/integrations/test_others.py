"""Classes that other packages take, run by the packages themselves."""

from __future__ import annotations

import builtins
import csv
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas

pytestmark = pytest.mark.filterwarnings("default")  # their packages warn

TEST = eatlas.load_tests("weat-6")[0]
WORDS = [term for concept in TEST.concepts.values() for term in concept.terms]


@pytest.fixture
def model() -> Any:
    """A SentenceTransformer of random vectors, one for each word of weat-6."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    vocabulary = {word: i for i, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.random.default_rng(1).normal(size=(len(vocabulary), 8)).astype(np.float32)
    static = StaticEmbedding(tokenizer, embedding_weights=weights)
    return SentenceTransformer(modules=[static], device="cpu")


@pytest.mark.slow  # their packages take seconds to import
def test_evaluator_measures_and_keeps_a_row_for_each_call(model: Any, tmp_path: Path) -> None:
    from eatlas_models.integrations import EATEvaluator

    with pytest.raises(eatlas.EatlasError, match="no test or battery"):
        EATEvaluator("weat-66")
    model.train()
    evaluator = EATEvaluator(TEST, name="bias")
    metrics = evaluator(model, str(tmp_path / "eval"), epoch=0, steps=5)
    evaluator(model, str(tmp_path / "eval"), epoch=1, steps=9)
    assert model.training
    expected = eatlas.run(TEST, {word: model.encode(word) for word in WORDS}).metrics()
    assert {f"bias_{name}" for name in expected} | {"bias_mean_abs_d"} == set(metrics)
    assert metrics["bias_weat-6/d"] == pytest.approx(expected["weat-6/d"], abs=1e-6)
    assert metrics[evaluator.primary_metric] == abs(metrics["bias_weat-6/d"])
    assert not evaluator.greater_is_better
    with (tmp_path / "eval/association_evaluation_bias_results.csv").open() as file:
        first, second = csv.DictReader(file)
    assert (first["steps"], second["epoch"]) == ("5", "1")
    assert float(second["weat-6/d"]) == metrics["bias_weat-6/d"]


@pytest.mark.slow
def test_evaluator_works_within_a_trainer(model: Any, tmp_path: Path) -> None:
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer
    from sentence_transformers import SentenceTransformerTrainingArguments as Arguments
    from sentence_transformers.sentence_transformer.losses import CosineSimilarityLoss

    from eatlas_models.integrations import EATEvaluator

    pairs = {"one": WORDS[:8], "two": WORDS[8:16], "label": [0.0, 1.0] * 4}
    evaluator = EATEvaluator(TEST)
    before = evaluator(model)
    arguments = Arguments(
        output_dir=str(tmp_path), max_steps=4, eval_strategy="steps", eval_steps=2,
        learning_rate=0.1, use_cpu=True, report_to=[], disable_tqdm=True,
        save_strategy="steps", save_steps=2, load_best_model_at_end=True,
        metric_for_best_model="eval_mean_abs_d", greater_is_better=False,
    )  # fmt: skip
    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_dict(pairs),
        loss=CosineSimilarityLoss(model),
        evaluator=evaluator,
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_weat-6/d" in entry]
    assert [entry["step"] for entry in logged] == [2, 4]
    assert logged[0]["eval_weat-6/d"] != before["weat-6/d"]
    assert trainer.state.best_metric == min(entry["eval_mean_abs_d"] for entry in logged)
    assert list(tmp_path.rglob("association_evaluation_results.csv"))


@pytest.mark.slow
def test_metric_of_evaluate(tmp_path: Path) -> None:
    from eatlas_models.integrations import EATMetric

    test = make_test()
    vectors = make_vectors(test)
    metric = EATMetric(cache_dir=str(tmp_path))
    words, rows = list(vectors), np.stack(list(vectors.values()))
    expected = eatlas.run(test, vectors).metrics()
    assert metric.compute(predictions=rows, references=words, tests=test) == expected
    metric.add_batch(predictions=rows[:4], references=words[:4])
    metric.add_batch(predictions=rows[4:], references=words[4:])
    assert metric.compute(tests=test, measures="weat")["tiny/d"] == expected["tiny/d"]
    with pytest.raises(eatlas.EatlasError, match="inhomogeneous"):
        metric.compute(predictions=[[1.0, 2.0], [1.0]], references=["he", "she"], tests="weat-6")
    with pytest.raises(eatlas.EatlasError, match="tests="):
        metric.compute(predictions=rows, references=words)


@pytest.mark.slow
def test_task_of_inspect(tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("answering.py")), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stereotyped, by_hand, refusing = map(json.loads, done.stdout.splitlines()[-3:])
    numbers = [stereotyped[name] for name in ("difference", "d_score", "refused")]
    assert numbers == [1, 1, 0]
    assert stereotyped["p_two_sided"] == pytest.approx(2 / math.comb(16, 8))
    # 12 answers of a: 6 name x and 6 y; 12 of b name y; 8 choose none
    assert by_hand["difference"] == pytest.approx(0.5)
    assert by_hand["d_score"] == pytest.approx(6 / 6 + 12 / 18 - 1)
    assert by_hand["p_two_sided"] == pytest.approx(2 / math.comb(6, 3))
    assert by_hand["refused"] == pytest.approx(8 / 32)
    assert refusing["refused"] == 1
    assert math.isnan(refusing["difference"])


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("training", "sentence_transformers"),
        ("evaluate", "evaluate"),
        ("inspect", "inspect_ai"),
    ],
)
def test_extra_is_named_where_a_package_is_absent(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"eatlas_models.integrations.{module}", raising=False)
    imported = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(f"No module named {package!r}")
        return imported(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(eatlas.EatlasError, match="pip install "):
        importlib.import_module(f"eatlas_models.integrations.{module}")


@pytest.mark.slow
def test_task_takes_one_test_of_words() -> None:
    from eatlas_models.integrations import word_choices

    for wrong in ("caliskan", "divdist-gender"):
        with pytest.raises(eatlas.EatlasError, match="one association test of words"):
            word_choices(wrong)
    with pytest.raises(eatlas.EatlasError, match="got: pairs=0"):
        word_choices(pairs=0)
    wildcards = {"X": ["nurs*"], "Y": ["doctor"], "A": ["love"], "B": ["war"]}
    with pytest.raises(eatlas.EatlasError, match="is a wildcard, not a word"):
        word_choices(wildcards)
