"""Language models of transformers: masked ones fill blanks, causal ones continue a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from eatlas.encoders.encoder import roundoff_of_log_ratios
from eatlas.encoders.language.log_probabilities import (
    ENDS,
    Encoded,
    FaultError,
    Input,
    Predictions,
    Step,
    Waiting,
    boundaries,
    closes,
    encode,
    places,
    require_offsets,
)
from eatlas.encoders.loading import Loaded
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.interface import Tell
from eatlas.stimuli.sentences.pairs import Answer, Kind, Question

if TYPE_CHECKING:
    import torch


class TransformerLM(ABC):
    """A language model of transformers."""

    kind: Kind

    def __init__(
        self, load: Callable[[], Loaded], name: str, fingerprint: str, notes: tuple[str, ...] = ()
    ) -> None:
        self._load, self.name, self.fingerprint, self.notes = load, name, fingerprint, notes

    @cached_property
    def loaded(self) -> Loaded:
        """The model, in evaluation mode."""
        loaded = self._load()
        require_offsets(loaded.tokenizer, self.name)
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
        found: dict[Question, Answer] = {}
        for batch in self.score_batches(questions):
            found |= batch
            if tell is not None:
                tell(len(found), len(questions))
        return {one: found[one] for one in questions}

    def score_batches(self, questions: Collection[Question]) -> Iterator[Mapping[Question, Answer]]:
        """Hand out answers as they are computed."""
        wanted = Predictions()
        all_plans = self._plans(questions, wanted)
        if faults := {one: plan for one, plan in all_plans.items() if isinstance(plan, Answer)}:
            yield faults
        plans = {one: plan for one, plan in all_plans.items() if isinstance(plan, _Plan)}
        waiting = Waiting({one: (*plan.steps, *plan.given) for one, plan in plans.items()})
        found: dict[Step, float] = {}
        ends = self.boundaries if any(one.how == "ends" for one in questions) else ()
        for values in wanted.answered(self._logits, self.vocabulary, self.name, ends):
            found |= values
            yield {one: plans[one].answer(found) for one in waiting.ready(values)}

    def same(self, questions: Collection[Question]) -> Mapping[Question, str]:
        """Return the pieces that decide each answer: questions of the same share it."""
        plans = self._plans(questions, Predictions())
        return {one: repr(plan) for one, plan in plans.items() if isinstance(plan, _Plan)}

    def _plans(
        self, questions: Collection[Question], wanted: Predictions
    ) -> dict[Question, Answer | _Plan]:
        texts = list(dict.fromkeys(self.read_text(one) for one in questions))
        encoded = dict(zip(texts, self.encoded(texts), strict=True))
        return {one: self._plan(one, encoded[self.read_text(one)], wanted) for one in questions}

    def read_text(self, question: Question) -> str:
        """The part of a text that the model reads."""
        return question.text

    def encoded(self, texts: list[str]) -> list[Encoded]:
        """Cut texts into pieces."""
        return encode(self.loaded.tokenizer, texts)

    def _plan(self, question: Question, encoded: Encoded, wanted: Predictions) -> Answer | _Plan:
        """Find the factors of one probability, or say why there is none."""
        tokenizer = self.loaded.tokenizer
        try:
            scored = places(tokenizer, encoded, question.asked)
        except FaultError as fault:
            return Answer(None, fault=str(fault), at="asked")
        try:
            span = question.other
            other = () if span is None else places(tokenizer, encoded, span)
        except FaultError as fault:
            return Answer(None, pieces=len(scored), fault=str(fault), at="other")
        steps = list(self.steps(question, encoded.ids, scored, other))
        longest, limit = max(len(seen) for seen, _, _ in steps), self.loaded.limit
        if limit is not None and longest > limit:
            why = f"a sentence has {longest:,} pieces, and the model takes {limit:,} at most"
            return Answer(None, len(scored), len(other), why, at="text")
        given = tuple(wanted.add(*step) for step in self.given(question, encoded.ids, scored))
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

    def answer(self, found: Mapping[Step, float]) -> Answer:
        total = sum(found[step] for step in self.steps) - sum(found[step] for step in self.given)
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

    def encoded(self, texts: list[str]) -> list[Encoded]:
        """Cut texts into pieces after one token that says where a text begins."""
        tokenizer = self.loaded.tokenizer
        first = tokenizer.bos_token_id
        first = tokenizer.eos_token_id if first is None else first
        begun = []
        for one in super().encoded(texts):
            ids, offsets = one.ids, one.offsets
            while ids and offsets[-1][0] == offsets[-1][1]:  # an end-of-text token
                ids, offsets = ids[:-1], offsets[:-1]
            if first is not None and (not ids or ids[0] != first):
                ids, offsets = (first, *ids), ((0, 0), *offsets)
            begun.append(Encoded(one.text, ids, offsets))
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
