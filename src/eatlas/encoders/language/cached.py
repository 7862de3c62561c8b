"""A language model whose answers are kept on disk, beside the vectors of encoders."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from eatlas.encoders.cache.given import through_cache
from eatlas.encoders.cache.keys import ABOUT, ANSWER, SHARED, Entry, hashed
from eatlas.encoders.cache.place import cache_folder
from eatlas.encoders.cache.sharing import shared_entries
from eatlas.encoders.cache.store import Store
from eatlas.encoders.language.models import TransformerLM
from eatlas.encoders.language.questions import Answer, Kind, Question
from eatlas.encoders.rounding import roundoff_of_log_ratios
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.passages import Tell


class CachedLanguageModel:
    """A language model whose answers are kept, under all that they depend on.

    Parameters
    ----------
    model : TransformerLM
        Its fingerprint must say all that its answers depend on.

    Warns
    -----
    SourceWarning
        While it answers, where the folder of the cache cannot be used; all is computed then.
    """

    def __init__(self, model: TransformerLM) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """Name of the model; nothing says whether an answer was kept or computed."""
        return self.model.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the model."""
        return self.model.fingerprint

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the model."""
        return self.model.notes

    @property
    def kind(self) -> Kind:
        """Whether the model fills masks or continues a text."""
        return self.model.kind

    @cached_property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model, without loading it where it has answered before."""
        kept = about_kept(self.fingerprint)
        if kept is None:
            return self.model.about
        return LanguageModelRecord(
            model=self.model.asked_for,
            kind=self.kind,
            roundoff=roundoff_of_log_ratios(str(kept.get("precision", ""))),
            **kept,
        )

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Return answers that are kept, and have the model compute the others.

        Raises
        ------
        SourceError
            As :meth:`eatlas.encoders.language.LanguageModel.score`.
        """
        keys = {one: _key_of(self.fingerprint, one) for one in questions}
        source = (self.fingerprint, self.name)
        kept = through_cache(keys, source, self._computed, "questions are answered", tell)
        return {one: _answer_of(entry) for one, entry in kept.items()}

    def _computed(
        self,
        kept: Mapping[Question, Entry],  # noqa: ARG002
        missing: list[Question],
    ) -> Iterator[Mapping[Question, Entry]]:
        """Have the model answer, and say once what it is; none is loaded where all is kept."""
        if not missing:
            return
        if about_kept(self.fingerprint) is None:
            self._keep_about()
        same, source = self.model.same(missing), (self.fingerprint, self.name)
        keys = {one: _key_of(self.fingerprint, one) for one in missing}
        yield from shared_entries(missing, same, keys, source, self._answered)

    def _answered(self, questions: list[Question]) -> Iterator[Mapping[Question, Entry]]:
        if not questions:
            return
        for batch in self.model.score_batches(questions):
            yield {one: _entry_of(answer) for one, answer in batch.items()}

    def _keep_about(self) -> None:
        said = self.model.about.model_dump(include={"architecture", "vocabulary", "precision"})
        entry = Entry(json.dumps(said).encode(), ABOUT)
        with Store(cache_folder(), quiet=True) as store:
            store.put(self.fingerprint, self.name, {_about_key(self.fingerprint): entry})


def about_kept(fingerprint: str) -> dict[str, str | int] | None:
    """What was said of a model when it answered; None of one that did not."""
    key = _about_key(fingerprint)
    with Store(cache_folder(), quiet=True) as store:
        entry = store.get([key]).get(key)
    return None if entry is None else json.loads(entry.data)


def _key_of(fingerprint: str, question: Question) -> bytes:
    """Hash of what an answer depends on; the fingerprint says what the model is.

    >>> one, other = Question("An ant.", (3, 6)), Question("An ant.", (3, 6), how="pll")
    >>> _key_of("m", one) == _key_of("m", other)
    False
    """
    asked = (question.asked, question.other, question.hidden, question.how)
    return hashed(ANSWER, SHARED, fingerprint, repr(asked), question.text)


def _about_key(fingerprint: str) -> bytes:
    return hashed(ABOUT, fingerprint)


def _entry_of(answer: Answer) -> Entry:
    """Write an answer down; JSON has every digit of a number of double precision."""
    said = (
        answer.log_probability, answer.pieces, answer.other_pieces, answer.fault, answer.at,
    )  # fmt: skip
    return Entry(json.dumps(said).encode(), ANSWER)


def _answer_of(entry: Entry) -> Answer:
    """Read what :func:`_entry_of` wrote.

    >>> _answer_of(_entry_of(Answer(-0.1, pieces=2)))
    Answer(log_probability=-0.1, pieces=2, other_pieces=0, fault='', at='')
    """
    return Answer(*json.loads(entry.data))
