"""Language models: log-probabilities of stimuli in texts, from masked and from causal models."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from eatlas.encoders.cache import SHARED, hashed, take_cache, through_cache
from eatlas.encoders.cache_store import ABOUT, ANSWER, CacheStore, Entry
from eatlas.encoders.encoder import roundoff_of_log_ratios
from eatlas.encoders.loading import NO_LIMIT, Loaded, Model, load, load_tokenizer, quiet
from eatlas.encoders.models import DECODER, HF, content_of, find_model
from eatlas.encoders.tokens import Tokens, need_offsets, tokenize
from eatlas.errors import SourceError, described
from eatlas.notes import Note
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.interface import Tell
from eatlas.stimuli.pairs import Answer, Kind, Question, Span
from eatlas.untrusted import computes_afresh

if TYPE_CHECKING:
    import torch

Input = tuple[int, ...]
"""Pieces of one text, as the model takes them."""
Prediction = tuple[int, int]
"""Place whose prediction is read, and the piece whose log-probability is wanted, or ENDS."""
ENDS = -1
"""In the place of a piece: all pieces together that say that the word before them has ended."""
Step = tuple[Input, Prediction]
"""One factor of a probability."""
Logits = Callable[["torch.Tensor"], "torch.Tensor"]
"""From ids of shape (texts, pieces) to logits of shape (texts, pieces, vocabulary)."""

LOGITS = 2**25
"""Logits in memory at a time: 128 MB in single precision, 1,100 pieces of BERT's vocabulary."""
SPACES = ("Ġ", "▁", "Ċ", "ĉ", "č")
"""How byte-level and SentencePiece tokenizers write the space, or line, that begins a piece."""
CONTINUED = "##"
"""How word-piece tokenizers write that a piece goes on with a word."""
CLOSED = "</w>"
"""How some tokenizers write that a word ends within a piece."""
JOINERS = frozenset("'’-_")
"""What words hold beside letters, digits and marks."""
UNREADABLE = "\N{REPLACEMENT CHARACTER}"
OF_VECTORS = ("level", "layer", "layers", "pool", "subword", "prompt", "truncate")
"""Options of ``hf:`` that say how a text becomes a vector."""
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other answers."""
_CALLED = {"masked": "a masked language model", "causal": "a causal language model"}
_ALLOWED = "hf:NAME or hf:FOLDER of a language model, or one in memory: eatlas.language_model(...)"


@runtime_checkable
class LanguageModel(Protocol):
    """A model that says how probable a stimulus is in a text."""

    @property
    def name(self) -> str:
        """What names the source in results, such as ``hf:bert-base-uncased``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identifies the model's weights and tokenizer."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the model."""
        ...

    @property
    def kind(self) -> Kind:
        """Whether the model fills masks or continues a text."""
        ...

    @property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model."""
        ...

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Answer questions, each with a finite log-probability or a reason why there is none.

        Parameters
        ----------
        questions : collection of Question
        tell : callable, optional
            Called with the number of questions that are answered and the number of all.

        Raises
        ------
        SourceError
            If what the model computes is not finite.
        """
        ...


@dataclass(frozen=True)
class ModelSnapshot:
    """What a language model answered, kept as a model of its own.

    Each model of a run is queried once for all tests; its workers get the answers, not the model.
    """

    name: str
    fingerprint: str
    notes: tuple[Note, ...]
    kind: Kind
    about: LanguageModelRecord
    answers: Mapping[Question, Answer]

    @classmethod
    def of(
        cls, model: LanguageModel, questions: Collection[Question], tell: Tell | None = None
    ) -> ModelSnapshot:
        """Query a model and keep its answers."""
        answers = dict(model.score(questions, tell))
        return cls(model.name, model.fingerprint, model.notes, model.kind, model.about, answers)

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Return the answers to those questions that were kept."""
        kept = {
            question: self.answers[question] for question in questions if question in self.answers
        }
        if tell is not None:
            tell(len(kept), len(kept))
        return kept

    def renamed(self, name: str) -> ModelSnapshot:
        """Return the same under another name."""
        notes = tuple(note.renamed(self.name, name) for note in self.notes)
        return replace(self, name=name, notes=notes)


# --- pieces ---------------------------------------------------------------------------------------


class FaultError(Exception):
    """A stimulus that the tokenizer cannot represent; the message says why."""


def places(tokenizer: Any, text: str, tokens: Tokens, span: Span) -> tuple[int, ...]:
    """Find the pieces of the stimulus at `span`.

    A space before the stimulus may belong to its first piece, or be a piece before it, which then
    is one of the word's own: without it, the model would see how the word is cut. Nothing else
    of the text may belong to a piece.
    """
    stimulus = text[slice(*span)]
    offsets = [_without_space(text, *ends) for ends in tokens.offsets or ()]
    of_stimulus = []
    for place, (first, last) in enumerate(offsets):
        if first == last or last <= span[0] or first >= span[1]:
            continue
        if first < span[0] or last > span[1]:
            raise FaultError(
                f"the tokenizer joins it with the text beside it, {text[first:last]!r}"
            )
        _require_ordinary(tokenizer, tokens.ids[place], stimulus)
        of_stimulus.append(place)
    if not of_stimulus:
        raise FaultError("the tokenizer leaves nothing of it")
    begin, special = of_stimulus[0], tokenizer.all_special_ids
    while begin and len(set(offsets[begin - 1])) == 1 and tokens.ids[begin - 1] not in special:
        begin -= 1  # a piece of spaces alone
    return tuple(range(begin, of_stimulus[-1] + 1))  # with the spaces between words of a phrase


def _require_ordinary(tokenizer: Any, piece: int, stimulus: str) -> None:
    if piece == tokenizer.unk_token_id and stimulus.strip() != tokenizer.unk_token:
        # GPT-2's unknown token is its end of text, which no stimulus of words becomes
        raise FaultError("the tokenizer does not know it, or a part of it")
    if piece in tokenizer.all_special_ids:
        token = tokenizer.convert_ids_to_tokens(piece)
        raise FaultError(f"the tokenizer takes it, or a part of it, for the special token {token}")


def _without_space(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def boundaries(tokenizer: Any) -> tuple[int, ...]:
    """Find the pieces that cannot go on with a word."""
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    special = set(tokenizer.all_special_ids)
    texts = [piece for piece in pieces if piece]
    word_pieces = any(text.startswith(CONTINUED) and len(text) > 2 for text in texts) and not any(
        text.startswith(SPACES) for text in texts
    )

    def begins_anew(number: int, piece: str) -> bool:
        if number in special:
            return True
        if word_pieces:
            return not piece.startswith(CONTINUED)
        return piece.startswith(SPACES) or not _goes_on(tokenizer, piece)

    return tuple(at for at, text in enumerate(pieces) if text is not None and begins_anew(at, text))


def closes(tokenizer: Any, piece: int) -> bool:
    """Whether a piece itself says that its word ends."""
    return str(tokenizer.convert_ids_to_tokens(piece)).endswith(CLOSED)


def _goes_on(tokenizer: Any, piece: str) -> bool:
    """Whether a piece without a space in front can go on with a word."""
    first = str(tokenizer.convert_tokens_to_string([piece]))[:1]
    if not first or first in JOINERS or first == UNREADABLE:
        return True
    return unicodedata.category(first)[0] in "LNM"


class Predictions:
    """Inputs with the predictions needed of each; what two questions share is computed once."""

    def __init__(self) -> None:
        self._of_input: dict[Input, dict[Prediction, None]] = defaultdict(dict)

    def add(self, pieces: Input, place: int, piece: int) -> Step:
        """Add the prediction of one piece at one place, and return its key."""
        self._of_input[pieces][place, piece] = None
        return pieces, (place, piece)

    def __len__(self) -> int:
        """Texts that the model has to read."""
        return len(self._of_input)

    def answered(
        self, logits: Logits, vocabulary: int, name: str, ends: Sequence[int] = ()
    ) -> Iterator[Mapping[Step, float]]:
        """Have the model read all inputs, batch by batch.

        Texts of one length are read together, so none is padded: the other texts of a
        batch are no part of what the model sees. `ends` are the pieces that ENDS means.
        """
        for batch in _batches(list(self._of_input), vocabulary):
            needed = [
                (row, at) for row, pieces in enumerate(batch) for at in self._of_input[pieces]
            ]
            values = _log_probabilities(logits, batch, needed, ends)
            if not np.isfinite(values).all():
                raise SourceError(
                    f"{name}: the model computes log-probabilities that are not finite",
                    remedy="its weights may be damaged; half precision may overflow: open it in "
                    "single precision",
                )
            yield {(batch[row], at): v for (row, at), v in zip(needed, values, strict=True)}


def _batches(inputs: Sequence[Input], vocabulary: int) -> Iterator[list[Input]]:
    of_length: dict[int, list[Input]] = defaultdict(list)
    for pieces in inputs:
        of_length[len(pieces)].append(pieces)
    for length in sorted(of_length):
        rows = max(1, LOGITS // (vocabulary * length))
        same = of_length[length]
        for start in range(0, len(same), rows):
            yield same[start : start + rows]


def _log_probabilities(
    logits: Logits,
    batch: Sequence[Input],
    needed: Sequence[tuple[int, Prediction]],
    ends: Sequence[int],
) -> list[float]:
    """Log-softmax of the needed places alone, in double precision: rare pieces stay finite."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    with torch.inference_mode():
        computed = logits(torch.tensor(batch, dtype=torch.long))
        places = list(dict.fromkeys((row, place) for row, (place, _) in needed))
        at = {key: i for i, key in enumerate(places)}
        rows, columns = (
            torch.tensor(index, device=computed.device) for index in zip(*places, strict=True)
        )
        chances = torch.log_softmax(computed[rows, columns].double(), dim=-1)
        which = torch.tensor([at[row, place] for row, (place, _) in needed], device=computed.device)
        pieces = torch.tensor([piece for _, (_, piece) in needed], device=computed.device)
        chosen = chances[which, pieces.clamp(min=0)]
        if ends and (ending := pieces == ENDS).any():
            together = chances[:, torch.tensor(ends, device=computed.device)].logsumexp(dim=-1)
            chosen[ending] = together[which[ending]]
        values: list[float] = chosen.tolist()
    return values


# --- models of transformers -----------------------------------------------------------------------


class TransformerLM(ABC):
    """A language model of transformers."""

    kind: Kind

    def __init__(
        self, load: Callable[[], Loaded], name: str, fingerprint: str, notes: tuple[Note, ...] = ()
    ) -> None:
        self._load, self.name, self.fingerprint, self.notes = load, name, fingerprint, notes

    @cached_property
    def loaded(self) -> Loaded:
        """The model, in evaluation mode."""
        loaded = self._load()
        need_offsets(loaded.tokenizer, self.name)
        loaded.module.eval()
        return loaded

    @property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model."""
        model = self.loaded.module
        precision = str(model.dtype).removeprefix("torch.")
        return LanguageModelRecord(
            model=self.model_name,
            architecture=type(model).__name__,
            kind=self.kind,
            vocabulary=self.vocabulary,
            precision=precision,
            roundoff=roundoff_of_log_ratios(precision),
        )

    @property
    def model_name(self) -> str:
        """The model as the source string names it, without options."""
        return self.name.removeprefix("hf:").partition("?")[0]

    @property
    def vocabulary(self) -> int:
        """Number of pieces in the vocabulary."""
        return int(self.loaded.module.config.vocab_size)

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Answer questions; what several of them share is computed once."""
        answers: dict[Question, Answer] = {}
        for batch in self.score_batches(questions):
            answers |= batch
            if tell is not None:
                tell(len(answers), len(questions))
        return {question: answers[question] for question in questions}

    def score_batches(self, questions: Collection[Question]) -> Iterator[Mapping[Question, Answer]]:
        """Hand out answers as they are computed."""
        wanted = Predictions()
        faults: dict[Question, Answer] = {}
        plans: dict[Question, _Plan] = {}
        for question, plan in self._plans(questions, wanted):
            if isinstance(plan, _Plan):
                plans[question] = plan
            else:
                faults[question] = plan
        if faults:
            yield faults
        unread = {question: plan.inputs for question, plan in plans.items()}
        waiting: dict[Input, list[Question]] = defaultdict(list)
        for question, inputs in unread.items():
            for pieces in inputs:
                waiting[pieces].append(question)
        values: dict[Step, float] = {}
        ends = self.boundaries if any(question.how == "ends" for question in plans) else ()
        for batch in wanted.answered(self._logits, self.vocabulary, self.name, ends):
            values |= batch
            ready = []
            for pieces in dict.fromkeys(pieces for pieces, _ in batch):
                for question in waiting.pop(pieces):
                    unread[question].discard(pieces)
                    if not unread[question]:
                        ready.append(question)
            yield {question: plans[question].answer(values) for question in ready}

    def same(self, questions: Collection[Question]) -> Mapping[Question, str]:
        """Return the pieces that decide each answer: questions of the same share it."""
        plans = self._plans(questions, Predictions())
        return {question: repr(plan) for question, plan in plans if isinstance(plan, _Plan)}

    def _plans(
        self, questions: Collection[Question], wanted: Predictions
    ) -> Iterator[tuple[Question, Answer | _Plan]]:
        texts = list(dict.fromkeys(map(self.read_text, questions)))
        tokens = dict(zip(texts, self.tokens(texts), strict=True)) if texts else {}
        for question in questions:
            yield question, self._plan(question, tokens[self.read_text(question)], wanted)

    def read_text(self, question: Question) -> str:
        """The part of a text that the model reads."""
        return question.text

    def tokens(self, texts: list[str]) -> list[Tokens]:
        """Cut texts into pieces."""
        return tokenize(self.loaded.tokenizer, texts)

    def _plan(self, question: Question, tokens: Tokens, wanted: Predictions) -> Answer | _Plan:
        """Find the factors of one probability, or say why there is none."""
        tokenizer, text, ids = self.loaded.tokenizer, self.read_text(question), tuple(tokens.ids)
        try:
            scored = places(tokenizer, text, tokens, question.asked)
        except FaultError as fault:
            return Answer(None, fault=str(fault), at="asked")
        try:
            span = question.other
            other = () if span is None else places(tokenizer, text, tokens, span)
        except FaultError as fault:
            return Answer(None, pieces=len(scored), fault=str(fault), at="other")
        steps = list(self.steps(question, ids, scored, other))
        longest, limit = max(len(seen) for seen, _, _ in steps), self.loaded.limit
        if limit is not None and longest > limit:
            why = f"a sentence has {longest:,} pieces, and the model takes {limit:,} at most"
            return Answer(None, len(scored), len(other), why, at="text")
        given = tuple(wanted.add(*step) for step in self.given(question, ids, scored))
        return _Plan(tuple(wanted.add(*step) for step in steps), given, len(scored), len(other))

    @cached_property
    def boundaries(self) -> tuple[int, ...]:
        """Pieces that say that the word before them has ended."""
        return boundaries(self.loaded.tokenizer)

    def given(
        self,
        question: Question,  # noqa: ARG002
        ids: Input,  # noqa: ARG002
        scored: tuple[int, ...],  # noqa: ARG002
    ) -> Iterable[tuple[Input, int, int]]:
        """Input, place and piece of each factor by which a probability is divided."""
        return ()

    @abstractmethod
    def steps(
        self, question: Question, ids: Input, scored: tuple[int, ...], other: tuple[int, ...]
    ) -> Iterable[tuple[Input, int, int]]:
        """Input, place and piece of each factor of a probability."""

    def _logits(self, ids: torch.Tensor) -> torch.Tensor:
        model = self.loaded.module
        logits: torch.Tensor = model(input_ids=ids.to(model.device)).logits
        return logits


@dataclass(frozen=True)
class _Plan:
    """The factors of one probability."""

    steps: tuple[Step, ...]
    given: tuple[Step, ...]
    """Factors that it is divided by."""
    pieces: int
    other_pieces: int

    @property
    def inputs(self) -> set[Input]:
        return {pieces for pieces, _ in (*self.steps, *self.given)}

    def answer(self, values: Mapping[Step, float]) -> Answer:
        total = sum(values[step] for step in self.steps) - sum(values[step] for step in self.given)
        return Answer(total, self.pieces, self.other_pieces)


class MaskedLM(TransformerLM):
    """A masked language model, such as BERT or RoBERTa.

    The stimulus that is scored is replaced by one mask a piece. ``joint`` fills them in from
    left to right: log P(p1 | masks) + log P(p2 | p1, masks) + ..., which Kauf and Ivanova (2023)
    use within words; ``pll`` shows all other pieces of the stimulus each time.
    """

    kind: Kind = "masked"

    def steps(
        self, question: Question, ids: Input, scored: tuple[int, ...], other: tuple[int, ...]
    ) -> Iterable[tuple[Input, int, int]]:
        """One input for each piece."""
        mask = self.loaded.tokenizer.mask_token_id
        hidden = set(other) if question.hidden else set()
        for i, place in enumerate(scored):
            masked = hidden | (set(scored[i:]) if question.how == "joint" else {place})
            seen = tuple(mask if at in masked else piece for at, piece in enumerate(ids))
            yield seen, place, ids[place]


class CausalLM(TransformerLM):
    """A causal language model, such as GPT-2, OPT or BLOOM.

    The model reads the text up to the stimulus' end, after its own beginning-of-text token; what
    follows the stimulus is not read.
    """

    kind: Kind = "causal"

    def read_text(self, question: Question) -> str:
        """The text up to the end of the stimulus that is scored."""
        return question.text[: question.asked[1]]

    def tokens(self, texts: list[str]) -> list[Tokens]:
        """Cut texts into pieces after one token that says where a text begins."""
        tokenizer = self.loaded.tokenizer
        first = tokenizer.bos_token_id
        first = tokenizer.eos_token_id if first is None else first
        begun = []
        for tokens in super().tokens(texts):
            ids, offsets = list(tokens.ids), list(tokens.offsets or ())
            while ids and offsets[-1][0] == offsets[-1][1]:  # an end-of-text token
                del ids[-1], offsets[-1]
            if first is not None and (not ids or ids[0] != first):
                ids, offsets = [first, *ids], [(0, 0), *offsets]
            begun.append(replace(tokens, ids=ids, offsets=offsets))
        return begun

    def steps(
        self,
        question: Question,
        ids: Input,
        scored: tuple[int, ...],
        other: tuple[int, ...],  # noqa: ARG002
    ) -> Iterable[tuple[Input, int, int]]:
        """One input for all pieces: each is predicted at the place before it.

        ``ends`` scores the place behind the last piece too, for all pieces that do not go on with
        the word.
        """
        seen = self._seen(question, ids, scored)
        for place in scored:
            yield seen, place - 1, ids[place]
        if question.how == "ends" and not closes(self.loaded.tokenizer, ids[scored[-1]]):
            yield seen, scored[-1], ENDS

    def given(
        self, question: Question, ids: Input, scored: tuple[int, ...]
    ) -> Iterable[tuple[Input, int, int]]:
        """Of ``ends``: that the word before has ended, where the first piece says so."""
        if question.how == "ends" and scored[0] and ids[scored[0]] in self._boundaries:
            yield self._seen(question, ids, scored), scored[0] - 1, ENDS

    @cached_property
    def _boundaries(self) -> frozenset[int]:
        return frozenset(self.boundaries)

    @staticmethod
    def _seen(question: Question, ids: Input, scored: tuple[int, ...]) -> Input:
        return ids[: scored[-1] + (question.how == "ends")]


# --- opening --------------------------------------------------------------------------------------


def open_language_model(spec: Any, kind: Kind) -> LanguageModel:
    """Open a language model."""
    if isinstance(spec, LanguageModel) and not isinstance(spec, type):
        if spec.kind == kind:
            return spec
        raise not_of_kind(spec.name, kind, f"a {spec.kind} language model")
    if isinstance(spec, str) and spec.startswith(HF):
        plain, keep = take_cache(spec)
        if not keep or computes_afresh():
            return open_hf_language_model(plain, kind)
        is_known = lambda fingerprint: about_kept(fingerprint) is not None  # noqa: E731
        return CachedLanguageModel(open_hf_language_model(plain, kind, is_known))
    name = str(spec) if isinstance(spec, str | Path) else described(spec)
    raise SourceError(
        f"{name}: log-probabilities need {_CALLED[kind]}, and this is not one",
        allowed=_ALLOWED,
        remedy=f"did you mean {HF}{name}?" if Path(name, "config.json").is_file() else None,
    )


def open_hf_language_model(
    text: str, kind: Kind, is_known: Callable[[str], bool] = lambda _: False
) -> TransformerLM:
    """Open a transformer as a language model; its weights are read with the first question."""
    named = find_model(text)
    for option in OF_VECTORS:
        if option in named.spec.options:
            raise SourceError(
                f"{named.label}: the option {option} is for vectors, and this is a source of "
                "log-probabilities",
                got=f"{option}={named.spec.options[option]}",
                allowed="weights, seed, precision, device, trust_remote_code, revision",
                remedy="leave it out",
            )
    family, options = named.card.family, named.options
    # what is not known is tried
    if family is not None and (family == DECODER) != (kind == "causal"):
        raise not_of_kind(named.label, kind, named.card.architecture)
    content = content_of(named.path, weights=options.weights)
    decides = f"{content};{ALGORITHM};{kind};precision={options.precision};seed={options.seed}"
    fingerprint = f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}"
    model = Model.of(named, content, kind)
    # before any work; a causal model's tokenizer, slow in GGUF, can wait
    if kind == "masked" and not is_known(fingerprint):
        with quiet():
            tokenizer = load_tokenizer(model)
        need_offsets(tokenizer, named.label)
        require_mask(tokenizer, named.label)
    of_kind = MaskedLM if kind == "masked" else CausalLM
    return of_kind(partial(load, model), text, fingerprint, options.notes)


def language_model(model: Any, tokenizer: Any, *, name: str) -> TransformerLM:
    """Take a language model of transformers as a source of log-probabilities.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With a head that predicts pieces: ``AutoModelForMaskedLM`` or ``AutoModelForCausalLM``.
    tokenizer : transformers.PreTrainedTokenizerFast
        A fast one, which gives the characters of its pieces.
    name : str
        What names the source in results.

    Returns
    -------
    TransformerLM
        A masked language model where the model's class is one, else a causal one.

    Raises
    ------
    SourceError
        If the model has no such head, or is a masked one and the tokenizer has no mask.

    Examples
    --------
    >>> language_model(object(), None, name="mine")
    Traceback (most recent call last):
    ...
    eatlas.errors.SourceError: mine: this is not a language model of transformers
      got: object
      allowed: AutoModelForMaskedLM or AutoModelForCausalLM
    """
    kind = kind_of_class(type(model).__name__)
    if kind is None:
        raise SourceError(
            f"{name}: this is not a language model of transformers",
            got=described(model),
            allowed="AutoModelForMaskedLM or AutoModelForCausalLM",
        )
    if kind is MaskedLM:
        require_mask(tokenizer, name)
    most = tokenizer.model_max_length
    loaded = Loaded(tokenizer, model, most if most < NO_LIMIT else None)
    return kind(lambda: loaded, name, _fingerprint(model, tokenizer))


def _fingerprint(model: Any, tokenizer: Any) -> str:
    """Hash of all weights and of how texts are cut."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    digest = hashlib.sha256(type(model).__name__.encode())
    for key, weights in sorted(model.state_dict().items()):
        digest.update(f"{key}{tuple(weights.shape)}{weights.dtype}".encode())
        digest.update(weights.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    backend = getattr(tokenizer, "backend_tokenizer", None)
    digest.update(b"" if backend is None else backend.to_str().encode())
    return f"sha256:{digest.hexdigest()}"


def kind_of_class(architecture: str) -> type[TransformerLM] | None:
    """Tell what a class of transformers does; None where it is no language model.

    >>> kind_of_class("BertForMaskedLM").kind, kind_of_class("GPT2LMHeadModel").kind
    ('masked', 'causal')
    """
    if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
        return MaskedLM
    return CausalLM if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def require_mask(tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer that has no mask."""
    if tokenizer.mask_token_id is None:
        raise SourceError(
            f"{name}: the tokenizer has no mask token, so no word can be masked",
            got=type(tokenizer).__name__,
            allowed="a tokenizer with a mask token, as BERT's and RoBERTa's have",
            remedy="lpbs(model=causal) takes models without one",
        )


def not_of_kind(name: str, kind: Kind, got: str) -> SourceError:
    """Say that a model is of the other kind, and point to the measure for it."""
    if kind == "masked":
        return SourceError(
            f"{name}: the model has no mask token, so no word of a sentence can be masked",
            got=got,
            allowed="a masked language model, such as BERT or RoBERTa",
            remedy="lpbs(model=causal) takes causal models: the attribute given the target",
        )
    return SourceError(
        f"{name}: the model does not continue texts",
        got=got,
        allowed="a causal language model, such as GPT-2, OPT or BLOOM",
        remedy="lpbs(model=masked) takes masked models: the target given the attribute",
    )


class CachedLanguageModel:
    """A language model whose answers are kept, under all that they depend on."""

    def __init__(self, model: TransformerLM) -> None:
        self.model, self.kind = model, model.kind
        self.name, self.fingerprint, self.notes = model.name, model.fingerprint, model.notes

    @cached_property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model, without loading it where it has answered before."""
        known_of = about_kept(self.fingerprint)
        if known_of is None:
            return self.model.about
        return LanguageModelRecord(
            model=self.model.model_name,
            kind=self.kind,
            roundoff=roundoff_of_log_ratios(str(known_of.get("precision", ""))),
            **known_of,
        )

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Return answers that are kept, and have the model compute the others."""
        keys = {question: _key_of(self.fingerprint, question) for question in questions}
        head = (self.fingerprint, self.name)
        found: dict[Question, Answer] = {}
        for batch in through_cache(
            keys, head, self._same, self._answered, "questions are answered"
        ):
            found |= {question: _answer_of(entry) for question, entry in batch.items()}
            if tell is not None:
                tell(len(found), len(keys))
        return {question: found[question] for question in questions}

    def _same(self, missing: list[Question]) -> Mapping[Question, str]:
        """What decides each answer; the model also says once what it is."""
        if about_kept(self.fingerprint) is None:
            self._keep_about()
        return self.model.same(missing)

    def _answered(self, questions: list[Question]) -> Iterator[Mapping[Question, Entry]]:
        for batch in self.model.score_batches(questions):
            yield {question: _entry_of(answer) for question, answer in batch.items()}

    def _keep_about(self) -> None:
        facts = self.model.about.model_dump(include={"architecture", "vocabulary", "precision"})
        entry = Entry(json.dumps(facts).encode(), ABOUT)
        CacheStore(quiet=True).put(
            self.fingerprint, self.name, {_about_key(self.fingerprint): entry}
        )


def about_kept(fingerprint: str) -> dict[str, str | int] | None:
    """What was said of a model when it answered; None of one that did not."""
    key = _about_key(fingerprint)
    entry = CacheStore(quiet=True).get([key]).get(key)
    return None if entry is None else json.loads(entry.data)


def _key_of(fingerprint: str, question: Question) -> bytes:
    """Hash of what an answer depends on; the fingerprint says what the model is.

    >>> one, other = Question("An ant.", (3, 6)), Question("An ant.", (3, 6), how="pll")
    >>> _key_of("m", one) == _key_of("m", other)
    False
    """
    spans = (question.asked, question.other, question.hidden, question.how)
    return hashed(ANSWER, SHARED, fingerprint, repr(spans), question.text)


def _about_key(fingerprint: str) -> bytes:
    return hashed(ABOUT, fingerprint)


def _entry_of(answer: Answer) -> Entry:
    """Write an answer down; JSON has every digit of a number of double precision."""
    fields = (
        answer.log_probability, answer.pieces, answer.other_pieces, answer.fault, answer.at,
    )  # fmt: skip
    return Entry(json.dumps(fields).encode(), ANSWER)


def _answer_of(entry: Entry) -> Answer:
    """Read what :func:`_entry_of` wrote.

    >>> _answer_of(_entry_of(Answer(-0.1, pieces=2)))
    Answer(log_probability=-0.1, pieces=2, other_pieces=0, fault='', at='')
    """
    return Answer(*json.loads(entry.data))
