"""Results of every kind, as sessions of real sources wrote them, on sources with long paths."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

from tests.contracts.golden_cases import SCENARIOS, kept

from eatlas.results import AssociationResult, Results, read_results

FOLDER = "/home/ann/our vectors/2026"
_SOURCES = re.compile(r'(?<=")(hf:|cbow:hf:)?(minilm|bert|planted\.txt|alike\.txt|decades)\b')
"""Sources of the sessions, and the models that encodings name."""
KINDS = (
    "sample", "measures", "divdist", "earlier", "files", "series", "zero-shot", "minilm",
    "contexts", "language",
)  # fmt: skip
"""Ten tests; WEAT and SC-EAT; targets; several files; years; shares; prompts, layers, sentences;
CEAT in two windows, LPBS of two distances; templates."""


@cache
def results_of(kind: str) -> Results:
    """The results of a session, whose sources lie in a folder far away."""
    (scenario,) = (one for one in SCENARIOS if one.name == kind)
    lines = [_SOURCES.sub(rf"\1{FOLDER}/\2", line) for line in kept(scenario).lines]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.jsonl")
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        found = read_results(path)
    return Results([*found, *map(_farther, filter(_of_pairs, found))], trends=found.trends)


def _of_pairs(result: AssociationResult) -> bool:
    return result.contexts is not None and result.contexts.distance is not None


def _farther(result: AssociationResult) -> AssociationResult:
    """The same with pairs of words at another distance."""
    origin = result.contexts.model_copy(update={"distance": result.contexts.distance + 6})
    provenance = result.provenance.model_copy(update={"contexts": origin})
    return result.model_copy(update={"provenance": provenance})
