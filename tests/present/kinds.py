"""Results of several kinds, as sessions wrote them, and one test on the layers of a model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tests.contracts.golden_cases import SCENARIOS, kept

from eatlas.results import MLEATResult, Results, read_results

FOLDER = "/home/ann/our vectors/2026"
KINDS = ("sample", "measures", "divdist", "layers")


@cache
def lines_of(kind: str) -> str:
    (scenario,) = (scenario for scenario in SCENARIOS if scenario.name == kind)
    return "".join(f"{line}\n" for line in kept(scenario).lines)


def results_of(kind: str, folder: Path) -> Results:
    """The results of a session, or those of one test on a model in a folder far away."""
    path = folder / "kind.jsonl"
    path.write_text(lines_of("sample" if kind == "layers" else kind), encoding="utf-8")
    results = read_results(path)
    return Results(on_layers(results[0])) if kind == "layers" else results


def on_layers(result: MLEATResult, layers: int = 7) -> list[MLEATResult]:
    """The same result as if a model's layers had given it."""
    model, text = f"{FOLDER}/minilm", json.dumps(result.to_dict())
    found = []
    for n in range(layers):
        values = json.loads(text.replace("glove-sample", f"hf:{model}?layer={n}"))
        encoding = {
            "model": model, "architecture": "BertModel", "level": "word", "layer": str(n)
        }  # fmt: skip
        found.append(MLEATResult.from_dict(values | {"encoding": encoding}))
    return found
