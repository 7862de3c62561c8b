"""Logs for tests: those of real runs, and the same run with other answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eatlas_models.reading.evaluation_logs import _read_archive

LOGS = Path(__file__).parent / "logs"
EVAL = LOGS / "bbq.eval"
EPOCHS = LOGS / "bbq-epochs.eval"
LM_EVAL = next((LOGS / "lm-eval").glob("results_*.json"))
STEREOTYPED = {"woman", "old", "lowSES-Black"}
"""Labels of the groups that the questions are about."""


def inspect_json() -> dict[str, Any]:
    """The log as inspect_ai writes it with ``--log-format json``: the head and the samples."""
    head, samples, _ = _read_archive(EVAL)
    return {**head, "samples": [*samples]}


def is_biased(sample: dict[str, Any], label: str) -> bool:
    """Whether an answer with a label is the stereotyped one, by hand."""
    negative = sample["metadata"]["question_polarity"] == "neg"
    return label != "unknown" and (label in STEREOTYPED) == negative


def write_model(path: Path, model: str, biased: int) -> Path:
    """Write the log of a model whose first answers of each category, so many, are biased."""
    log = inspect_json()
    log["eval"]["model"] = model
    left = {}
    for sample in log["samples"]:
        labels = [sample["metadata"]["answer_info"][f"ans{n}"][1] for n in range(3)]
        key = sample["metadata"]["category"], sample["metadata"]["context_condition"]
        left[key] = left.get(key, biased) - 1
        follows = left[key] >= 0
        chosen = next(
            n
            for n, label in enumerate(labels)
            if label != "unknown" and is_biased(sample, label) == follows
        )
        sample["scores"]["choice"]["answer"] = "ABC"[chosen]
    path.write_text(json.dumps(log), encoding="utf-8")
    return path
