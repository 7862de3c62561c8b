"""What encoders and language models share: calls in batches, checked vectors, kept answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, described
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.interface import Answers, Found, Item, Tell, cut
from eatlas.sources.source import Source
from eatlas.stimuli.sentences.pairs import Answer, Kind, Question

ALLOWED = "an array of shape (number of texts, number of components): numpy, torch, list of lists"
SHOWN = 60
ROUNDOFF = {"float64": None, "float32": 2.0**-24, "float16": 2.0**-14, "bfloat16": 2.0**-11}
"""Rounding error of a score, by the type of the numbers that the model computes with; None where it
is below what ties allow for anyway. With other kernels (AVX2, SSE) and threads scores of weat-6 by
MiniLM moved by up to 1.0 of 2^-24 in single precision, those by SmolLM2 in GGUF, which is computed
in single precision, by 1.2; by 1.1 of 2^-14 and 1.3 of 2^-11 in half precision: an eighth of the
unit roundoff, as kernels add in single precision and round what they hand on."""
LOG_RATIOS = 16
"""Log-probabilities are differences of large numbers: so many times the unit roundoff, relative to
the greatest log-ratio of a test."""
K = TypeVar("K")


class Encoder(Source):
    """A source that computes vectors.

    Parameters
    ----------
    name : str
        What names the source in results.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._dim: int | None = None

    @property
    def name(self) -> str:
        """What names the source in results."""
        return self._name

    @property
    def dim(self) -> int:
        """Number of components; where nothing has been encoded yet, a word is."""
        if self._dim is None:
            self.lookup(["word"])
        if self._dim is None:
            raise SourceError(f"{self.name}: the number of components is not known")
        return self._dim

    def in_calls(
        self,
        items: Collection[Item],
        key: Callable[[Item], K],
        size: int,
        call: Callable[[list[K], list[str]], NDArray[np.floating]],
    ) -> Iterator[Answers]:
        """Encode items in calls, the shortest first, each different one once.

        Parameters
        ----------
        items : collection of Item
        key : callable
            What the encoder is given for an item; items of one key share a vector.
        size : int
            Keys in a call.
        call : callable
            From keys, and the text of each, to an array with a row for each.
        """
        grouped: dict[K, list[Item]] = {}
        for one in sorted(items, key=lambda one: (len(one.content), one.content, one.span or ())):
            grouped.setdefault(key(one), []).append(one)
        for some in cut(grouped, size):
            texts = [grouped[one][0].content for one in some]
            rows = call(some, texts)
            yield {one: Found(row) for k, row in zip(some, rows, strict=True) for one in grouped[k]}


def as_rows(given: Any, texts: Sequence[str], where: str) -> NDArray[np.floating]:
    """Return one finite vector for each text, as an array of its own."""
    array = _as_array(given, where)
    if array.ndim != 2 or len(array) != len(texts) or not array.shape[1]:
        raise SourceError(
            f"{where}: what came back for {_count(len(texts))} is not one vector for each",
            got=f"an array of shape {array.shape}",
            allowed=ALLOWED,
        )
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        bad = array[row][~np.isfinite(array[row])][0]
        raise SourceError(
            f"{where}: the vector of a text has a component that is not finite: "
            f"{shortened(texts[row])!r}",
            got=str(bad),
            allowed="finite numbers",
        )
    return array


def shortened(text: str) -> str:
    """A text for a message."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _as_array(given: Any, where: str) -> NDArray[np.floating]:
    """Convert what an encoder returned to float32 or float64."""
    try:
        array = np.asarray(_on_this_machine(given))
    except (TypeError, ValueError, RuntimeError) as error:
        raise SourceError(
            f"{where}: what came back is not an array of vectors",
            got=f"{described(given)}: {error}",
            allowed=ALLOWED,
        ) from error
    if array.dtype.kind not in "fiub":
        raise SourceError(
            f"{where}: what came back is not an array of numbers",
            got=f"{described(given)}, of type {array.dtype}",
            allowed=ALLOWED,
        )
    single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.array(array, np.float32 if single else np.float64)


def _on_this_machine(given: Any) -> Any:
    """A torch tensor may be on a GPU, have a gradient, or numbers of a type that numpy lacks."""
    if not hasattr(given, "detach"):
        return given
    tensor = given.detach().cpu()
    try:
        return tensor.numpy()
    except TypeError:  # bfloat16
        return tensor.float().numpy()


def _count(n: int) -> str:
    return "1 text" if n == 1 else f"{n:,} texts"


def require_extra(needed: Iterable[str], fault: str, extra: str = "hf") -> None:
    """Refuse to continue without the packages of an extra; `fault` says what cannot be done."""
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise SourceError(
            fault, got=f"no {' and no '.join(missing)}", remedy=f"pip install 'eatlas[{extra}]'"
        )


def roundoff_of(precision: str) -> float | None:
    """Unit roundoff of vectors; single precision where nothing is stated."""
    return ROUNDOFF.get(precision, ROUNDOFF["float32"])


def roundoff_of_log_ratios(precision: str) -> float | None:
    """The same of log-probability ratios."""
    unit = roundoff_of(precision)
    return None if unit is None else LOG_RATIOS * unit


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
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the model, in whole sentences."""
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
    notes: tuple[str, ...]
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
        kept = {one: self.answers[one] for one in questions if one in self.answers}
        if tell is not None:
            tell(len(kept), len(kept))
        return kept

    def renamed(self, name: str) -> ModelSnapshot:
        """Return the same under another name."""
        notes = tuple(note.replace(self.name, name) for note in self.notes)
        return replace(self, name=name, notes=notes)
