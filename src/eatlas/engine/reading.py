"""What jobs of their own conditions need of their sources, read once: each file, each model."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from eatlas.engine.execution import Task
from eatlas.engine.measuring import AnySource
from eatlas.engine.plan import COUNTED, Question, Watch, computes, read_source
from eatlas.executors import Executor, here

if TYPE_CHECKING:
    from eatlas.measures.base import Need
    from eatlas.sources import CaseRule, Source, Tell


class Reading(NamedTuple):
    """What is read of a source in one go."""

    source: AnySource
    need: Need
    questions: tuple[Question, ...]
    case: CaseRule


def read_once(
    tasks: Sequence[Task], executor: Executor = here, watch: Watch | None = None
) -> list[Task]:
    """Have each source answer all that jobs need of it, and give them the answers.

    Parameters
    ----------
    tasks : sequence of Job and Conditions
        Their sources are open, and not read.
    executor : Executor
        Who encodes; layers of one model are encoded together. What is looked up is read here.
    watch : callable, optional
        Shows the progress of what is read here.

    Returns
    -------
    list of Job and Conditions
        The same jobs with what their sources answered, in their order.
    """
    readings: dict[Any, Reading] = {}
    keys = []
    for job, conditions in tasks:
        need = job.measure.needs.source
        # an encoder takes texts as they are written
        case = "auto" if computes(job.source, need) else conditions.case
        keys.append((id(job.source), need, case))
        reading = readings.setdefault(keys[-1], Reading(job.source, need, (), case))
        question = (job.test, job.measure)
        readings[keys[-1]] = reading._replace(questions=(*reading.questions, question))
    answers: dict[Any, AnySource] = {}
    for who, batches in zip((here, executor), _batches(readings), strict=True):
        work = partial(read_batch, watch=watch if who is here else None)
        with closing(who(work, [[readings[key] for key in batch] for batch in batches])) as ended:
            for position, sources in ended:
                answers |= zip(batches[position], sources, strict=True)
    return [
        (replace(job, source=answers[key]), conditions)
        for (job, conditions), key in zip(tasks, keys, strict=True)
    ]


def _batches(readings: dict[Any, Reading]) -> tuple[list[list[Any]], list[list[Any]]]:
    """What is looked up, and what models compute, layers of one model together."""
    looked_up, encoded, of_models = [], [], {}
    for key, reading in sorted(readings.items(), key=lambda pair: pair[1].source.name):
        if not computes(reading.source, reading.need):
            looked_up.append([key])
        elif reading.need == "vectors":
            of_models[id(reading.source)] = key
        else:
            encoded.append([key])
    if of_models:
        from eatlas.encoders.encoder import share_passes  # noqa: PLC0415  (seldom needed)

        sources = [cast("Source", readings[key].source) for key in of_models.values()]
        batches = share_passes(sources)
        encoded += [[of_models[id(source)] for source in batch] for batch in batches]
    return looked_up, encoded


def read_batch(batch: Sequence[Reading], watch: Watch | None = None) -> list[AnySource]:
    """Read some sources; a model that they share is loaded once."""

    def tell(reading: Reading) -> Tell | None:
        return None if watch is None else watch(COUNTED[reading.need], reading.source.name)

    return [read_source(*reading, tell(reading)) for reading in batch]
