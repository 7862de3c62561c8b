"""Served language models: log-probabilities of stimuli by servers that echo what they are sent."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace

from pydantic import BaseModel, PositiveInt

from eatlas.encoders.cache import take_cache
from eatlas.encoders.encoder import read_options, roundoff_of_log_ratios
from eatlas.encoders.endpoint import Endpoint, completed, read_address
from eatlas.encoders.language import AnsweringModel, locate, not_of_kind
from eatlas.encoders.transformer import Tokens
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.source import cut
from eatlas.sources.spec import escape
from eatlas.stimuli.pairs import Answer, Kind, Question
from eatlas.untrusted import computes_afresh

_NOTHING = -9999.0
"""What vLLM writes for the logarithm of 0."""
_ADDED = -1
"""In place of the number of a piece that the server puts before a text."""
PART = "\ufffd"
"""A piece that is part of a character, or what stands for one in a piece."""
_PARTS = "(?: ?[^\\x00-\\x7f])*"
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
    """Seconds without an answer, or until another try."""


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
        for texts in cut(sorted(of_text, key=lambda text: (len(text), text)), self.options.batch):
            scored = zip(texts, self._scored(texts), strict=True)
            yield {q: self._answer(q, text, *s) for text, s in scored for q in of_text[text]}

    def _scored(self, texts: Sequence[str]) -> list[tuple[list[str], list[float | None]]]:
        """Pieces of each text, and their log-probabilities."""
        prompts = [self.options.begin + text for text in texts]
        # one piece more, since some servers take 0 for no limit; 1 log-probability as 0 for none
        body = {"prompt": prompts, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
        content, shown = self.endpoint.ask(body, "log-probabilities", f"{_SERVERS}; ")
        fault = "the answer is not one of completions"
        try:
            choices = json.loads(content)["choices"]
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
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
            raise SourceError(
                f"{self.name}: the server gives no log-probabilities of a text: {fault}",
                got=shown,
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
            pattern = "".join(f"({_pattern(run)})" for run in own)
            match = re.fullmatch(pattern, text)
            if match and (behind or PART not in own[-1][-1]):  # else one may be what was made
                spans = [match.span(i) for i, run in enumerate(own, 1) for _ in run]
                ids = [*[_ADDED] * added, *range(len(spans))]
                return Tokens(ids, (), (), (), ((0, 0),) * added + tuple(spans))
    return None


def _pattern(run: Sequence[str]) -> str:
    """What pieces stand for in a text; parts of characters beside each other are one repetition."""
    patterns = [
        _PARTS
        if piece.removeprefix(" ") == PART
        else " ?" + _PARTS.join(map(re.escape, piece.removeprefix(" ").split(PART)))
        for piece in run
    ]
    pairs = zip(["", *patterns], patterns, strict=False)
    return "".join(pattern for before, pattern in pairs if not before == pattern == _PARTS)


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
