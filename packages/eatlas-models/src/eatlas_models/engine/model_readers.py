"""How language models are read: log-probabilities, and answers in words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from eatlas.engine.readers import Lookup, Reader, require_terms
from eatlas.errors import SourceError
from eatlas.signature import Signature
from eatlas_models.encoders.chat import open_answering
from eatlas_models.encoders.language import LanguageModel, ModelSnapshot, open_language_model
from eatlas_models.stimuli.choosing import CHECK_FILE

if TYPE_CHECKING:
    from eatlas.engine.jobs import Job
    from eatlas.sources import CaseRule, Tell
    from eatlas_models.encoders.chat import ChatModel
    from eatlas_models.stimuli.pairs import Kind

OF_PAIRS = "use a larger corpus, more words between the two (--distance), or more frequent words"
OF_ANSWERS = "ask other questions (templates=...), or use terms that the model compares"


class ModelReader(Reader):
    """What a language model answers to the questions of a measure."""

    counted = "questions to"
    of_model = True
    usable: ClassVar[str]
    """What the model must have for a term."""

    def in_prompts(self, sources: Sequence[Any], prompts: Any) -> list[Any]:  # noqa: ARG002
        """Refuse prompts: the measures have templates of their own."""
        raise SourceError(
            "a prompt changes nothing here: LPBS and FMAT insert words into their own templates",
            allowed="prompts for measures of vectors",
            remedy='remove the prompt, or write lpbs(templates="{target} is {attribute}.")',
        )

    def read(self, jobs: Sequence[Job], tell: Tell | None = None) -> Any:
        """Have the model answer the questions of all jobs, each once."""
        # in an order that hashes do not change: batches follow it
        questions = dict.fromkeys(q for job in jobs for q in job.measure.questions(job.test))
        source: Any = jobs[0].source
        return ModelSnapshot.of(source, questions, tell)

    def look_up(self, measure: Any, test: Any, source: Any, case: CaseRule) -> Lookup:  # noqa: ARG002
        """Have a measure make associations of the answers."""
        asked = measure.associate(test, source.score(dict.fromkeys(measure.questions(test))))
        return self.lookup_of(measure, test, source, asked)

    def lookup_of(
        self, measure: Any, test: Any, source: Any, asked: Any, remedy: str = ""
    ) -> Lookup:
        """The associations of a test, if enough terms have some."""
        require_terms(measure, test, asked.coverage, source.name, self.usable, remedy)
        measured = hashlib.sha256(asked.single.tobytes()).hexdigest()
        fields = {"coverage": asked.coverage, "rows": asked.rows, "asked": asked}
        fields["precision"] = source.about.roundoff
        return Lookup(fields, measured, {"language_model": source.about}, source.notes)


class LogProbabilityReader(ModelReader):
    """Log-probabilities of one kind of language model."""

    usable = "usable log-probability"
    kind: ClassVar[Kind]

    def open(self, spec: Any) -> tuple[LanguageModel, ...]:
        """Open a language model of the kind."""
        return (open_language_model(spec, self.kind),)

    def lookup_of(
        self, measure: Any, test: Any, source: Any, asked: Any, remedy: str = ""
    ) -> Lookup:
        """The associations of a test; a corpus with its pairs may have too few sentences."""
        pairs = getattr(measure, "pairs", None)
        if pairs is not None:
            corpus, usable = pairs.name or "the corpus", "sentence with each of the other terms"
            require_terms(measure, test, asked.coverage, corpus, usable, OF_PAIRS)
        return super().lookup_of(measure, test, source, asked, remedy)


class MaskedReader(LogProbabilityReader):
    """Log-probabilities of masked words."""

    name = "a masked language model"
    kind = "masked"


class CausalReader(LogProbabilityReader):
    """Log-probabilities of continuations."""

    name = "a causal language model"
    kind = "causal"


class AnswersReader(ModelReader):
    """Answers in words, of a model or collected in a file."""

    name = "a model that answers"
    usable = "usable answer"

    def open(self, spec: Any) -> tuple[ChatModel, ...]:
        """Open a model that answers, or a file of answers."""
        return (open_answering(spec),)

    def read(self, jobs: Sequence[Job], tell: Tell | None = None) -> Any:
        """Have the model answer; answers in a file are there already."""
        source: Any = jobs[0].source
        return source if _is_collected(source) else super().read(jobs, tell)

    def look_up(self, measure: Any, test: Any, source: Any, case: CaseRule) -> Lookup:
        """Have a measure make associations of the answers."""
        if not _is_collected(source):
            return super().look_up(measure, test, source, case)
        asked = measure.associate_collected(test, source.of_test(test.id))
        lookup = self.lookup_of(measure, test, source, asked, CHECK_FILE)
        signature = Signature.parse(measure.signature).without(measure.of_questions)
        return Lookup(
            lookup.fields,
            lookup.measured,
            {**lookup.about, "signature": str(signature)},
            lookup.notes,
        )

    def lookup_of(
        self, measure: Any, test: Any, source: Any, asked: Any, remedy: str = ""
    ) -> Lookup:
        """The associations of a test; too few have a remedy of their own."""
        return super().lookup_of(measure, test, source, asked, remedy or OF_ANSWERS)


def _is_collected(source: Any) -> bool:
    """Whether answers are there, whatever a measure would ask."""
    return bool(getattr(source, "collected", False))
