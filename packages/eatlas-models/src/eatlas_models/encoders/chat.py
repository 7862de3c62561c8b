"""Models that answer in words: endpoints of OpenAI's form, models of transformers, functions.

Every model goes one way: prompts become requests, one for each answer that is sampled; what is
stored of them is handed out, the rest is asked, and each answer is stored as it comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal, Protocol, runtime_checkable

from eatlas.encoders.functions import AT_ONCE, import_function, said_by, working_directory
from eatlas.errors import SourceError, described
from eatlas.notes import Note
from eatlas.numbers import number_of
from eatlas.paths import is_there
from eatlas.sources.opening import model_and_tokenizer, opener_of
from eatlas.sources.source import Tell, chunks_of, is_source
from eatlas.sources.spec import load, model_scheme, parse_file_spec
from eatlas.untrusted import computes_afresh
from eatlas_models.encoders.kept_answers import LATER, KeptAnswers
from eatlas_models.results.language_model import LanguageModelRecord
from eatlas_models.stimuli.asking import Prompt, Reply
from eatlas_models.stimuli.assigning import ASSIGNED, assignments_of
from eatlas_models.stimuli.choosing import ASK_OTHERWISE, NOT_LISTED, QUOTED, choice_of

FIRST = 200
"""New answers after which a model is stopped, where none of all answers chooses an option."""
FIRST_TEXTS = 20
"""The same of lists of words that assign nothing, and of empty texts: each is a long answer."""
SHOWN = 3
"""Answers that an error shows."""
SAME, FEWEST_DRAWS = 0.99, 20
"""Proportion of questions whose draws are all the same, above which a note says so; not 1, as a
proxy that keeps answers may be too late for some. And the draws of all of them, below which none
does."""


@dataclass(frozen=True, order=True)
class Request:
    """A request for one answer."""

    text: str
    options: tuple[str, ...]
    """Options whose log-probabilities are wanted; none where an answer is sampled."""
    temperature: float
    tokens: int
    draw: int
    """Number of the draw; 0 of log-probabilities."""


@dataclass(frozen=True)
class Response:
    """The answer, or why there is none."""

    text: str = ""
    chances: tuple[float, ...] | None = None
    """Log-probabilities of the options; -inf where the model lists none."""
    model: str = ""
    """What the model calls itself."""
    date: str = ""
    """Day of the answer, as in 2026-03-01."""
    spent: bool = False
    """Whether the model spent all tokens on reasoning, and answered nothing."""
    reasoning: int | None = field(default=None, metadata={LATER: True})
    """Tokens that the model reasoned with, as the endpoint counts them; None where it does not."""


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers prompts."""

    name: str
    """What names the source in results, such as ``chat:http://localhost:8080/v1?model=llama``."""
    notes: tuple[Note, ...]
    """What a reader should know about the model."""
    kind: Literal["chat"]
    about: LanguageModelRecord
    """What the result says of the model."""

    @property
    def fingerprint(self) -> str:
        """Identifies what answers."""
        ...

    def score(
        self, questions: Collection[Prompt], tell: Tell | None = None
    ) -> Mapping[Prompt, Reply]:
        """Answer prompts."""
        ...


class Answering(KeptAnswers[Request, Response]):
    """A model that answers requests, each of which is stored on disk."""

    answer = Response
    kind: Literal["chat"] = "chat"
    about: LanguageModelRecord
    notes: tuple[Note, ...] = ()
    system: str = ""
    """Message of the system before each prompt."""

    def gives_logprobs(self) -> bool:
        """Whether the model says how probable its answers are."""
        raise NotImplementedError

    def must_be_asked(self) -> bool:
        """Whether only the model itself can tell if it gives log-probabilities."""
        return False

    def score(
        self, questions: Collection[Prompt], tell: Tell | None = None
    ) -> Mapping[Prompt, Reply]:
        """Answer prompts, each different request once."""
        requests = {prompt: self.requests_of(prompt) for prompt in questions}
        prompts = {each: prompt for prompt, own in requests.items() for each in own}
        # in any order, so that the first answers are about all subjects
        shuffled = Random(0).sample(list(prompts), len(prompts))  # noqa: S311
        answers = self.answers_to(shuffled, tell, FirstAnswers(self.name, prompts))
        drawn = [
            [answers[each].text for each in own]
            for own in requests.values()
            if len(own) > 1 and own[0].temperature > 0
        ]
        notes = [note for note in self.notes if note.code != "source.same-draws"]
        if spent := sum(answer.spent for answer in answers.values()):
            notes = [note for note in notes if note.code != "source.spent"]
            notes.append(Note("source.spent", values={"count": spent, "of": len(answers)}))
        same = sum(len(set(texts)) == 1 for texts in drawn)
        if same > SAME * len(drawn) and sum(map(len, drawn)) >= FEWEST_DRAWS:
            values = {"count": same, "of": len(drawn)}
            notes.append(Note("source.same-draws", values=values))
        self.notes = tuple(notes)
        return {
            prompt: _reply([answers[request] for request in of_prompt])
            for prompt, of_prompt in requests.items()
        }

    def requests_of(self, prompt: Prompt) -> tuple[Request, ...]:
        """The requests for a prompt: its options once, or each sampled answer."""
        if prompt.options and (
            prompt.by == "logprobs" or (prompt.by == "auto" and self.gives_logprobs())
        ):
            return (Request(prompt.text, prompt.options, 0.0, prompt.tokens, 0),)
        return tuple(
            Request(prompt.text, (), prompt.temperature, prompt.tokens, draw)
            for draw in range(prompt.answers)
        )

    def sizes_of(self, texts: Sequence[str]) -> list[int] | None:  # noqa: ARG002  (few can tell)
        """Pieces of each text as the model gets it; None if only the model knows."""
        return None


class FirstAnswers:
    """Ends the asking of a model none of whose first answers can be used."""

    def __init__(self, name: str, prompts: Mapping[Request, Prompt]) -> None:
        self.name, self.prompts = name, prompts
        compares = any(prompt.options and not prompt.words for prompt in prompts.values())
        self.enough = FIRST if compares else FIRST_TEXTS
        self.faulty, self.usable = list[Response](), False

    def __call__(self, answers: Mapping[Request, Response], new: int) -> None:
        """Review answers that were not seen before; `new` of all were not kept."""
        if self.usable:
            return
        for request, response in islice(answers.items(), len(self.faulty), None):
            self.usable = self.usable or _is_usable(self.prompts[request], response)
            self.faulty.append(response)
        if new >= self.enough and len(answers) < len(self.prompts) and not self.usable:
            raise self._fault()

    def _fault(self) -> SourceError:
        """What to say of them."""
        prompt, count = next(iter(self.prompts.values())), f"{len(self.faulty):,}"
        texts = dict.fromkeys(response.text[:QUOTED] for response in self.faulty)
        got = "; ".join(map(repr, list(texts)[:SHOWN]))
        if not prompt.options:
            return SourceError(
                f"{self.name}: all of {count} texts are empty",
                remedy="raise the number of tokens, change the prompt, or use another model",
            )
        if prompt.words:
            return SourceError(
                f"{self.name}: none of {count} answers assigns a word to a target",
                got=got,
                allowed=ASSIGNED,
                remedy=ASK_OTHERWISE,
            )
        other = "by=logprobs, where the model gives them"
        if self.faulty[0].chances is not None:
            got = NOT_LISTED
            other = "by=samples, which reads what the model writes"
        return SourceError(
            f"{self.name}: none of {count} answers chooses one of its two options",
            got=got,
            allowed=f"answers that name one option, such as {prompt.options[0]!r}",
            remedy=f"{ASK_OTHERWISE}; or {other}",
        )


def _is_usable(prompt: Prompt, response: Response) -> bool:
    """Whether an answer chooses an option, assigns a word, or is a text at all."""
    if response.chances is not None:
        return any(map(math.isfinite, response.chances))
    if prompt.words:
        return bool(assignments_of(response.text, prompt.words, prompt.options).to)
    if prompt.options:
        return isinstance(choice_of(response.text, prompt.options), int)
    return bool(response.text.strip())


def _reply(responses: Sequence[Response]) -> Reply:
    """The responses to one prompt as its reply."""
    chances = responses[0].chances
    return Reply(
        texts=() if chances is not None else tuple(response.text for response in responses),
        chances=chances,
        models=tuple(response.model for response in responses),
        dates=tuple(response.date for response in responses),
        reasoning=tuple(response.reasoning for response in responses),
    )


def without_reasoning(text: str) -> str:
    r"""Leave out what a model thinks before it answers; that is all where its end is missing.

    >>> without_reasoning("<think>Hm.</think>\n\nOffice"), without_reasoning("<think>Hm")
    ('Office', '')
    """
    _, end, answer = text.partition("</think>")
    if end:
        return answer.strip()
    return "" if text.lstrip().startswith("<think>") else text


# --- functions ------------------------------------------------------------------------------------

Function = Callable[[list[str]], Sequence[str]]


class FunctionChat(Answering):
    """A function that takes a list of prompts and returns a text for each.

    `version` is of all that its answers depend on; with it they can be kept.
    """

    def __init__(
        self, function: Function, name: str = "", version: str = "", *, keeps: bool = False
    ) -> None:
        self.function, self.version, self.keeps = function, version, keeps
        self.name = name or getattr(function, "__qualname__", type(function).__name__)
        self.about = LanguageModelRecord(model=self.name, architecture="function", kind="chat")

    @property
    def fingerprint(self) -> str:
        """The name, and the version, for nothing else is known."""
        return f"function:{self.name}"

    def gives_logprobs(self) -> bool:
        """A function only returns texts."""
        return False

    def requests_of(self, prompt: Prompt) -> tuple[Request, ...]:
        """Samples of an answer; refuse log-probabilities."""
        if prompt.by == "logprobs":
            raise SourceError(
                f"{self.name}: a function returns texts, not log-probabilities",
                remedy="use by=samples, which samples answers",
            )
        return super().requests_of(prompt)

    def in_batches(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Call the function with some prompts at a time."""
        for batch in chunks_of(requests, AT_ONCE):
            try:
                with working_directory():
                    came = self.function([request.text for request in batch])
                    texts = [] if came is None else list(came)
            except Exception as error:
                fault = f"{self.name}: the function failed"
                raise SourceError(fault, got=said_by(error)) from error
            no_texts = [text for text in texts if not isinstance(text, str | None)]
            if len(texts) != len(batch) or isinstance(came, str) or no_texts:
                raise SourceError(
                    f"{self.name}: the function did not return one text per prompt",
                    got=f"{described(no_texts[0] if no_texts else came)} for "
                    f"{number_of(len(batch), 'prompt')}",
                    allowed="a list with one text per prompt, or None for no answer",
                )
            answers = (Response(text or "") for text in texts)
            yield dict(zip(batch, answers, strict=True))


def open_function(text: str) -> FunctionChat:
    """Open a function by its module and name, as ``py:`` does for vectors."""
    name, function, options = import_function(text, "a text for each prompt")
    keeps = options.cache == "yes" and not computes_afresh()
    return FunctionChat(function, name, options.version or "", keeps=keeps)


# --- opening --------------------------------------------------------------------------------------

ALLOWED = (
    "chat:URL?model=NAME, of a server of chat completions (vLLM, llama.cpp, Ollama, OpenAI and "
    "other providers); hf:NAME or hf:FOLDER of a causal model, or a GGUF file; a CSV, TSV or JSONL "
    "file of answers; py:MODULE:FUNCTION; in Python also (model, tokenizer), or a function that "
    "takes a list of prompts"
)
COLLECTED = (".csv", ".tsv", ".jsonl")
"""Of files of answers."""
_ENDPOINT = "eatlas_models.encoders.chat_endpoint"
_TRANSFORMER = "eatlas_models.encoders.chat_transformer"
_FILE = "eatlas_models.encoders.collected:open_collected"


def open_answering(spec: Any) -> ChatModel:
    """Open a model that answers: by its source string, a file of answers, or as an object."""
    model: ChatModel
    if isinstance(spec, str | Path):
        return _open_text(str(spec))
    kind = None if isinstance(spec, type) else getattr(spec, "kind", None)
    if kind == "chat" and (isinstance(spec, ChatModel) or getattr(spec, "collected", False)):
        model = spec
        return model
    if pair := model_and_tokenizer(spec):
        of_pair = load("eatlas_models.encoders.language:language_model")
        spec, kind = of_pair(*pair, name=type(pair[0]).__name__), "causal"
    if kind in {"masked", "causal"}:
        model = load(f"{_TRANSFORMER}:chat_of")(spec)
        return model
    no_function = isinstance(spec, type) or is_source(spec) or opener_of(spec)
    if callable(spec) and not no_function:
        return FunctionChat(spec)
    raise _no_answers(described(spec))


def _open_text(text: str) -> ChatModel:
    """Open a source string."""
    path = parse_file_spec(text).path
    scheme, target = text.partition(":")[0].lower(), text
    if is_there(path):
        scheme = model_scheme(path)
        target = f"{scheme}:{text}"
    address = text.partition("?")[0].rstrip("/")
    if scheme in {"http", "https"} and address.endswith("/chat/completions"):
        scheme = "chat"
    openers = {
        "chat": f"{_ENDPOINT}:open_chat",
        "hf": f"{_TRANSFORMER}:open_transformer_chat",
        "py": "eatlas_models.encoders.chat:open_function",
    }
    model: ChatModel
    if scheme in openers:
        model = load(openers[scheme])(target)
        return model
    if path.suffix.lower() in COLLECTED:
        model = load(_FILE)(path)
        return model
    if scheme in {"http", "https"}:
        raise _no_answers(text, f"for a chat server, write chat:{address}?model=NAME")
    raise _no_answers(text)


def _no_answers(name: str, remedy: str | None = None) -> SourceError:
    return SourceError(f"{name}: this model answers no questions", allowed=ALLOWED, remedy=remedy)
