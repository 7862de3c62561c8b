"""What a study will cost, before anything is read: texts, jobs, and seconds by a stated rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eatlas.apps.studies.fitting import Request
from eatlas.apps.studies.reading import Reading, readings_of, texts_of
from eatlas.apps.studies.study import METRICS, Prepared
from eatlas.sources.source import innermost
from eatlas.sources.spec import parse_file_spec, take_option

JOB = 0.02
"""Seconds of a job on looked-up or encoded vectors; 25 ms for 25 against 25 terms, 11 for 8 v 8."""
WITH_INTERVALS = 0.15
"""The same with bootstrap intervals and lists of random words."""
DRAWING = {"ceat": 3.0, "lpbs-ceat": 3.0}
"""Seconds of a job of measures that draw contexts 10,000 times."""
LOADING = 5.0
"""Seconds to load a model."""
FLOPS = 5e10
"""Operations a second of two processor cores; two for each weight and token."""
TOKENS = 12
"""Of a text: a template with a word."""
WEIGHTS = 110e6
"""Of a model whose files do not say: those of BERT base."""
RULE = (
    f"{JOB:g} s a job ({WITH_INTERVALS:g} s with intervals, {DRAWING['ceat']:g} s for ceat), "
    f"{LOADING:g} s to load a model, and for each text {TOKENS} tokens at two operations a weight, "
    f"{FLOPS:.0e} a second; layers of one model share a pass; texts that are kept from before "
    "cost nothing"
)


@dataclass(frozen=True)
class SourceCost:
    """What one source is read for."""

    name: str
    kind: str
    """``looked up``, ``encoded`` or ``asked``."""
    items: int
    """Words to look up, texts to encode, or questions to answer."""
    shared: bool = False
    """Whether another source's pass gives its vectors too."""
    weights: float = 0.0


@dataclass(frozen=True)
class Cost:
    """What a study will cost."""

    specifications: int
    controls: int
    skipped: int
    sources: tuple[SourceCost, ...]
    seconds: float
    """On one machine with two cores and no GPU, by the rule."""

    @property
    def jobs(self) -> int:
        """Specifications and controls."""
        return self.specifications + self.controls

    @property
    def texts(self) -> int:
        """Texts to encode, and questions to answer, each pass once."""
        return sum(one.items for one in self.sources if one.kind != "looked up" and not one.shared)


def cost_of(prepared: Prepared) -> Cost:
    """Estimate what a study will cost."""
    requests = prepared.requests
    sources = tuple(_sources(requests))
    seconds = sum(_job_seconds(one, prepared) for one in requests)
    seconds += sum(
        one.items * one.weights * 2 * TOKENS / FLOPS for one in sources if not one.shared
    )
    seconds += LOADING * len({_model(one.name) for one in sources if one.kind != "looked up"})
    controls = sum(one.control is not None for one in requests)
    return Cost(
        specifications=len(requests) - controls,
        controls=controls,
        skipped=len(prepared.fitted.misfits),
        sources=sources,
        seconds=seconds,
    )


def _sources(requests: Any) -> Iterator[SourceCost]:
    """Every source with what it is read for; a pass that gives several layers counts once."""
    passes: set[tuple[str, str]] = set()
    for reading in readings_of(requests).values():
        name, encodes = reading.source.name, METRICS[reading.need] != "cosine"
        if reading.need == "vectors":
            encodes = getattr(reading.source, "encoding", None) is not None
        if not encodes:
            yield SourceCost(name, "looked up", _items(reading))
            continue
        one_pass = (take_option(name, "layer")[0], reading.need)
        kind = "encoded" if reading.need == "vectors" else "asked"
        yield SourceCost(name, kind, _items(reading), one_pass in passes, _weights(reading))
        passes.add(one_pass)


def _items(reading: Reading) -> int:
    """Words, texts or questions of a reading."""
    if reading.need == "vectors":
        return len(texts_of(reading))
    if reading.need == "counts":
        return len(
            {term for test, _ in reading.questions for _, part in test.parts for term in part.terms}
        )
    return len({one for test, measure in reading.questions for one in measure.questions(test)})


def _weights(reading: Reading) -> float:
    """Number of weights of a model, from the size of its files."""
    if reading.need != "vectors":
        return WEIGHTS
    path = getattr(innermost(cast("Any", reading.source)), "path", None)
    if not isinstance(path, Path):
        return WEIGHTS
    files = [path] if path.is_file() else [*path.glob("*.safetensors"), *path.glob("*.bin")]
    return sum(file.stat().st_size for file in files) / 4 or WEIGHTS


def _job_seconds(request: Request, prepared: Prepared) -> float:
    name = request.measure.name
    return DRAWING.get(name, WITH_INTERVALS if prepared.plan.intervals else JOB)


def _model(name: str) -> str:
    return str(parse_file_spec(name).path)
