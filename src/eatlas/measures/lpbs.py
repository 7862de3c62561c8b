"""LPBS: association by log-probabilities of masked words, or of continuations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import SignatureError, StimulusError, described
from eatlas.measures.association import PatternMeasure
from eatlas.measures.base import (
    SHARE,
    Allowed,
    Input,
    Needs,
    parameter,
    whole,
)
from eatlas.measures.levels import Ordered, level3, similarities
from eatlas.measures.log_ratios import (
    Aggregate,
    Normalize,
    RatioRule,
    Ratios,
    SentencePairs,
    questions,
    ratios,
)
from eatlas.measures.ml_eat import compared
from eatlas.measures.resampling import Variation, over_attributes
from eatlas.notes import Note
from eatlas.results.embedding_tests import LPBSResult, PieceCounts
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, ContextsOrigin
from eatlas.stimuli.pairs import (
    EXAMPLE,
    SEPARATOR,
    Answer,
    How,
    Kind,
    Question,
    built_in_pairs,
    choose,
    fault_of_pair,
    read_pairs,
)
from eatlas.untrusted import require_trust

Pieces = Literal["joint", "pll"]
Targets = Literal["full", "reduced"]
Attributes = Literal["written", "adjective"]
CORPUS = "pairs"
"""What stands for templates in a signature where the sentences are those of a corpus."""
NO_WORDS = {
    "images": ("images", "measure images by ML-EAT, WEAT or SC-EAT"),
    "sentences": (
        "terms that are already sentences",
        "use the test that these sentences are made of",
    ),
}
"""What has no place in a template, by the key of a concept, and what is done with it instead."""
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_FILE = re.compile(r"(.*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)
_TEMPLATES = Allowed(
    f"a name, a TOML file, or {EXAMPLE}",
    lambda value: isinstance(value, str) and bool(value.strip()),
)
_PLURAL = Allowed("words with ; between them", lambda value: isinstance(value, str))


@dataclass(frozen=True)
class LogRatioMeasure(PatternMeasure):
    """A measure whose association of a target with an attribute is a log-probability ratio.

    Parameters
    ----------
    model, templates, plural, pieces, normalize, targets, attributes, pairs
        As in :class:`eatlas.LPBS`.
    """

    minimum: ClassVar[Mapping[str, int]] = {
        **dict.fromkeys(TARGETS, 1),
        **dict.fromkeys(ATTRIBUTES, 2),
    }

    _: KW_ONLY
    model: Kind = parameter("masked", Kind)
    templates: str = parameter("basic", _TEMPLATES)
    plural: str = parameter("", _PLURAL, optional=True)
    pieces: Pieces = parameter("joint", Pieces)
    normalize: Normalize = parameter("sum", Normalize)
    targets: Targets = parameter("full", Targets, optional=True)
    attributes: Attributes = parameter("written", Attributes, optional=True)
    pairs: SentencePairs | None = field(default=None, compare=False, repr=False)
    origin: ContextsOrigin | None = field(default=None, init=False, repr=False)
    """Which pairs these are; measures of different ones differ."""
    over_sentences: ClassVar[str | None] = "mean"
    """How the ratios of several sentences of a pair become one; None where `aggregate` says so."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pairs is not None or self.templates.strip() == CORPUS:
            self._take_sentences()
        if match := _FILE.fullmatch(self.templates):
            # what the file says takes the place of its name
            path = Path(match[1])
            require_trust(f"read templates from {path}, which no signature of a result names")
            read = read_pairs(path)
            chosen = choose(read.sets, match[2] or "", str(path))
            plural = [word for word in self.plural.split(SEPARATOR) if word.strip()]
            object.__setattr__(self, "templates", f"{SEPARATOR} ".join(chosen))
            object.__setattr__(self, "plural", SEPARATOR.join([*plural, *sorted(read.plural)]))
        for template in self.sentences:
            if fault := fault_of_pair(template):
                raise SignatureError(f"{self.name}: the template {fault}", allowed=EXAMPLE)
            if self.model == "causal" and template.index("{attribute") < template.index("{target"):
                raise SignatureError(
                    f"{self.name}: the template {template!r} has the attribute before the target",
                    allowed=f"the target first, as in {EXAMPLE}",
                    remedy="a causal model cannot see the text after a word; model=masked can",
                )

    def _take_sentences(self) -> None:
        """Let the sentences of a corpus take the place of templates."""
        if isinstance(self.pairs, SentencePairs):
            object.__setattr__(self, "origin", self.pairs.origin)
        elif self.pairs is not None:
            raise SignatureError(
                f"{self.name}: the parameter pairs has no such value",
                got=described(self.pairs),
                allowed="what eatlas.find_pairs or eatlas.load_pairs returned",
            )
        fitting = {"templates": ("basic", CORPUS), "plural": ("",)}
        fitting |= {"attributes": ("written",), "model": ("masked",)}
        for name, values in fitting.items():
            if getattr(self, name) not in values:
                raise SignatureError(
                    f"{self.name}: sentences of a corpus do not go with the parameter {name}",
                    got=f"{name}={getattr(self, name)}",
                    allowed="masked models, and stimuli as written in the sentences",
                    remedy=f"leave {name} out, or the pairs",
                )
        object.__setattr__(self, "templates", CORPUS)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: those that change nothing."""
        idle = super().idle() | {"pairs", "origin"}
        if self.model == "causal":
            return idle | {"pieces"}
        return idle | {"normalize"} if self.normalize == "sum" else idle

    @property
    def needs(self) -> Needs:
        """A language model of the measure's kind."""
        return Needs(source=self.model, ranks="ranks")

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
        return tuple(part.strip() for part in text.split(SEPARATOR) if part.strip())

    @property
    def ratio_rule(self) -> RatioRule:
        """Which questions make one ratio."""
        own = {word.strip() for word in self.plural.split(SEPARATOR) if word.strip()}
        how: How = "next" if self.model == "causal" else self.pieces
        if self.templates == CORPUS and self.pairs is None:
            raise StimulusError(
                f"{self.name}: there are no sentences",
                got=f"templates={CORPUS} alone",
                allowed="pairs that eatlas.find_pairs returned, or a file of them",
                remedy="--contexts FILE; in Python, eatlas.run(..., contexts=pairs)",
            )
        return RatioRule(
            self.sentences,
            built_in_pairs().plural | own,
            how,
            cast("Aggregate", self.over_sentences or getattr(self, "aggregate", "mean")),
            self.normalize,
            adjectives=self.attributes == "adjective",
            pairs=self.pairs,
            most_pieces=1 if self.targets == "reduced" else None,
        )

    def questions(self, test: AssociationTest) -> Iterable[Question]:
        """Every question to a language model about one test.

        Raises
        ------
        StimulusError
            If its terms are sentences.
        """
        for key, (what, remedy) in NO_WORDS.items():
            if roles := [role for role, concept in test.parts if getattr(concept, key)]:
                raise StimulusError(
                    f"test {test.id}: {self.name} puts words into its own templates",
                    got=f"{what}, in {', '.join(roles)}",
                    allowed="a test of words",
                    remedy=remedy,
                )
        return questions(test, self.ratio_rule)

    def ratios(self, test: AssociationTest, answers: Mapping[Question, Answer]) -> Ratios:
        """Make log-probability ratios of the answers to all questions about a test."""
        return ratios(test, self.ratio_rule, answers)

    def evidence(self, ratios: Ratios) -> NDArray[np.float64]:
        """The numbers that the finding rests on."""
        return ratios.values

    def answered(self, given: Input, notes: list[Note]) -> tuple[Ratios, dict[str, Any]]:
        """The ratios of an input, and what a result says of how they were made."""
        ratios, rule = given.log_ratios, self.ratio_rule
        if ratios is None:
            raise TypeError(f"{self.name} takes log-probability ratios")
        roles, what = (ATTRIBUTES, "attributes") if rule.causal else (TARGETS, "targets")
        pieces = [count for role in roles for count in ratios.pieces[role]]
        if several := sum(count > 1 for count in pieces):
            values = {"count": several, "of": len(pieces), "what": what, "most": max(pieces)}
            notes.append(Note("ratios.pieces", values={**values, "how": rule.normalize}))
        if rule.how == "next":  # a causal model's pieces are also the beginning of longer words
            notes.append(Note("ratios.beginnings"))
        notes.extend(ratios.remarks)
        about: dict[str, Any] = {
            "direction": "attribute given target" if rule.causal else "target given attribute",
            "pieces": PieceCounts(**ratios.pieces),
            "templates": self.sentences,
        }
        if self.templates == CORPUS:
            about["sentences"] = tuple(map(tuple, ratios.counts.tolist()))
        return ratios, about


@dataclass(frozen=True)
class LPBS(LogRatioMeasure):
    """Log-probability bias score (Kurita et al. 2019), at three levels.

    What associates a target x with an attribute a is M(x, a) = log P(x | a) - log P(x), in nats:
    P(x | a) is the probability of x behind masks in a sentence with a, P(x) the same with a masked
    too (equations 8 and 9 of Husse and Spitz 2022). In place of cosines, M goes through the three
    levels of the ML-EAT, and through the published effect size: s(a) is the mean of M(x, a) over X
    less that over Y, and d the difference of the means of s over A and over B divided by the
    standard deviation of s over their union (equation 11); its p-values move the labels of
    attributes.

    For causal models, which cannot see what follows a blank, the direction is the other one:
    M(x, a) = log P(a | the text up to it, with x) - log P(a | the same with a neutral word for x).

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, tail, threshold, resamples, confidence
        As in :class:`eatlas.MLEAT`.
    model : {"masked", "causal"}, default "masked"
        The kind of language model, and with it the direction.
    templates : str, default "basic"
        A name of built-in templates (``basic``, ``person``, ``hobby``, ``disease``); templates
        themselves, with ``{target}`` and ``{attribute}``, and ``;`` between several; or a TOML
        file, with ``#NAME`` for one of its lists, which is read at once: the signature holds what
        it says.
    plural : str, default ""
        Targets of the user's own that take the plural of ``[is|are]``, with ``;`` between them.
    aggregate : {"mean", "logsum"}, default "mean"
        Over templates: the mean of log-ratios, or the log of the summed probability less that of
        the summed prior.
    pieces : {"joint", "pll"}, default "joint"
        A word of several pieces, in masked models: filled in from left to right, or each piece
        with all others shown (pseudo-log-likelihood). One mask a piece in either case.
    normalize : {"sum", "mean"}, default "sum"
        Over pieces: their sum, which is the log-probability of the word, or their mean.
    targets : {"full", "reduced"}, default "full"
        Reduced: without targets of several pieces, which are not in the model's vocabulary
        (appendix B.2 of Husse and Spitz 2022).
    attributes : {"written", "adjective"}, default "written"
        As adjectives (love as lovable), and without those that have none (Table 6 of Husse and
        Spitz 2022), so that *Rose is love.* becomes *Rose is lovable.*
    pairs : Pairs, optional
        Sentences of a corpus in place of templates, which :func:`eatlas.find_pairs` returned:
        M(x, a) is aggregated over those that hold x and a. For masked models. ``eatlas.run`` sets
        it by ``contexts``. The signature says ``templates=pairs``, and the provenance of results
        which they are.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a file of templates is not usable.

    Examples
    --------
    >>> LPBS().signature
    'LPBS(aggregate=mean,alpha=0.05,ddof=1,model=masked,p=auto,pieces=joint,tail=directional,\
templates=basic,threshold=0.2)'
    >>> LPBS(templates="{target} [likes|like] {attribute}.").sentences
    ('{target} [likes|like] {attribute}.',)
    """

    name: ClassVar[str] = "lpbs"
    over_sentences: ClassVar = None

    _: KW_ONLY
    aggregate: Aggregate = parameter("mean", Aggregate)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def compute(self, given: Input, notes: list[Note]) -> LPBSResult:
        """Three levels, the pattern, and the published effect size."""
        _, about = self.answered(given, notes)
        ordered = Ordered.of(given.rows, given.coverage)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        levels = compared(self, vary)
        x, y = (kernels.mean_row(given.rows[role]) for role in TARGETS)
        s, n_a = x - y, len(given.rows[ATTRIBUTES[0]])
        # the notes of an interval over attributes would be those of level 1
        return LPBSResult(
            **given.head,
            **about,
            **levels,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
            over_attributes=self.level(s[:n_a], s[n_a:], "over_attributes", notes, given),
            over_attributes_uncertainty=over_attributes(replace(vary, notes=[])),
        )
