"""What it costs to ask a model, before anything is sent; and its answers as a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from eatlas.engine.jobs import Job
from eatlas.engine.plan import SourcesLike, unread
from eatlas.errors import EatlasError, SignatureError, SourceError
from eatlas.measures import Measure
from eatlas.measures.base import FROM_0
from eatlas.present.tables import csv_text
from eatlas.results.json_lines import write_lines
from eatlas.stimuli.kinds import TestsLike
from eatlas_models.encoders.chat import Answering, Request
from eatlas_models.encoders.collected import CHANCES
from eatlas_models.stimuli.asking import CollectedAnswer, Prompt

DEFAULT_TEST = "weat-6"
ENDINGS = (".csv", ".jsonl")
"""Of files of answers that are written."""
BYTES = 4
"""Bytes of UTF-8 to a token, the rule of thumb for English: 11 to 16% more tokens than SmolLM2's
tokenizer makes of the questions about weat-1, weat-6 and weat-10."""
FRAME = 7
"""Tokens around a message, as OpenAI counts them: 3 of the message, 1 of its role, 3 before the
answer."""
MILLION = 1_000_000


@dataclass(frozen=True)
class AskCost:
    """The prompts for one model, and their cost.

    Tokens and cost are of the answers that are not kept yet.
    """

    source: str
    tests: int
    """Tests; 0 of generated texts."""
    questions: int
    """Different questions."""
    answers: int
    """Answers to them: one each where log-probabilities are read, else as many as are sampled."""
    kept: int
    """Answers that are stored from before, so that they are not asked for again."""
    prompt_tokens: int
    """Tokens of the questions that are left."""
    answer_tokens: int
    """Tokens of their answers, if each is one of its options; of free text at most."""
    most_answer_tokens: int
    """Tokens of their answers, if each is as long as it may be."""
    estimated: bool
    """Whether tokens of questions are estimated by their length, for want of the tokenizer."""
    unsure: bool = False
    """Whether only asking tells if the model gives log-probabilities; answers are counted as if it
    gave none."""
    cost: float | None = None
    """Money at the price; None where there is none."""
    most_cost: float | None = None
    """Money, if each answer is as long as it may be."""


def ask_cost(
    tests: TestsLike | None = None,
    models: SourcesLike | None = None,
    measures: str | Measure | Sequence[str | Measure] = "ask",
    *,
    price: tuple[float, float] | None = None,
) -> tuple[AskCost, ...]:
    """Count what models would be asked about tests, and what that would cost; nothing is sent.

    Parameters
    ----------
    tests : str, path, AssociationTest, or list of them, default "weat-6"
        What :func:`eatlas.load_tests` takes.
    models : str, object, list or mapping of them
        Models that answer, as :func:`eatlas.run` takes them with the measure ``ask``.
    measures : str, measure, or list of them, default "ask"
        Measures of answers, such as ``"ask(by=samples,answers=5)"``.
    price : (float, float), optional
        Money for a million tokens of questions, and of answers, in any currency.

    Returns
    -------
    tuple of AskCost
        One for each model. Tokens are counted by the model's tokenizer if it is on this machine,
        else a fourth of the bytes in UTF-8, with 7 for each message.

    Raises
    ------
    EatlasError
        If a test, model, measure or price is not usable.

    Examples
    --------
    >>> import eatlas
    >>> def model(prompts):
    ...     return ["office"] * len(prompts)
    >>> (cost,) = eatlas.ask_cost("weat-6", model, price=(0.15, 0.60))
    >>> cost.questions, cost.answers, cost.kept, cost.estimated
    (4096, 4096, 0, True)
    """
    _require_price(price)
    if models is None:
        raise SourceError("no model was named", allowed="a model that answers")
    jobs, names = unread(DEFAULT_TEST if tests is None else tests, models, measures)
    for measure in {job.measure for job in jobs}:
        require_asking(measure)
    by_model: dict[int, list[int]] = {}
    for number, job in enumerate(jobs):
        by_model.setdefault(id(job.source), []).append(number)
    costs = []
    for numbers in by_model.values():
        own = [jobs[number] for number in numbers]
        prompts: Any = (prompt for job in own for prompt in job.measure.questions(job.test))
        cost = cost_of(own[0].source, prompts, price, tests=len({job.test.id for job in own}))
        costs.append(replace(cost, source=names[numbers[0]] or cost.source))
    return tuple(costs)


def require_asking(measure: Measure) -> None:
    """Refuse a measure that asks no model."""
    if measure.needs.source != "answers":
        raise SignatureError(
            f"the measure {measure.name} does not prompt a model",
            allowed="ask, or another measure of answers",
            remedy="eatlas run measures vectors and log-probabilities",
        )


def require_model(model: Any) -> Answering:
    """Refuse answers that are there already."""
    if not isinstance(model, Answering):
        raise SourceError(
            f"{model.name}: this is a file of answers, not a model that can be prompted",
            allowed="an address, a model of transformers, or a function that answers",
        )
    return model


def cost_of(
    model: Any,
    prompts: Iterable[Prompt],
    price: tuple[float, float] | None = None,
    *,
    tests: int = 0,
) -> AskCost:
    """What it costs to put prompts to one model."""
    require_model(model)
    _require_price(price)
    questions = dict.fromkeys(prompts)
    unsure = model.must_be_asked() and any(p.options and p.by == "auto" for p in questions)
    requests: dict[Request, Prompt] = {}
    for prompt in questions:
        for request in model.requests_of(replace(prompt, by="samples") if unsure else prompt):
            requests.setdefault(request, prompt)
    kept = model.look_up(requests)
    left = {request: prompt for request, prompt in requests.items() if request not in kept}
    texts = [request.text for request in left]
    sizes = model.sizes_of(texts) if texts else []
    if sizes is None:
        of_prompts = sum(_tokens(model.system + text) + FRAME for text in texts)
    else:
        of_prompts = sum(sizes)
    of_answers = sum(map(_of_answer, left.values()))
    most = sum(request.tokens for request in left)
    return AskCost(
        source=model.name,
        tests=tests,
        questions=len(questions),
        answers=len(requests),
        kept=len(kept),
        prompt_tokens=of_prompts,
        answer_tokens=of_answers,
        most_answer_tokens=most,
        estimated=sizes is None,
        unsure=unsure,
        cost=_money(of_prompts, of_answers, price),
        most_cost=_money(of_prompts, most, price),
    )


def _tokens(text: str) -> int:
    """Tokens of a text, by its length."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES)


def _of_answer(prompt: Prompt) -> int:
    """Tokens of an answer: its longer option and an end; of other texts as many as are allowed."""
    sizes = [_tokens(option) + 1 for option in prompt.options if not prompt.words]
    return min(prompt.tokens, max(sizes, default=prompt.tokens))


def _money(questions: int, answers: int, price: tuple[float, float] | None) -> float | None:
    """Money for so many tokens."""
    if price is None:
        return None
    return (questions * price[0] + answers * price[1]) / MILLION


def _require_price(price: Any) -> None:
    """Refuse what is no price."""
    if price is None:
        return
    pair = tuple(price) if isinstance(price, tuple | list) else ()
    if len(pair) != 2 or not all(map(FROM_0.includes, pair)):
        raise EatlasError(
            "the price is not two amounts",
            got=repr(price),
            allowed="prices of a million input and of a million output tokens: (0.15, 0.60)",
        )


# --- the answers themselves -----------------------------------------------------------------------


def write_answers(path: Path, jobs: Iterable[Job]) -> tuple[Path, ...]:
    """Write the answers that jobs have read; a file of others that was there gets another name."""
    rows: list[dict[str, Any]] = []
    for job in jobs:
        measure, model = cast("Any", job.measure), cast("Any", job.source)
        if getattr(model, "collected", False) or not hasattr(measure, "collected"):
            raise EatlasError(
                f"the answers of {model.name} to {measure.name} cannot be written",
                allowed="answers of a prompted model to ask or assign",
            )
        replies = model.score(dict.fromkeys(measure.questions(job.test)))
        rows.extend(map(_cells, measure.collected(job.test, replies)))
    if path.suffix.lower() == ".csv":
        for row in rows:
            row["options"] = _options_cell(row["options"])
        lines = csv_text(rows).encode().splitlines(keepends=True)
    else:
        lines = [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]
    return write_lines(path, lines)


def _cells(row: CollectedAnswer) -> dict[str, Any]:
    """An answer by the names of columns, as :mod:`eatlas_models.encoders.collected` reads them."""
    about: dict[str, str] = {row.about: row.subject} if row.about else {}
    cells: dict[str, Any] = {
        "test": row.test,
        **about,
        "options": row.options,
        "template": row.template,
    }
    if row.about is None:
        cells["prompt"] = cells.pop("template")
    if row.chances is None:
        cells["answer"] = row.text
    else:
        listed = (chance if math.isfinite(chance) else None for chance in row.chances)
        cells |= dict(zip(CHANCES, listed, strict=True))
    return {**cells, "model": row.model, "date": row.date}


def _options_cell(options: Sequence[str]) -> str:
    """Options as a cell: office|home, or a JSON list where a stroke would mislead."""
    plain = "|".join(options)
    misleads = plain.count("|") >= len(options) or plain.startswith("[")
    return json.dumps(options, ensure_ascii=False) if misleads else plain
