"""Reading what the jobs of a study need: each file once, each model loaded once by each worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from eatlas.apps.studies.fitting import Request
from eatlas.encoders.encoder import share_passes
from eatlas.engine.frequency import wish_of
from eatlas.engine.plan import COUNTED, Question, Source, Watch, asked, computes
from eatlas.executors import Executor, here
from eatlas.measures.base import Need
from eatlas.sources.coverage import CaseRule, needed_items
from eatlas.sources.interface import Item, Tell, VectorSource
from eatlas.sources.snapshot import Snapshot, ranking_of, strongest
from eatlas.sources.source import is_contextual
from eatlas.sources.spec import parse_file_spec, take_option

SHARD = 4096
"""Texts of a model that are encoded together. A study with more is cut in pieces of so many, by
length, whoever encodes them: a vector depends in its last bits on the texts beside it, and numbers
are the same on one machine and on a cluster."""
Key = tuple[int, str]
"""A source, and the case rule by which it is read."""


@dataclass(frozen=True)
class Reading:
    """What is read of a source in one go."""

    source: Source
    need: Need
    questions: tuple[Question, ...]
    case: CaseRule


@dataclass(frozen=True)
class Batch:
    """What one worker reads at a time: sources that share their passes, whole or some texts."""

    readings: tuple[Reading, ...]
    items: tuple[Item, ...] | None = None
    """Texts that are encoded; None for all that the questions need."""


def readings_of(requests: Iterable[Request]) -> dict[Key, Reading]:
    """What must be read for some jobs, source by source."""
    questions: dict[Key, dict[tuple[int, str], Question]] = {}
    found: dict[Key, Request] = {}
    for one in requests:
        key = key_of(one)
        found.setdefault(key, one)
        by = (id(one.test), one.measure.signature)
        questions.setdefault(key, {})[by] = (one.test, one.measure)
    return {
        key: Reading(one.source, one.need, tuple(questions[key].values()), key[1])  # type: ignore[arg-type]
        for key, one in found.items()
    }


def key_of(request: Request) -> Key:
    """A source with the case rule; an encoder takes texts as they are written."""
    encodes = request.need != "vectors" or is_contextual(request.source)
    return id(request.source), "auto" if encodes else request.case


def texts_of(reading: Reading) -> set[Item]:
    """Items that a reading looks up or encodes."""
    source = cast("VectorSource", reading.source)
    words = {word for _, measure in reading.questions for word in measure.words}
    return needed_items(source, [test for test, _ in reading.questions], words, reading.case)


def read(
    readings: dict[Key, Reading], executor: Executor = here, watch: Watch | None = None
) -> dict[Key, Source]:
    """Read every source, and keep the answers."""
    encoded = {key: one for key, one in readings.items() if computes(one.source, one.need)}
    rest = {key: one for key, one in readings.items() if key not in encoded}
    parts: dict[Key, list[tuple[int, Source]]] = {key: [] for key in readings}
    for who, some in ((here, rest), (executor, encoded)):
        batches = list(_batches(some))
        work = _Read(watch) if watch is not None and who is here else read_batch
        with closing(who(work, [batch for batch, _ in batches])) as outcomes:
            for position, sources in outcomes:
                for key, source in zip(batches[position][1], sources, strict=True):
                    parts[key].append((position, source))
    return {key: _whole(readings[key], _in_order(found)) for key, found in parts.items()}


def _in_order(found: Iterable[tuple[int, Source]]) -> list[Source]:
    """Pieces of a source, the shortest texts first, whoever was the first to end."""
    return [source for _, source in sorted(found, key=lambda pair: pair[0])]


def _batches(readings: dict[Key, Reading]) -> Iterator[tuple[Batch, list[Key]]]:
    """Readings that share passes together, in pieces where they are long; models in a row."""
    of_models = {
        key: one
        for key, one in readings.items()
        if one.need == "vectors" and is_contextual(one.source)
    }
    for key, one in sorted(readings.items(), key=lambda pair: pair[1].source.name):
        if key not in of_models:
            yield Batch((one,)), [key]
    sources = [cast("VectorSource", one.source) for one in of_models.values()]
    for several in share_passes(sources):
        places = [(id(source), "auto") for source in several]
        together = tuple(readings[place] for place in places)
        items = set().union(*map(texts_of, together))
        if len(items) <= SHARD or not all(map(_in_pieces, together)):
            yield Batch(together), places
            continue
        ordered = sorted(items, key=lambda one: (len(one.content), one.content, one.span or ()))
        for start in range(0, len(ordered), SHARD):
            yield Batch(together, tuple(ordered[start : start + SHARD])), places


def _in_pieces(reading: Reading) -> bool:
    """Whether texts may be encoded apart: what is fitted on all of them, or counts, may not."""
    options = parse_file_spec(reading.source.name).options
    return "transform" not in options and options.get("truncate", "no") == "no"


def read_batch(batch: Batch, tell: Callable[[Reading], Tell | None] = lambda _: None) -> Any:
    """Read some sources; a model that they share is loaded once."""
    if batch.items is None:
        return [
            asked(one.source, one.need, one.questions, one.case, tell(one))
            for one in batch.readings
        ]
    return [
        Snapshot.of(cast("VectorSource", one.source), batch.items, tell(one))
        for one in batch.readings
    ]


@dataclass(frozen=True)
class _Read:
    """Reads batches in this process, and shows how far it is."""

    watch: Watch

    def __call__(self, batch: Batch) -> Any:
        return read_batch(batch, lambda one: self.watch(COUNTED[one.need], one.source.name))


def _whole(reading: Reading, parts: Sequence[Source]) -> Source:
    """Put the pieces of a source together."""
    if len(parts) == 1:
        return parts[0]
    pieces = cast("Sequence[Snapshot]", parts)
    found = {item: answer for piece in pieces for item, answer in piece.found.items()}
    notes = tuple(dict.fromkeys(note for piece in pieces for note in piece.notes))
    whole = Snapshot(replace(pieces[0].facts, notes=notes), found)
    wish = strongest(wish_of(measure) for _, measure in reading.questions)
    if wish is None:
        return whole
    tests = [test for test, _ in reading.questions]
    source = cast("VectorSource", reading.source)
    return replace(whole, ranking=ranking_of(source, tests, reading.case, wish))


class Cost(NamedTuple):
    """What a study will take; texts that layers of one model share count once."""

    words: int
    texts: int
    seconds: float


def cost_of(requests: Sequence[Request]) -> Cost:
    """Estimate: 0.02 s a job, 5 s to load a model, 0.05 s for each text of a model."""
    words = 0
    texts: dict[str, set[Any]] = {}
    for reading in readings_of(requests).values():
        if reading.need == "counts" or not computes(reading.source, reading.need):
            parts = [part for test, _ in reading.questions for _, part in test.parts]
            words += len({term for part in parts for term in part.terms})
        elif reading.need == "vectors":
            texts.setdefault(take_option(reading.source.name, "layer")[0], set()).update(
                texts_of(reading)
            )
        else:
            questions = {q for test, measure in reading.questions for q in measure.questions(test)}
            texts.setdefault(reading.source.name, set()).update(questions)
    number = sum(map(len, texts.values()))
    models = {parse_file_spec(name).path for name in texts}
    return Cost(words, number, 0.02 * len(requests) + 5 * len(models) + 0.05 * number)
