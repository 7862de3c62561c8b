"""Served language models: log-probabilities of stimuli by servers that echo what they are sent."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from types import SimpleNamespace

from pydantic import BaseModel, PositiveInt

from eatlas.encoders.cache import take_cache
from eatlas.encoders.connection import Session
from eatlas.encoders.encoder import read_options, roundoff_of_log_ratios
from eatlas.encoders.endpoint import LEAST, MALFORMED, Endpoint, completed, read_address
from eatlas.encoders.language import AnsweringModel, locate, not_of_kind
from eatlas.encoders.transformer import Tokens
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.language_model import LanguageModelRecord
from eatlas.sources.source import cut
from eatlas.sources.spec import escape
from eatlas.stimuli.pairs import Answer, Kind, Question
from eatlas.untrusted import computes_afresh

OF_LETTER = 1 << 10
"""Bytes of an answer for each letter of a prompt, whose up to four bytes may each be a piece."""
_NOTHING = -9999.0
"""What vLLM writes for the logarithm of 0."""
_ADDED = -1
"""In place of the number of a piece that the server puts before a text."""
PART = "\ufffd"
"""A piece that is part of a character, or what stands for one in a piece."""
_MAY_BE_SPACE = ""
"""In place of the space before a piece, which a server or the text may lack."""
_CUT = SimpleNamespace(all_special_ids=(_ADDED,), unk_token_id=None, unk_token=None)
"""A served tokenizer, of which nothing is known but the pieces of each text."""
_ECHO = (
    '{"choices": [{"text": the prompt and more, "logprobs": {"tokens": [...], '
    '"token_logprobs": [...]}}]}, in the order of the prompts'
)
_SERVERS = (
    "serve the model by vLLM, SGLang or llama-cpp-python (--logits_all true, and batch=1 here), "
    "which echo a prompt with log-probabilities, or measure its weights: hf:NAME"
)


class ServedOptions(BaseModel):
    """Options of a served language model."""

    model: str
    begin: str = ""
    """Text before every prompt, such as <|endoftext|>, for servers that begin texts with none."""
    batch: PositiveInt = 32
    """Prompts in a request."""
    timeout: PositiveInt = 120
    """Seconds until an answer is whole, and for all further tries."""


class ServedLM(AnsweringModel):
    """A causal language model behind an address for completions, which echoes what it is sent.

    A text is sent up to the stimulus' end; the answer has the log-probability of each of its
    pieces, whose characters say which are those of the stimulus.
    """

    kind: Kind = "causal"

    def __init__(self, address: str, options: ServedOptions, *, keeps: bool = False) -> None:
        begin = f"&begin={escape(options.begin)}" if options.begin else ""
        self.name = f"{address}?model={escape(options.model)}{begin}"  # never a key
        self.keeps, self.options = keeps, options
        self.notes: tuple[Note, ...] = (Note("source.served", values={"model": options.model}),)
        self.about = LanguageModelRecord(
            model=options.model,
            architecture="endpoint",
            kind="causal",
            roundoff=roundoff_of_log_ratios(""),
        )
        self.endpoint = Endpoint(address, options.model, options.timeout)

    @property
    def fingerprint(self) -> str:
        """Address, model and beginning of texts, for nothing else is known."""
        return f"endpoint:{self.name}"

    def in_batches(self, questions: Collection[Question]) -> Iterator[Mapping[Question, Answer]]:
        """Send each different text once, the shortest first."""
        of_text: dict[str, list[Question]] = defaultdict(list)
        for question in questions:
            of_text[question.text[: question.asked[1]]].append(question)
        texts = sorted(of_text, key=lambda text: (len(text), text))
        batches = list(cut(texts, self.options.batch))
        letters = max((len("".join(self._prompts(batch))) for batch in batches), default=0)
        with self.endpoint.session(LEAST + letters * OF_LETTER) as session:
            for texts in batches:
                scored = zip(texts, self._scored(texts, session), strict=True)
                yield {q: self._answer(q, text, *s) for text, s in scored for q in of_text[text]}

    def _prompts(self, texts: Sequence[str]) -> list[str]:
        return [self.options.begin + text for text in texts]

    def _scored(
        self, texts: Sequence[str], session: Session
    ) -> list[tuple[list[str], list[float | None]]]:
        """Pieces of each text, and their log-probabilities."""
        prompts = self._prompts(texts)
        # one piece more, since some servers take 0 for no limit; 1 log-probability as 0 for none
        body = {"prompt": prompts, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
        received = self.endpoint.ask(body, session, "log-probabilities", f"{_SERVERS}; ")
        fault = "the answer is not one of completions"
        try:
            choices = received.json()["choices"]
            if all("index" in choice for choice in choices):
                choices = sorted(choices, key=lambda choice: choice["index"])
            scored = []
            for prompt, choice in zip(prompts, choices, strict=True):
                fault = "it does not echo the prompt"
                if not choice["text"].startswith(prompt):
                    raise ValueError
                fault = "it has no log-probability of each piece"
                pieces, values = choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"]
                values = [None if value is None else float(value) for value in values]
                if len(pieces) != len(values) or not all(isinstance(p, str) for p in pieces):
                    raise ValueError
                scored.append((pieces, values))
        except MALFORMED as error:
            raise SourceError(
                f"{self.name}: the server gives no log-probabilities of a text: {fault}",
                got=received.shown,
                allowed=_ECHO,
                remedy=_SERVERS,
            ) from error
        return scored

    def _answer(
        self, question: Question, text: str, pieces: list[str], values: list[float | None]
    ) -> Answer:
        """Add up the log-probabilities of the pieces of the stimulus."""
        tokens = spell(pieces, text)
        if tokens is None:
            why = f"the server's pieces do not spell its text: {' | '.join(pieces)[:60]}"
            return Answer(None, fault=why, at="asked")
        answer, scored, _ = locate(_CUT, text, tokens, question)
        chances = [values[place] for place in scored]
        if None in chances:
            why = "nothing is before it; with begin=TEXT a text of the model's own can be"
            return replace(answer, fault=why, at="asked")
        if not all(math.isfinite(chance) and chance > _NOTHING for chance in chances):  # type: ignore[arg-type,operator]
            raise SourceError(
                f"{self.name}: the model computes log-probabilities that are not finite",
                got=f"{question.stimulus!r} in {text!r}",
                remedy="half precision may overflow: serve it in single precision",
            )
        return answer if answer.fault else replace(answer, log_probability=sum(chances))  # type: ignore[arg-type]


def spell(pieces: Sequence[str], text: str) -> Tokens | None:
    r"""Find the characters of each piece that a server names; None where they are not the text's.

    Servers put up to two pieces before a text, and one that they made behind it. A piece may lack
    the space before it, or have one that the text lacks. Pieces that are parts of a character have
    no text of their own: those beside each other share their characters.

    >>> spell(["<s>", "It", "is", "na", "\ufffd", "\ufffd", "ve", "."], "It is na\xefve").offsets
    ((0, 0), (0, 2), (2, 5), (5, 8), (8, 9), (8, 9), (9, 11))
    """
    if len(pieces) > 2 * len(text.encode()) + 10:  # each stands for a byte at least
        return None
    pieces = [PART if not piece or piece.startswith("bytes:") else piece for piece in pieces]
    runs: list[list[str]] = []  # of parts of characters, and each other piece
    for before, piece in zip(["", *pieces], pieces, strict=False):
        if PART in before and PART in piece:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    for added in range(min(3, len(runs))):
        for behind in (1, 0):
            own = runs[added : len(runs) - behind]
            bounds = _bounds(own, text)
            if bounds and (behind or PART not in own[-1][-1]):  # else one may be what was made
                spans = [s for run, s in zip(own, pairwise(bounds), strict=True) for _ in run]
                ids = [*[_ADDED] * added, *range(len(spans))]
                return Tokens(ids, (), (), (), ((0, 0),) * added + tuple(spans))
    return None


def _bounds(runs: Sequence[Sequence[str]], text: str) -> list[int] | None:
    """Where each run of pieces begins in a text, and where the last one ends.

    Each choice is tried first with more of the text. What leads to no end is never tried again, so
    that the steps are at most as many as pairs of an element and a letter.
    """
    of_run = [[element for piece in run for element in _elements(piece)] for run in runs]
    elements = [element for run in of_run for element in run]
    path, dead = [(0, 0)], set[tuple[int, int]]()
    while path and path[-1] != (len(elements), len(text)):
        onward = (place for place in _onward(elements, text, *path[-1]) if place not in dead)
        if (place := next(onward, None)) is None:
            dead.add(path.pop())
        else:
            path.append(place)
    if not path:
        return None
    begins = dict(reversed(path))  # of each element, the first place
    return [begins[number] for number in accumulate(map(len, of_run), initial=0)]


def _elements(piece: str) -> list[str]:
    """What a piece stands for: letters, :data:`PART`, and a space that need not be there."""
    bare = piece.removeprefix(" ")
    if bare == PART:
        return [PART]
    return [_MAY_BE_SPACE, *filter(None, re.split(f"({PART})", bare))]


def _onward(
    elements: Sequence[str], text: str, number: int, letter: int
) -> Iterator[tuple[int, int]]:
    """The next elements and letters of the text, the farthest first."""
    if number == len(elements):
        return
    element, space = elements[number], text.startswith(" ", letter)
    if element == PART:
        if not text[letter + space : letter + space + 1].isascii():
            yield number, letter + space + 1
        yield number + 1, letter
    elif element == _MAY_BE_SPACE:
        yield from [(number + 1, letter + 1)] * space
        yield number + 1, letter
    elif text.startswith(element, letter):
        yield number + 1, letter + len(element)


# --- opening --------------------------------------------------------------------------------------


def open_served(spec: str, kind: Kind) -> ServedLM:
    """Open a served language model by its address; nothing is sent before the first question."""
    text, keeps = take_cache(spec)
    address, options = read_address(text)
    plain = completed(address, "completions")
    if not plain.endswith("/completions") or plain.endswith("/chat/completions"):
        raise SourceError(
            f"{address}: this address answers with no log-probabilities of a text",
            allowed="an address for completions: https://HOST/v1/completions?model=NAME",
        )
    if not options.get("model"):
        raise SourceError(
            f"{address}: no model is named", allowed="https://HOST/v1/completions?model=NAME"
        )
    if kind == "masked":
        raise not_of_kind(spec, kind, "a served model, which continues texts")
    chosen = read_options(ServedOptions, options, address)
    return ServedLM(plain, chosen, keeps=keeps and not computes_afresh())
