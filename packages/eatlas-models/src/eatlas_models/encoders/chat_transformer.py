"""Causal models of transformers that answer: probabilities of options, and sampled answers.

The common beginning of neighbouring prompts is read once, and options are read behind the prompt
that they answer: keys and values of attention are stored in between. Texts of one length go
together, so none is padded.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ValidationError

from eatlas.encoders.cache import hash_texts, take_cache
from eatlas.encoders.encoder import Options, read_options, wrap_errors
from eatlas.encoders.gguf_files import gguf_reader
from eatlas.encoders.loading import Loaded, in_halves, load, tokenizer_of
from eatlas.encoders.models import (
    CHAT,
    OF_VECTORS,
    LocatedModel,
    content_of,
    locate_model,
    read_model,
    settings_of,
)
from eatlas.errors import ResultsError, SourceError
from eatlas.lazy import import_torch, import_transformers
from eatlas.notes import Note
from eatlas.paths import cache_folder
from eatlas.sources.source import chunks_of
from eatlas.untrusted import computes_afresh
from eatlas.writing import atomic_file
from eatlas_models.encoders.chat import Answering, Request, Response, without_reasoning
from eatlas_models.encoders.language import TransformerLM, head_class, transformer_record

Input = tuple[int, ...]
"""Pieces of a text."""
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other answers."""
AT_ONCE = 32
"""Questions that are answered together, and then kept."""
LOGITS = 2**24
"""Log-probabilities in memory at a time: 128 MB in double precision."""
CACHED = 4
"""Rounding errors beside those of texts that are read whole: with kept keys and values, and other
texts next to them, log-probabilities by SmolLM2, mostly from -8 to -3, moved by up to 2.3e-5: 48 of
2^-24, relative to 8."""
_PLAIN = "Question: {text}\nAnswer:"
"""The prompt for a model without a chat template."""
_NEXT = "\nQuestion:"
"""Where a model without a chat template goes on to a question of its own."""
_THINK = "<think>"
_DAY = datetime(2024, 7, 26, tzinfo=UTC)
"""The default date in the templates of Llama 3."""
_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_PROBE = "Fine"
_ALLOWED = "a causal language model, such as an instruction-tuned Llama, Qwen or SmolLM"


class TransformerChatOptions(Options):
    """Options of a model that answers."""

    system: str = ""
    """Message of the system, before each question."""


class Facts(BaseModel):
    """What is known of a model without its weights; kept, since reading it takes seconds."""

    architecture: str
    vocabulary: int
    template: bool
    """Whether the tokenizer has a chat template."""


class Spelling(NamedTuple):
    """One way to write an option."""

    option: int
    pieces: Input


class TransformerChat(Answering):
    """A causal language model, prompted through its chat template.

    The probability of an option is that of an answer that begins with it, as written or with a
    capital letter: the product over its pieces, the sum of both. It stands where answers stand,
    behind the space that some templates put there. Of an option that begins another, "art" beside
    "artist", the probability of the other is taken off. What follows an option is free: "Office
    work" begins with "Office". Answers that come to an option later, "The word office", count for
    neither, and lower the mass.
    """

    def __init__(
        self,
        model: TransformerLM,
        *,
        template: bool,
        system: str = "",
        decides: str = "",
        tokenizer: Callable[[], Any] | None = None,
    ) -> None:
        self.model, self.system, self.decides = model, system, decides
        self._tokenizer = tokenizer
        self.name, self.keeps = model.name, model.keeps
        roundoff = model.about.roundoff and CACHED * model.about.roundoff
        self.about = model.about.model_copy(update={"kind": "chat", "roundoff": roundoff})
        self.notes = model.notes
        if not template:
            self.notes = (*self.notes, Note("source.no-chat-template"))

    @property
    def fingerprint(self) -> str:
        """Hash of the model, its prompts, and the rules for reading answers."""
        decides = f"{self.model.fingerprint};chat;{ALGORITHM};{self.system};{self.decides}"
        return f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}"

    def gives_logprobs(self) -> bool:
        """All weights are here."""
        return True

    @property
    def loaded(self) -> Loaded:
        """The model."""
        return self.model.loaded

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer, without the model where that is not loaded."""
        alone = self._tokenizer is not None and "loaded" not in self.model.__dict__
        return self._tokenizer() if alone and self._tokenizer else self.loaded.tokenizer

    # --- texts ------------------------------------------------------------------------------------

    @property
    def has_template(self) -> bool:
        """Whether the tokenizer has a chat template."""
        return getattr(self.tokenizer, "chat_template", None) is not None

    def render_chat(self, text: str, answer: str | None = None) -> str:
        """A question as the model reads it, up to its answer, or with one.

        The prompt tells a reasoning model that its reasoning has ended: the answer comes next.
        Templates that name the date always get the same date, so that answers are reproducible.
        """
        if not self.has_template:
            before = f"{self.system}\n\n" if self.system else ""
            return before + _PLAIN.format(text=text) + (f" {answer}\n" if answer else "")
        messages = [{"role": "system", "content": self.system}] if self.system else []
        messages.append({"role": "user", "content": text})
        if answer is not None:
            messages.append({"role": "assistant", "content": answer})
        with wrap_errors(
            f"{self.name}: the chat template cannot be filled in",
            remedy="leave out system=..., which some templates do not take" * bool(self.system)
            or "see chat_template of the tokenizer",
        ):
            prompt = str(
                self.tokenizer.apply_chat_template(
                    messages,
                    tokenize=False,
                    add_generation_prompt=answer is None,
                    enable_thinking=False,
                    chat_template=_TODAY.sub(
                        lambda today: repr(_DAY.strftime(today[2])),
                        self.tokenizer.get_chat_template(),
                    ),
                )
            )
        if answer is None and prompt.rstrip().endswith(_THINK):
            prompt = f"{prompt.rstrip()}\n\n</think>\n\n"
        return prompt

    @cached_property
    def opening(self) -> str:
        """What stands between a prompt and the first word of its answer: nothing, or a space."""
        if not self.has_template:
            return " "
        _, prompt, answer = self.render_chat("Hi", _PROBE).partition(self.render_chat("Hi"))
        return " " if prompt and answer.startswith(f" {_PROBE}") else ""

    @cached_property
    def ends(self) -> frozenset[int]:
        """Pieces that end an answer: end of text, and what the chat template puts behind one."""
        tokenizer, config = self.loaded.tokenizer, self.loaded.module.generation_config
        stated = [tokenizer.eos_token_id, *np.atleast_1d(config.eos_token_id or []).tolist()]
        behind = self.render_chat("Hi", _PROBE).rpartition(_PROBE)[2]
        first = self._pieces([behind.lstrip()])[0][:1]
        special = {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder}
        return frozenset({piece for piece in stated if piece is not None} | {*first} & special)

    def _pieces(self, texts: Sequence[str]) -> list[Input]:
        """Pieces of texts as they stand."""
        tokenized = self.tokenizer(list(texts), add_special_tokens=False)
        return [tuple(ids) for ids in tokenized["input_ids"]] if texts else []

    def sizes_of(self, texts: Sequence[str]) -> list[int]:
        """Pieces of each question as the model reads it; the model is not loaded for it."""
        return [len(pieces) for pieces in self._pieces([self.render_chat(text) for text in texts])]

    def _prompts(self, texts: Sequence[str]) -> dict[str, Input]:
        """Pieces of what the model reads of each question."""
        tokenizer, limit = self.loaded.tokenizer, self.loaded.limit
        pieces = self._pieces([self.render_chat(text) for text in texts])
        begin: Input = ()
        if not self.has_template:
            first = (tokenizer.bos_token_id, tokenizer.eos_token_id)
            begin = next(((piece,) for piece in first if piece is not None), ())
        longest = max(map(len, pieces), default=0) + len(begin)
        if limit is not None and longest >= limit:
            raise SourceError(
                f"{self.name}: a question is too long for the model",
                got=f"{longest:,} pieces",
                allowed=f"fewer than {limit:,}, with the chat template and before the answer",
            )
        return {text: begin + own for text, own in zip(texts, pieces, strict=True)}

    def _forms(self, request: Request) -> list[Spelling]:
        """Ways to write each option behind a prompt, as pieces that follow its own."""
        written = [
            (option, self.opening + form)
            for option, forms in enumerate(forms_of_options(request.options))
            for form in forms
        ]
        texts = [form for _, form in written]
        before = self.render_chat(request.text)
        (own,) = self._pieces([before])
        joint = self._pieces([before + text for text in texts])
        alone = self._pieces(texts)
        return [
            Spelling(option, both[len(own) :] if both[: len(own)] == own else by_itself)
            for (option, _), both, by_itself in zip(written, joint, alone, strict=True)
        ]

    # --- answers ----------------------------------------------------------------------------------

    def in_batches(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Answer questions, batched by length, in an order in which neighbours agree."""
        module = self.loaded.module  # with its tokenizer
        prompts = self._prompts(list(dict.fromkeys(request.text for request in requests)))

        def length_and_pieces(request: Request) -> tuple[int, Input, Request]:
            pieces = prompts[request.text]
            return len(pieces), pieces, request

        for by, answer in ((True, self._score_options), (False, self._sample_answers)):
            ordered = sorted((r for r in requests if bool(r.options) == by), key=length_and_pieces)
            same_length = groupby(ordered, lambda request: len(prompts[request.text]))
            batches = [batch for _, same in same_length for batch in chunks_of(same, AT_ONCE)]
            # in any order, so that the first answers are about many subjects
            for batch in Random(0).sample(batches, len(batches)):  # noqa: S311
                parts = in_halves(batch, partial(answer, prompts), module, self.name)
                for part, responses in parts:
                    yield dict(zip(part, responses, strict=True))

    def _score_options(self, prompts: Mapping[str, Input], batch: list[Request]) -> list[Response]:
        """Probability of each option as the beginning of the answer."""
        forms = [self._forms(request) for request in batch]
        values = self._values([prompts[request.text] for request in batch], forms)
        if not all(math.isfinite(value) for own in values for value in own.values()):
            raise SourceError(
                f"{self.name}: the model computes log-probabilities that are not finite",
                remedy="its weights may be damaged; half precision may overflow: open it in "
                "single precision",
            )
        return [
            Response(chances=chances_of_options(own, known, len(request.options)))
            for request, own, known in zip(batch, forms, values, strict=True)
        ]

    def _values(
        self, texts: Sequence[Input], forms: Sequence[Sequence[Spelling]]
    ) -> list[dict[Input, float]]:
        """Log-probabilities of forms behind texts of one length, by their pieces."""
        torch = import_torch()

        values: list[dict[Input, float]] = [{} for _ in texts]
        with torch.inference_mode():
            chances, cache = self._read_prompts(texts)
            for row, own in enumerate(forms):
                firsts = sorted({form.pieces[:1] for form in own})
                known = chances[row, [piece for (piece,) in firsts]].tolist()
                values[row] = dict(zip(firsts, known, strict=True))
            for length, continued in _group_by_length(forms):
                size = max(1, LOGITS // (chances.shape[-1] * length))
                for batch in chunks_of(continued, size):
                    behind, _ = self._read_on(texts, cache, [key for key, _ in batch], length)
                    for of_row, ((row, _), longer) in zip(behind, batch, strict=True):
                        for pieces in longer:
                            steps = of_row[range(length), list(pieces[1:])].tolist()
                            values[row][pieces] = values[row][pieces[:1]] + math.fsum(steps)
        return values

    def _sample_answers(self, prompts: Mapping[str, Input], batch: list[Request]) -> list[Response]:
        """Answers that are sampled, each by chance of its own, piece by piece."""
        torch = import_torch()

        texts = [prompts[request.text] for request in batch]
        different = list(dict.fromkeys(texts))
        draws = [_chance(request) for request in batch]
        limit = (self.loaded.limit or math.inf) - len(texts[0])
        answers: list[Input] = [() for _ in batch]
        going = [(row, different.index(text)) for row, text in enumerate(texts)]
        with torch.inference_mode():
            chances, cache = self._read_prompts(different)
            while going:
                chances = chances.cpu()
                for row, at in going:
                    answers[row] += (_choose(chances[at], batch[row], draws[row]),)
                going = [
                    (row, at)
                    for row, at in going
                    if answers[row][-1] not in self.ends
                    and len(answers[row]) < min(batch[row].tokens, limit)
                ]
                if not going:
                    break
                if cache is None:
                    behind = [(row, answers[row]) for row, _ in going]
                else:
                    behind = [(at, answers[row][-1:]) for row, at in going]
                chances, cache = self._read_on(texts, cache, behind, 1)
                chances, going = chances[:, -1], [(row, at) for at, (row, _) in enumerate(going)]
        return [self._said(pieces) for pieces in answers]

    def _said(self, pieces: Sequence[int]) -> Response:
        """An answer as text, without what ends it and what was thought before."""
        while pieces and pieces[-1] in self.ends:
            pieces = pieces[:-1]
        text = str(self.loaded.tokenizer.decode(pieces, skip_special_tokens=True))
        if not self.has_template:
            text = text.partition(_NEXT)[0]
        answer = without_reasoning(text).strip()
        return Response(answer, spent=bool(text.strip()) and not answer)

    # --- the model --------------------------------------------------------------------------------

    def _read_prompts(self, texts: Sequence[Input]) -> tuple[Any, Any]:
        """Log-probabilities of what follows texts of one length, whose common part is read once."""
        torch = import_torch()

        shared = _common(texts) if len(texts) > 1 else 0
        cache = None
        if shared:
            _, cache = self._run(torch.tensor([texts[0][:shared]]))
        if cache is None:
            shared = 0
        else:
            cache = _select_rows(cache, [0] * len(texts))
        chances, cache = self._run(torch.tensor([text[shared:] for text in texts]), cache)
        return chances[:, -1], cache

    def _read_on(
        self,
        texts: Sequence[Input],
        cache: Any,
        behind: Sequence[tuple[int, Input]],
        keep: int,
    ) -> tuple[Any, Any]:
        """Log-probabilities behind the last pieces that follow some of the texts."""
        torch = import_torch()

        if cache is None:
            whole = torch.tensor([texts[row] + pieces for row, pieces in behind])
            return self._run(whole, keep=keep)
        chosen = _select_rows(cache, [row for row, _ in behind])
        return self._run(torch.tensor([pieces for _, pieces in behind]), chosen, keep)

    def _run(self, ids: Any, cache: Any = None, keep: int = 1) -> tuple[Any, Any]:
        """Log-probabilities at the last places, in double precision, and a cache if it is plain."""
        torch = import_torch()

        module = self.loaded.module
        more = {"logits_to_keep": keep} if "logits_to_keep" in self.loaded.takes else {}
        computed = module(
            input_ids=ids.to(module.device), past_key_values=cache, use_cache=True, **more
        )
        chances = torch.log_softmax(computed.logits[:, -keep:].double(), dim=-1)
        return chances, _plain(getattr(computed, "past_key_values", None))


# --- options --------------------------------------------------------------------------------------


def forms_of_options(options: Sequence[str]) -> list[tuple[str, ...]]:
    """Ways in which an answer writes each option: as it is, and with a capital letter.

    What one option is, is no way to write another.

    >>> forms_of_options(["office", "Home", "home"])
    [('office', 'Office'), ('Home',), ('home',)]
    """
    forms: list[tuple[str, ...]] = []
    for option in options:
        capital = option[:1].upper() + option[1:]
        forms.append((option,) if capital in options else (option, capital))
    return forms


def chances_of_options(
    forms: Sequence[Spelling], values: Mapping[Input, float], options: int
) -> tuple[float, ...]:
    """Log-probability of each option: all its forms, minus forms of others that begin with one.

    >>> forms = [Spelling(0, (1,)), Spelling(0, (2,)), Spelling(1, (1, 3))]
    >>> values = {(1,): math.log(0.5), (2,): math.log(0.125), (1, 3): math.log(0.25)}
    >>> [round(math.exp(chance), 3) for chance in chances_of_options(forms, values, 2)]
    [0.375, 0.25]
    """
    totals = []
    for option in range(options):
        own = {form.pieces for form in forms if form.option == option}
        others = {form.pieces for form in forms if form.option != option}
        shares = [_without(values, pieces, others) for pieces in own if not _begins(own, pieces)]
        totals.append(float(np.logaddexp.reduce(sorted(shares))))
    return tuple(totals)


def _without(values: Mapping[Input, float], pieces: Input, others: Collection[Input]) -> float:
    """Log-probability of pieces that none of the others continues."""
    longer = {other for other in others if _begins([pieces], other)}
    lost = [values[other] for other in longer if not _begins(longer, other)]
    if not lost:
        return values[pieces]
    share = math.exp(float(np.logaddexp.reduce(sorted(lost))) - values[pieces])
    return values[pieces] + math.log1p(-share) if share < 1 else -math.inf


def _begins(shorter: Collection[Input], pieces: Input) -> bool:
    """Whether pieces begin with others, and go on."""
    return any(len(begin) < len(pieces) and pieces[: len(begin)] == begin for begin in shorter)


def _group_by_length(
    forms: Sequence[Sequence[Spelling]],
) -> Iterator[tuple[int, list[tuple[tuple[int, Input], set[Input]]]]]:
    """What is read behind prompts, by its length: row, pieces, and the forms that end one later."""
    by_length: dict[int, dict[tuple[int, Input], set[Input]]] = defaultdict(dict)
    for row, own in enumerate(forms):
        for form in own:
            if before := form.pieces[:-1]:
                by_length[len(before)].setdefault((row, before), set()).add(form.pieces)
    yield from ((length, list(by_length[length].items())) for length in sorted(by_length))


# --- caches and chance ----------------------------------------------------------------------------


def _common(texts: Sequence[Input]) -> int:
    """Pieces that all texts begin with, the last one left out."""
    first, last = min(texts), max(texts)
    most = len(first) - 1
    return next((i for i in range(most) if first[i] != last[i]), most)


def _plain(cache: Any) -> Any:
    """A cache of keys and values alone, which can be cut by rows; None of any other."""
    caches = import_transformers().cache_utils
    known = (caches.DynamicLayer, caches.DynamicSlidingWindowLayer)
    plain = type(cache) is caches.DynamicCache and all(
        type(layer) in known for layer in cache.layers
    )
    return cache if plain else None


def _select_rows(cache: Any, rows: Sequence[int]) -> Any:
    """Some rows of a cache, which itself stays as it is."""
    torch = import_torch()

    chosen = copy(cache)
    chosen.layers = [copy(layer) for layer in cache.layers]
    chosen.batch_select_indices(torch.tensor(rows, device=cache.layers[0].keys.device))
    return chosen


def _chance(request: Request) -> Any:
    """A generator for one sample, always the same for the same sample."""
    torch = import_torch()

    seed = int.from_bytes(hash_texts("draw", request.text, str(request.draw))[:7])
    return torch.Generator().manual_seed(seed)


def _choose(chances: Any, request: Request, generator: Any) -> int:
    """Draw a piece at the temperature of a request; at 0 take the most probable.

    With Gumbel's noise the greatest is a draw from the softmax (Gumbel 1954), whatever other texts
    are read next to this one.
    """
    torch = import_torch()

    if request.temperature:
        noise = torch.empty(chances.shape, dtype=torch.float64).exponential_(generator=generator)
        chances = chances.cpu() / request.temperature - noise.log()
    return int(chances.argmax())


# --- opening --------------------------------------------------------------------------------------


def open_transformer_chat(spec: str) -> TransformerChat:
    """Open a model by its source string; nothing but its files' names and hashes is read twice."""
    text, keeps = take_cache(spec)
    located = locate_model(text, useless=OF_VECTORS, kind=TransformerChatOptions)
    options = read_options(TransformerChatOptions, located.given, located.label)
    content = content_of(located, CHAT)
    facts = _facts(located, content)
    decides = f"{content};precision={options.precision};seed={options.random_seed}"
    about = transformer_record(
        located.name, facts.architecture, "causal", facts.vocabulary, options.precision
    )
    model = TransformerLM(
        lambda: load(read_model(located), content, "causal"),
        f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}",
        about,
        text,
        options.notes,
        keeps=keeps and not computes_afresh(),
    )
    return TransformerChat(
        model,
        template=facts.template,
        system=options.system,
        tokenizer=partial(tokenizer_of, located.path, trust=options.trust_remote_code),
    )


def chat_of(model: TransformerLM) -> TransformerChat:
    """Have a language model in memory answer."""
    if model.kind != "causal":
        raise _not_answering(model.name, model.about.architecture)
    template = getattr(model.loaded.tokenizer, "chat_template", None)
    return TransformerChat(model, template=template is not None, decides=str(template))


def _facts(located: LocatedModel, content: str) -> Facts:
    """What is known of a model, read once for the same files and libraries."""
    versions = version("transformers"), located.options.trust_remote_code
    key = hash_texts("facts", content, *map(str, versions)).hex()
    file = cache_folder() / "hashes" / f"{key}.json"
    if not computes_afresh():
        with suppress(OSError, ValidationError):
            return Facts.model_validate_json(file.read_bytes())
    card = read_model(located).card
    if card.family not in {"causal", ""}:
        raise _not_answering(located.label, card.architecture)
    facts = Facts(
        architecture=head_class(card, "causal"),
        vocabulary=card.vocabulary,
        template=_has_template(located),
    )
    # where it cannot be stored, it is read again
    with suppress(ResultsError), atomic_file(file) as written:
        written.write(facts.model_dump_json())
    return facts


def _has_template(located: LocatedModel) -> bool:
    """Whether the files of a model hold a chat template."""
    path = located.path
    if path.is_file():
        return "tokenizer.chat_template" in gguf_reader(path).fields
    settings = settings_of(path / "tokenizer_config.json")
    return bool(settings.get("chat_template")) or any((path / name).is_file() for name in CHAT[:2])


def _not_answering(name: str, architecture: str) -> SourceError:
    """Say that a model fills masks or encodes, and does not answer."""
    return SourceError(
        f"{name}: the model does not answer questions",
        got=architecture,
        allowed=_ALLOWED,
    )
