"""Language models: log-probabilities of stimuli in texts, from masked and causal transformers."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from eatlas.encoders.cache import take_cache
from eatlas.encoders.loading import Loaded, digest_of, in_halves, load, require_plain, wrap_module
from eatlas.encoders.models import (
    HF,
    OF_VECTORS,
    ModelCard,
    content_of,
    find_model,
    head_of,
    model_classes,
)
from eatlas.encoders.transformer import Tokens, need_offsets, tokenize
from eatlas.errors import SourceError, described
from eatlas.lazy import import_torch
from eatlas.notes import Note
from eatlas.sources.opening import model_and_tokenizer
from eatlas.sources.source import Tell, chunks_of
from eatlas.sources.spec import model_scheme, parse_file_spec
from eatlas.untrusted import computes_afresh
from eatlas_models.encoders.kept_answers import KeptAnswers
from eatlas_models.encoders.roundoff import roundoff_of_log_ratios
from eatlas_models.results.language_model import LanguageModelRecord
from eatlas_models.stimuli.pairs import Answer, How, Kind, Question, Span

Input = tuple[int, ...]
"""Pieces of one text, as the model takes them."""


class Step(NamedTuple):
    """One factor of a probability."""

    pieces: Input
    place: int
    """Place whose prediction is read."""
    piece: int
    """Piece whose log-probability is wanted."""


Plan = tuple[Answer, tuple[Step, ...]]
"""What is known of an answer before the model runs, and the factors of its probability."""
LOGITS = 2**25
"""Logits in memory at a time: 128 MB in single precision, 1,100 pieces of BERT's vocabulary."""
ONE_MASK = ("averaged", "product")
"""How a stimulus of several pieces is behind one mask."""
LEFT_TO_RIGHT = ("joint", "changed")
"""How pieces are masked together and filled in one after the other."""
UNMASKED = ("shown", "attention")
AT_ONCE = 256
"""Questions that are answered together, and then kept."""
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other answers."""
SCHEMES = ("http://", "https://")
AT_HAND = (
    "hf:NAME or hf:FOLDER of a language model; or one in memory: (model, tokenizer), or "
    "eatlas.language_model(...)"
)
_TAKEN = {
    "masked": "a masked language model, such as BERT or RoBERTa; model=causal takes others",
    "causal": "a causal language model, such as GPT-2 or OPT; model=masked takes others",
}


@runtime_checkable
class LanguageModel(Protocol):
    """A model that says how probable a stimulus is in a text."""

    name: str
    """What names the source in results, such as ``hf:bert-base-uncased``."""
    notes: tuple[Note, ...]
    """What a reader should know about the model."""
    kind: Kind
    """Whether the model fills masks or continues a text."""
    about: LanguageModelRecord
    """What the result says of the model."""

    @property
    def fingerprint(self) -> str:
        """Identifies the model's weights and tokenizer."""
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


@dataclass
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
        """Return the answers to those questions that were stored."""
        answers = {q: self.answers[q] for q in questions if q in self.answers}
        if tell is not None:
            tell(len(answers), len(answers))
        return answers

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
    start, end = span
    offsets = []
    for first, last in tokens.offsets or ():
        piece = text[first:last]
        begins = first + len(piece) - len(piece.lstrip())
        offsets.append((begins, max(begins, first + len(piece.rstrip()))))
    special = tokenizer.all_special_ids
    of_stimulus = []
    for place, (first, last) in enumerate(offsets):
        if first == last or last <= start or first >= end:
            continue
        if first < start or last > end:
            raise FaultError(f"the tokenizer merges it with adjacent text, {text[first:last]!r}")
        number = tokens.ids[place]
        # GPT-2's unknown token is its end of text, which no stimulus of words becomes
        if number == tokenizer.unk_token_id and text[start:end].strip() != tokenizer.unk_token:
            raise FaultError("the tokenizer does not know it, or a part of it")
        if number in special:
            token = tokenizer.convert_ids_to_tokens(number)
            raise FaultError(
                f"the tokenizer takes it, or a part of it, for the special token {token}"
            )
        of_stimulus.append(place)
    if not of_stimulus:
        raise FaultError("the tokenizer removes it entirely")
    begin = of_stimulus[0]
    while begin and len(set(offsets[begin - 1])) == 1 and tokens.ids[begin - 1] not in special:
        begin -= 1  # a piece of spaces alone
    return tuple(range(begin, of_stimulus[-1] + 1))  # with the spaces between words of a phrase


def locate(
    tokenizer: Any, text: str, tokens: Tokens, question: Question
) -> tuple[Answer, tuple[int, ...], tuple[int, ...]]:
    """Find the pieces of both stimuli, and count them; or say which of them has none, and why."""
    scored: tuple[int, ...] = ()
    try:
        scored = places(tokenizer, text, tokens, question.asked)
        other = places(tokenizer, text, tokens, question.other) if question.other else ()
    except FaultError as fault:
        at: Any = "other" if scored else "asked"
        return Answer(None, len(scored), 0, str(fault), at), (), ()
    return Answer(None, len(scored), len(other)), scored, other


class AnsweringModel(KeptAnswers[Question, Answer]):
    """A model that says how probable stimuli are."""

    answer = Answer

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Answer questions; what several of them share is computed once, what was stored is not."""
        answers = self.answers_to(list(questions), tell)
        return {question: answers[question] for question in questions}


def common_pieces(first: Sequence[int], second: Sequence[int]) -> tuple[set[int], set[int]]:
    """Places in each of two texts of the pieces that both have, as difflib matches them."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return (
        {b.a + i for b in blocks for i in range(b.size)},
        {b.b + i for b in blocks for i in range(b.size)},
    )


# --- models of transformers -----------------------------------------------------------------------


class TransformerLM(AnsweringModel):
    """A language model of transformers.

    Of a masked one, such as BERT, the stimulus that is scored is replaced by one mask a piece.
    ``joint`` fills them in from left to right: log P(p1 | masks) + log P(p2 | p1, masks) + ...,
    which Kauf and Ivanova (2023) use within words; ``pll`` shows all other pieces of the stimulus
    each time. A causal one, such as GPT-2, reads the text up to the stimulus' end, after its own
    beginning-of-text token; each piece is predicted at the place before it.
    """

    def __init__(
        self,
        load: Callable[[], Loaded],
        fingerprint: str | Callable[[], str],
        about: LanguageModelRecord,
        name: str = "",
        notes: tuple[Note, ...] = (),
        *,
        keeps: bool = False,
    ) -> None:
        self._load, self._fingerprint, self.about, self.notes = load, fingerprint, about, notes
        self.name, self.keeps = name or about.model, keeps
        self.kind: Kind = "masked" if about.kind == "masked" else "causal"

    @property
    def fingerprint(self) -> str:
        """Hash of the weights and the tokenizer; for a model in memory, in their current state."""
        made = self._fingerprint
        return made if isinstance(made, str) else made()

    @cached_property
    def loaded(self) -> Loaded:
        """The model."""
        loaded = self._load()
        need_offsets(loaded.tokenizer, self.name)
        if self.kind == "masked" and loaded.tokenizer.mask_token_id is None:
            raise not_of_kind(self.name, self.kind, "a tokenizer without a mask token")
        return loaded

    def in_batches(self, questions: Collection[Question]) -> Iterator[Mapping[Question, Answer]]:
        """Hand out answers as they are computed."""
        plans = self._plans(questions)
        if faults := {question: answer for question, (answer, _) in plans.items() if answer.fault}:
            yield faults

        def input_of(question: Question) -> tuple[int, Input]:
            pieces = plans[question][1][0].pieces
            return len(pieces), pieces

        values: dict[Step, float] = {}
        for batch in chunks_of(
            sorted((q for q in plans if q not in faults), key=input_of), AT_ONCE
        ):
            steps = (step for question in batch for step in plans[question][1])
            values |= self.log_probabilities(step for step in steps if step not in values)
            totals = {q: self._total(q, plans[q][1], values) for q in batch}
            yield {q: replace(plans[q][0], log_probability=total) for q, total in totals.items()}

    def _plans(self, questions: Collection[Question]) -> dict[Question, Plan]:
        """Find the factors of each probability, or say why there is none."""
        causal = self.kind == "causal"
        texts = {q: q.text[: q.asked[1]] if causal else q.text for q in questions}
        different = list(dict.fromkeys([*texts.values(), *chain(*(q.shared or () for q in texts))]))
        tokens = tokenize(self.loaded.tokenizer, different) if different else []
        if causal:
            tokens = [_begun(self.loaded.tokenizer, each) for each in tokens]
        of_text = dict(zip(different, tokens, strict=True))
        plans = {}
        for q, text in texts.items():
            compared = None
            if q.shared is not None:
                both = common_pieces(*(of_text[each].ids for each in q.shared))
                compared = both[q.shared.index(text)]
                if q.how == "changed":
                    compared = set(range(len(of_text[text].ids))) - compared
            plans[q] = self._plan(q, text, of_text[text], compared)
        return plans

    def _plan(
        self, question: Question, text: str, tokens: Tokens, compared: set[int] | None = None
    ) -> Plan:
        """One input for each piece of a masked model, one for all of a causal one.

        All pieces have one input where nothing is masked.
        """
        tokenizer, limit = self.loaded.tokenizer, self.loaded.limit
        answer, scored, other = locate(tokenizer, text, tokens, question)
        if not answer.fault and compared is not None:
            scored = tuple(place for place in scored if place in compared)
            answer = replace(answer, pieces=len(scored))
            if not scored:
                lacks = {"changed": "has no piece that the other lacks"}
                why = lacks.get(question.how, "has no piece in common with the other")
                answer = replace(answer, fault=f"the text {why}", at="text")
        if self.kind == "causal" and scored[:1] == (0,):
            why = "no token begins a text, so its first piece has no probability"
            answer = replace(answer, fault=why, at="asked")
        if answer.fault:
            return answer, ()
        ids = tuple(tokens.ids)
        if self.kind == "causal":
            steps = [Step(ids[: scored[-1]], place - 1, ids[place]) for place in scored]
        else:
            hidden = other if question.hidden else ()
            steps = list(_mask_steps(question.how, ids, scored, hidden, tokenizer.mask_token_id))
        length = len(steps[0].pieces)
        if limit is not None and length > limit:
            why = f"a sentence has {length:,} pieces, and the model takes {limit:,} at most"
            return replace(answer, fault=why, at="text"), ()
        return answer, tuple(steps)

    def _total(
        self, question: Question, steps: Sequence[Step], values: Mapping[Step, float]
    ) -> float:
        """Sum over pieces, weighted by attention where that is wanted.

        Averaged, it is the logit of a piece with their mean embedding and no bias, as a piece has
        that is added to the vocabulary.
        """
        if question.how == "attention":
            weights = self._attention(steps[0].pieces)
            return math.fsum(values[step] * weights[step.place] for step in steps)
        total = math.fsum(values[step] for step in steps)
        if question.how != "averaged" or len(steps) == 1:
            return total
        head = self.loaded.module.get_output_embeddings()
        biases = getattr(head, "bias", None)
        own = 0.0 if biases is None else float(biases.detach()[[s.piece for s in steps]].mean())
        return total / len(steps) - own

    def log_probabilities(self, steps: Iterable[Step]) -> dict[Step, float]:
        """Have the model read the inputs of some steps, batch by batch.

        Texts of one length are read together, so none is padded: the other texts of a batch are no
        part of what the model sees.
        """
        of_input: dict[Input, dict[Step, None]] = defaultdict(dict)
        for step in steps:
            of_input[step.pieces][step] = None
        values: dict[Step, float] = {}

        def score_batch(batch: list[Input]) -> tuple[list[Step], list[float]]:
            needed = [(row, step) for row, pieces in enumerate(batch) for step in of_input[pieces]]
            return [step for _, step in needed], self._log_probabilities(batch, needed)

        module = self.loaded.module
        for length, same in groupby(sorted(of_input, key=len), len):
            several = chunks_of(same, max(1, LOGITS // ((self.about.vocabulary or 1) * length)))
            parts = (in_halves(batch, score_batch, module, self.name) for batch in several)
            for _, (asked, computed) in chain.from_iterable(parts):
                if not np.isfinite(computed).all():
                    raise SourceError(
                        f"{self.name}: the model computes log-probabilities that are not finite",
                        remedy="its weights may be damaged; half precision may overflow: open it "
                        "in single precision",
                    )
                values |= dict(zip(asked, computed, strict=True))
        return values

    def _log_probabilities(
        self, batch: Sequence[Input], needed: Sequence[tuple[int, Step]]
    ) -> list[float]:
        """Log-softmax of the needed places alone, in double precision: rare pieces stay finite."""
        torch = import_torch()

        places = list(dict.fromkeys((row, step.place) for row, step in needed))
        at = {key: i for i, key in enumerate(places)}
        with torch.inference_mode():
            logits = self._logits(torch.tensor(batch, dtype=torch.long))
            index = partial(torch.tensor, device=logits.device)
            rows, columns = map(index, zip(*places, strict=True))
            chances = torch.log_softmax(logits[rows, columns].double(), dim=-1)
            which = index([at[row, step.place] for row, step in needed])
            values: list[float] = chances[which, index([step.piece for _, step in needed])].tolist()
        return values

    def _attention(self, pieces: Input) -> list[float]:
        """Mean attention that each piece gets, over layers, heads and pieces that attend."""
        torch = import_torch()

        module = self.loaded.module
        before = module.config._attn_implementation
        try:
            module.set_attn_implementation("eager")  # others do not tell
            with torch.inference_mode():
                ids = torch.tensor([pieces], dtype=torch.long, device=module.device)
                layers = module(input_ids=ids, output_attentions=True).attentions
                mean = torch.stack([layer[0].double() for layer in layers]).mean(dim=(0, 1, 2))
        finally:
            module.set_attn_implementation(before)
        weights: list[float] = mean.tolist()
        return weights

    def _logits(self, ids: Any) -> Any:
        """From ids of shape (texts, pieces) to logits of shape (texts, pieces, vocabulary)."""
        model = self.loaded.module
        return model(input_ids=ids.to(model.device)).logits


def _mask_steps(
    how: How, ids: Input, scored: Sequence[int], hidden: Sequence[int], mask: int
) -> Iterator[Step]:
    """A step for each piece that is scored, with masks as `how` says; those of `hidden` besides."""
    gone = set[int]()
    if how in ONE_MASK:
        gone.update(scored[1:], hidden[1:] if how == "product" else ())
    for i, place in enumerate(scored):
        first = scored[0] if how in ONE_MASK else place
        masked = {
            *hidden,
            *(scored[i:] if how in LEFT_TO_RIGHT else () if how in UNMASKED else (first,)),
        }
        seen = tuple(mask if at in masked else p for at, p in enumerate(ids) if at not in gone)
        yield Step(seen, first - sum(at < first for at in gone), ids[place])


def _begun(tokenizer: Any, tokens: Tokens) -> Tokens:
    """Pieces after one token that says where a text begins."""
    first = tokenizer.bos_token_id
    first = tokenizer.eos_token_id if first is None else first
    ids, offsets = list(tokens.ids), list(tokens.offsets or ())
    while ids and offsets[-1][0] == offsets[-1][1]:  # an end-of-text token
        del ids[-1], offsets[-1]
    if first is not None and (not ids or ids[0] != first):
        ids, offsets = [first, *ids], [(0, 0), *offsets]
    return replace(tokens, ids=ids, offsets=offsets)


# --- opening --------------------------------------------------------------------------------------


def open_language_model(spec: Any, kind: Kind) -> LanguageModel:
    """Open a language model; the weights of a transformer are read with the first question."""
    if isinstance(spec, LanguageModel) and not isinstance(spec, type):
        if spec.kind == kind:
            return spec
        raise not_of_kind(spec.name, kind, f"a {spec.kind} language model")
    if pair := model_and_tokenizer(spec):
        return open_language_model(language_model(*pair, name=type(pair[0]).__name__), kind)
    if isinstance(spec, str) and spec.lower().startswith(SCHEMES):
        raise SourceError(
            f"log-probabilities need a {kind} language model with local weights, and this is an "
            "address",
            got=re.sub(r"//[^/?]*@", "//", spec).partition("?")[0],  # no key that it may hold
            allowed=AT_HAND,
            remedy="open the weights of the model by hf:, or measure what it answers in words: "
            "eatlas ask chat:ADDRESS?model=NAME",
        )
    if isinstance(spec, str | Path) and model_scheme(parse_file_spec(str(spec)).path) == "hf":
        spec = f"{HF}{spec}"
    if not isinstance(spec, str) or not spec.startswith(HF):
        name = str(spec) if isinstance(spec, str | Path) else described(spec)
        raise SourceError(
            f"{name}: log-probabilities need a {kind} language model; this source is not one",
            allowed=AT_HAND,
        )
    text, keeps = take_cache(spec)
    named = find_model(text, useless=OF_VECTORS)
    options, card = named.options, named.card
    # what is not known is tried
    if card.family and (card.family == "causal") != (kind == "causal"):
        raise not_of_kind(named.label, kind, card.architecture)
    content = content_of(named)
    decides = (
        f"{content};{ALGORITHM};{kind};precision={options.precision};seed={options.random_seed}"
    )
    return TransformerLM(
        partial(load, named, content, kind),
        f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}",
        transformer_record(
            named.name, head_class(card, kind), kind, card.vocabulary, options.precision
        ),
        text,
        options.notes,
        keeps=keeps and not computes_afresh(),
    )


def head_class(card: ModelCard, kind: Kind) -> str:
    """Class of the model that predicts pieces."""
    auto = model_classes()
    heads: Mapping[str, Any] = auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if kind == "masked":
        heads = auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return str(heads.get(card.model_type, card.architecture))


def transformer_record(
    name: str, architecture: str, kind: Kind, vocabulary: int, precision: str
) -> LanguageModelRecord:
    """What a result says of a model."""
    return LanguageModelRecord(
        model=name,
        architecture=architecture,
        kind=kind,
        vocabulary=vocabulary,
        precision=precision,
        roundoff=roundoff_of_log_ratios(precision),
    )


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
        If the model has no such head.

    Examples
    --------
    >>> language_model(object(), None, name="mine")
    Traceback (most recent call last):
    ...
    eatlas.errors.SourceError: mine: not a language model of the transformers library
      got: object
      allowed: AutoModelForMaskedLM or AutoModelForCausalLM
    """
    kind = head_of(type(model).__name__)
    if kind is None:
        raise SourceError(
            f"{name}: not a language model of the transformers library",
            got=described(model),
            allowed="AutoModelForMaskedLM or AutoModelForCausalLM",
        )
    require_plain(model, name)
    precision = str(model.dtype).removeprefix("torch.")
    return TransformerLM(
        lambda: wrap_module(tokenizer, model, model.config),
        lambda: f"sha256:{digest_of(model, tokenizer)}",
        transformer_record(name, type(model).__name__, kind, model.config.vocab_size, precision),
    )


def not_of_kind(name: str, kind: Kind, got: str) -> SourceError:
    """Say that a model is of the other kind, and point to the measure for it."""
    lacks = "has no mask token, so no word of a sentence can be masked"
    what = lacks if kind == "masked" else "does not continue texts"
    return SourceError(f"{name}: the model {what}", got=got, allowed=_TAKEN[kind])
