"""What measures of log-probability ratios share: the language model, the sentences, the pairs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora import Pairs, with_pairs
from eatlas.encoders.language import (
    Answer,
    How,
    Kind,
    LanguageModel,
    Question,
    open_language_model,
)
from eatlas.errors import CoverageError, SignatureError, StimulusError, described, listed
from eatlas.measures.base import Input, Need
from eatlas.measures.log_ratios import Aggregate, Asking, Normalize, Ratios, ratios
from eatlas.measures.patterned import PatternMeasure
from eatlas.measures.sentence_ratios import SentenceRatios, sentence_questions, sentence_ratios
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.lpbs import PieceCounts
from eatlas.results.parts import Coverage
from eatlas.sources import CaseRule
from eatlas.sources.care import require_trust
from eatlas.stimuli import AssociationTest, ContextsOrigin
from eatlas.stimuli.sentences.pairs import (
    EXAMPLE,
    SEPARATOR,
    built_in_pairs,
    choose,
    fault_of_pair,
    read_pairs,
)

Pieces = Literal["joint", "pll"]
Targets = Literal["full", "reduced"]
Attributes = Literal["written", "adjective"]
CORPUS = "pairs"
"""What stands for templates in a signature where the sentences are those of a corpus."""
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_FILE = re.compile(r"(.*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class LogRatioMeasure(PatternMeasure):
    """A measure whose association of a target with an attribute is a log-probability ratio.

    Parameters
    ----------
    model, templates, plural, pieces, normalize, ends, targets, attributes, pairs
        As in :class:`eatlas.LPBS`.
    """

    minimum: ClassVar[Mapping[str, int]] = {"X": 1, "Y": 1, "A": 2, "B": 2}
    needed: ClassVar[str] = "log-probability"

    model: Kind = field(default="masked", kw_only=True)
    templates: str = field(default="basic", kw_only=True)
    plural: str = field(default="", kw_only=True)
    pieces: Pieces = field(default="joint", kw_only=True)
    normalize: Normalize = field(default="sum", kw_only=True)
    ends: bool = field(default=False, kw_only=True)
    targets: Targets = field(default="full", kw_only=True)
    attributes: Attributes = field(default="written", kw_only=True)
    pairs: Pairs | None = field(default=None, kw_only=True, compare=False, repr=False)
    origin: ContextsOrigin | None = field(default=None, init=False, repr=False)
    """Which pairs these are; measures of different ones differ."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.pairs, Pairs):
            object.__setattr__(self, "origin", self.pairs.origin)
        self._check_choice("model", Kind)
        self._check_choice("pieces", Pieces)
        self._check_choice("normalize", Normalize)
        self._check("ends", "true or false", ok=isinstance(self.ends, bool))
        if self.ends and self.model != "causal":
            allowed = "false, or model=causal: behind masks the places say where a word ends"
            self._check("ends", allowed, ok=False)
        self._check_choice("targets", Targets)
        self._check_choice("attributes", Attributes)
        self._check("plural", "words with ; between them", ok=isinstance(self.plural, str))
        text = isinstance(self.templates, str) and bool(self.templates.strip())
        self._check("templates", f"a name, a TOML file, or {EXAMPLE}", ok=text)
        if self.pairs is not None or self.templates.strip() == CORPUS:
            self._take_sentences()
        if found := _FILE.fullmatch(self.templates):
            self._read_file(Path(found[1]), found[2] or "")
        for one in self.sentences:
            self._require_template(one)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: those that change nothing."""
        idle = {"plural": not self.plural, "pieces": self.model == "causal"}
        idle |= {"normalize": self.normalize == "sum" and self.model == "masked"}
        idle |= {"pairs": True, "origin": True, "ends": not self.ends}
        idle |= {"targets": self.targets == "full", "attributes": self.attributes == "written"}
        return super().idle() | {name for name, left_out in idle.items() if left_out}

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The templates, each with its two places; none where a corpus has the sentences."""
        text = self.templates.strip()
        if text == CORPUS:
            return ()
        if _NAME.fullmatch(text):
            try:
                return choose(built_in_pairs().sets, text, "templates")
            except StimulusError as error:
                raise SignatureError(
                    f"{self.name}: {error.what.partition(': ')[2]}",
                    allowed=f"{error.allowed}, a TOML file, or {EXAMPLE}",
                ) from error
        return tuple(one.strip() for one in text.split(SEPARATOR) if one.strip())

    @property
    def over_sentences(self) -> Aggregate:
        """How the ratios of several sentences of a pair become one."""
        return "mean"

    @property
    def asking(self) -> Asking:
        """Which questions make one ratio."""
        own = {word.strip() for word in self.plural.split(SEPARATOR) if word.strip()}
        how: How = self.pieces
        if self.model == "causal":
            how = "ends" if self.ends else "next"
        plural = built_in_pairs().plural | own
        adjectives = self.attributes == "adjective"
        return Asking(
            self.sentences, plural, how, self.over_sentences, self.normalize, adjectives=adjectives
        )

    @property
    def needs(self) -> Need:
        """A language model of the measure's kind."""
        return self.model

    def questions(self, test: AssociationTest) -> Iterable[Question]:
        """Everything that a language model is asked for one test.

        Raises
        ------
        StimulusError
            If its terms are sentences.
        """
        if said := [role for role, concept in test.parts if concept.sentences]:
            raise StimulusError(
                f"test {test.id}: {self.name} puts words into its own templates",
                got=f"terms that are sentences already, in {', '.join(said)}",
                allowed="a test of words",
                remedy="use the test that these sentences are made of",
            )
        if self.templates != CORPUS:
            return self.asking.questions(test)
        return sentence_questions(test, self._sentences(), self.asking)

    def opened(self, source: Any) -> LanguageModel:
        """Open a language model of the measure's kind."""
        return open_language_model(source, self.model)

    def diagnosed(self, given: Input) -> TermsDiagnosis | None:  # noqa: ARG002  (vectors have one)
        """None: log-probabilities have no space."""
        return None

    def _embed(
        self,
        test: AssociationTest,
        source: Any,
        case: CaseRule,
        seed: int,
        rng: np.random.Generator,
    ) -> Input:
        """Rows whose dot products are the log-probability ratios: a row of them, and a place."""
        asking = self.asking
        if self.pairs is not None:
            test = with_pairs(test, self.pairs)
        answers = source.score(dict.fromkeys(self.questions(test)))
        found = self._ratios(test, answers)
        self._require_minimum(test, found.coverage, source.name)
        measured = hashlib.sha256(self._measured(found).tobytes()).hexdigest()
        provenance = self.provenance(test, source.fingerprint, measured, case, seed)
        head = {
            **self.head(test, source.name, found.coverage, provenance),
            "direction": "attribute given target" if asking.causal else "target given attribute",
            "language_model": source.about,
            "pieces": PieceCounts(**found.pieces),
            "templates": self.sentences,
        }
        notes = [*source.notes, *_several_pieces(found.pieces, asking), *_beginnings(asking)]
        if isinstance(found, SentenceRatios):
            head["sentences"] = tuple(map(tuple, found.counts.tolist()))
            notes += found.remarks(provenance.sentences_from)
        rows = _rows(found.values, found.coverage)
        return Input(rows, found.coverage, tuple(notes), head, rng, log_ratios=found)

    def _measured(self, found: Ratios) -> NDArray[np.float64]:
        """The numbers that the finding rests on."""
        return found.values

    def _ratios(self, test: AssociationTest, answers: Mapping[Question, Answer]) -> Ratios:
        """Of templates, or of the sentences of a corpus."""
        most = 1 if self.targets == "reduced" else None
        if self.templates != CORPUS:
            return ratios(test, self.asking, answers, most_pieces=most)
        pairs = self._sentences()
        return sentence_ratios(test, pairs, self.asking, answers, most_pieces=most)

    def _sentences(self) -> Pairs:
        if self.pairs is None:
            raise StimulusError(
                f"{self.name}: there are no sentences",
                got=f"templates={CORPUS} alone",
                allowed="pairs that eatlas.find_pairs returned, or a file of them",
                remedy="--contexts FILE; in Python, eatlas.run(..., contexts=pairs)",
            )
        return self.pairs

    def _require_minimum(self, test: AssociationTest, coverage: Coverage, source: str) -> None:
        if self.pairs is None:
            super()._require_minimum(test, coverage, source)
            return
        for role, least in self.minimum.items():
            group = coverage.group(role)
            if len(group.used) < least:
                missing = listed(f"{term} ({why})" for term, why in group.reasons.items())
                raise CoverageError(
                    f"test {test.id}, group {role} ({test.concept(role).name}): too few terms have "
                    f"sentences with all others in {self.pairs.name or 'the corpus'}",
                    got=f"usable: {listed(group.used) or 'none'}; missing: {missing or 'none'}",
                    allowed=f"at least {least} for {self.name}",
                    remedy="use a larger corpus, more words between the two (--distance), or a "
                    "test of fewer and more frequent words",
                )

    def _take_sentences(self) -> None:
        """Let the sentences of a corpus take the place of templates."""
        fitting = self.pairs is None or isinstance(self.pairs, Pairs)
        if not fitting:
            raise SignatureError(
                f"{self.name}: the parameter pairs has no such value",
                got=described(self.pairs),
                allowed="what eatlas.find_pairs or eatlas.load_pairs returned",
            )
        kept = {"templates": ("basic", CORPUS), "plural": ("",)}
        kept |= {"attributes": ("written",), "model": ("masked",)}
        for name, values in kept.items():
            if getattr(self, name) not in values:
                raise SignatureError(
                    f"{self.name}: sentences of a corpus do not go with the parameter {name}",
                    got=f"{name}={getattr(self, name)}",
                    allowed="masked models, and stimuli as they stand in the sentences",
                    remedy=f"leave {name} out, or the pairs",
                )
        object.__setattr__(self, "templates", CORPUS)

    def _read_file(self, path: Path, name: str) -> None:
        """Put what a file says in the place of its name."""
        require_trust(f"read templates from {path}, which no signature of a result names")
        read = read_pairs(path)
        chosen = choose(read.sets, name, str(path))
        plural = [word for word in self.plural.split(SEPARATOR) if word.strip()]
        object.__setattr__(self, "templates", f"{SEPARATOR} ".join(chosen))
        object.__setattr__(self, "plural", SEPARATOR.join([*plural, *sorted(read.plural)]))

    def _require_template(self, template: str) -> None:
        if fault := fault_of_pair(template):
            raise SignatureError(f"{self.name}: the template {fault}", allowed=EXAMPLE)
        if self.model == "causal" and template.index("{attribute") < template.index("{target"):
            raise SignatureError(
                f"{self.name}: the template {template!r} has the attribute before the target",
                allowed=f"the target first, as in {EXAMPLE}",
                remedy="a causal model cannot take into account what stands behind; "
                "model=masked can",
            )


def _rows(values: NDArray[np.float64], coverage: Any) -> dict[str, NDArray[np.float64]]:
    n_x, n_a = len(coverage.X.used), len(coverage.A.used)
    places = np.eye(values.shape[1])
    return {"X": values[:n_x], "Y": values[n_x:], "A": places[:n_a], "B": places[n_a:]}


def _beginnings(asking: Asking) -> list[str]:
    """A causal model's pieces are also the beginning of longer words."""
    if asking.how != "next":
        return []
    return [
        "Attributes are scored as the beginning of a word: that the word ends there is not part of "
        "its probability (ends=true)."
    ]


def _several_pieces(pieces: Mapping[str, tuple[int, ...]], asking: Asking) -> list[str]:
    """What is scored in several pieces is less probable than a word of one."""
    roles = "AB" if asking.causal else "XY"
    counts = [count for role in roles for count in pieces[role]]
    several = sum(count > 1 for count in counts)
    if not several:
        return []
    what = "attributes" if asking.causal else "targets"
    return [
        f"{several} of {len(counts)} {what} have several pieces, {max(counts)} at most: their "
        f"log-probability is the {asking.normalize} over pieces."
    ]
