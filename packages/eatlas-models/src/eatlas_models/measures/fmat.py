"""FMAT: association by the words that a masked language model fills in, in any sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from eatlas.errors import SignatureError, SourceError, StimulusError
from eatlas.measures.association import PatternMeasure
from eatlas.measures.base import SHARE, Allowed, Input, Needs, parameter, whole
from eatlas.measures.levels import Ordered, level3, similarities
from eatlas.measures.resampling import Variation
from eatlas.measures.weat import compare_groups
from eatlas.notes import Note
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest
from eatlas.stimuli.languages import is_english, with_capital
from eatlas_models.measures.lpbs import (
    Cell,
    Ratios,
    Term,
    coverage_of_test,
    in_pieces,
    pairs_of,
    require_short,
    require_words,
    terms_of,
)
from eatlas_models.measures.templates import parts_of
from eatlas_models.results.language import FMATResult, PieceCounts
from eatlas_models.stats.reliability import cronbach_alpha
from eatlas_models.stimuli.pairs import SEPARATOR, Answer, How, Question, Span

Pieces = Literal["averaged", "joint", "pll", "single"]
HIGH_LOW = "high/low"
OPTIONS = "options behind a mask"
EXAMPLE = "The {TARGET} has a [MASK] association with {ATTRIB}."
_MASK = re.compile(r"\[mask\]|<mask>|\{mask\}", re.IGNORECASE)
_PLACE = re.compile(r"\[MASK\]|\{TARGET\}|\{ATTRIB\}")
_TEXT = Allowed("a text", lambda value: isinstance(value, str))
BEHIND: dict[frozenset[str], Any] = {
    frozenset(("{TARGET}",)): "attributes behind a mask",
    frozenset(("{ATTRIB}",)): "targets behind a mask",
    frozenset(("{TARGET}", "{ATTRIB}")): OPTIONS,
}
"""What a mask stands for, by the other places of a query."""


class RatioPart(NamedTuple):
    """One log-probability of a ratio."""

    question: Question
    sign: int
    scored: Term | None
    """The term behind the mask; None where that is an option."""
    beside: Term
    """The term at the question's other place."""


@dataclass(frozen=True)
class FMAT(PatternMeasure):
    """Fill-Mask Association Test (Bao 2024), at the three levels of the ML-EAT.

    A query is a sentence with ``[MASK]`` and ``{TARGET}``, ``{ATTRIB}`` or both. A masked language
    model says how probable words are behind the mask, and their log probability ratio is what
    associates, in nats. With ``{TARGET}`` alone the attributes are behind the mask, and M(x, a) is
    log P(a | the query with x); with ``{ATTRIB}`` alone the targets are, and M(x, a) is
    log P(x | the query with a). With both, the mask stands for one of two options, and M(x, a) is
    log P(first option) - log P(second option). M goes through the levels of the ML-EAT in place of
    cosines: s(x), the mean of M over A less that over B, is the ratio of a target, which level 1
    compares between X and Y.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold, resamples, confidence
        As in :class:`eatlas.MLEAT`.
    query : str, default "The {TARGET} has a [MASK] association with {ATTRIB}."
        A sentence, or several with ``;`` between them, over which M is the mean. They are used as
        written, but begin with a capital.
    mask : str, default "high/low"
        The options of queries with ``{TARGET}`` and ``{ATTRIB}``; several with ``;`` between
        them, over which M is the mean.
    pieces : {"averaged", "joint", "pll", "single"}, default "averaged"
        A word behind the mask that the tokenizer splits: a piece added to the vocabulary, whose
        embedding is the mean embedding of its pieces (``add.tokens=TRUE`` of the R package); one
        mask a piece, as in :class:`eatlas.LPBS`; or left out (what the R package does by default).

    Examples
    --------
    >>> FMAT(query="[MASK] is a {TARGET}.").signature
    'FMAT(alpha=0.05,ddof=1,p=auto,pieces=averaged,query="[MASK] is a {TARGET}.",tail=directional,\
threshold=0.2)'
    """

    name: ClassVar[str] = "fmat"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 1)

    _: KW_ONLY
    query: str = parameter(EXAMPLE, _TEXT)
    mask: str = parameter(HIGH_LOW, _TEXT)
    pieces: Pieces = parameter("averaged", Pieces)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.queries:
            raise SignatureError(f"{self.name}: there is no query", allowed=EXAMPLE)
        places = [Counter(_PLACE.findall(query)) for query in self.queries]
        forms = {frozenset(counts) - {"[MASK]"} for counts in places}
        for query, counts in zip(self.queries, places, strict=True):
            if counts["[MASK]"] != 1 or len(counts) == 1:
                raise SignatureError(
                    f"{self.name}: a query needs one [MASK], and {{TARGET}}, {{ATTRIB}} or both",
                    got=query,
                    allowed=f"{EXAMPLE}; or [MASK] is {{TARGET}}.",
                )
        if len(forms) > 1:
            raise SignatureError(
                f"{self.name}: the queries have different placeholders",
                got=self.query,
                allowed="{TARGET}, {ATTRIB} or both, the same in each query",
                remedy="run them as separate measures",
            )
        pairs = self.options if self.behind == OPTIONS else [] if self.mask == HIGH_LOW else [[""]]
        if not all(len(pair) == 2 and all(pair) for pair in pairs):
            raise SignatureError(
                f"{self.name}: the parameter mask has no such value",
                got=f"mask={self.mask!r}, query={self.query!r}",
                allowed="two options, as high/low, and ; between several, of queries with {TARGET} "
                "and {ATTRIB}; the words of the test are behind the mask of others",
            )

    def idle(self) -> set[str]:
        """The options, where words of the test are behind the mask."""
        return super().idle() | ({"mask"} if self.behind != OPTIONS else set())

    @property
    def needs(self) -> Needs:
        """A masked language model."""
        return Needs(source="masked", ranks="ranks")

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The sentences, the mask written in one way."""
        return tuple(_MASK.sub("[MASK]", text) for text in parts_of(self.query))

    @cached_property
    def options(self) -> list[list[str]]:
        """Pairs of words behind the mask."""
        pairs = self.mask.split(SEPARATOR)
        return [[word.strip() for word in pair.split("/")] for pair in pairs]

    @property
    def behind(self) -> Any:
        """What the mask stands for."""
        return BEHIND[frozenset(_PLACE.findall(self.queries[0])) - {"[MASK]"}]

    def questions(self, test: AssociationTest) -> Iterable[Question]:
        """Every question to a language model about one test."""
        require_words(self.name, test)
        if self.query == EXAMPLE and not is_english(test.language):
            raise StimulusError(
                f"test {test.id}: the default query of {self.name} is English",
                got=f"a test in {test.language}",
                remedy="name a query in its language, as [MASK] ist {TARGET}.",
            )
        return [part.question for parts in self._cells(test).values() for part in chain(*parts)]

    def _cells(self, test: AssociationTest) -> dict[Cell, list[list[RatioPart]]]:
        """The parts of M in each query of each pair, or in each query and pair of options."""
        return {
            (x, a): [parts for query in self.queries for parts in self._parts(query, x, a)]
            for x in terms_of(test, TARGETS)
            for a in terms_of(test, ATTRIBUTES)
        }

    def _parts(self, query: str, x: Term, a: Term) -> Iterator[list[RatioPart]]:
        how: How = "averaged" if self.pieces == "single" else self.pieces

        def part(word: str, sign: int, scored: Term | None, beside: Term) -> RatioPart:
            words = {"[MASK]": word, "{TARGET}": x[1], "{ATTRIB}": a[1]}
            text, spans = fill_query(query, words)
            other = spans["{TARGET}" if beside is x else "{ATTRIB}"]
            return RatioPart(Question(text, spans["[MASK]"], other, how=how), sign, scored, beside)

        if self.behind == "attributes behind a mask":
            yield [part(a[1], 1, a, x)]
        elif self.behind == "targets behind a mask":
            yield [part(x[1], 1, x, a)]
        for first, second in self.options if self.behind == OPTIONS else ():
            yield [part(first, 1, None, x), part(second, -1, None, a)]

    def associate(self, test: AssociationTest, answers: Mapping[Question, Answer]) -> Ratios:
        """Make log probability ratios of the answers to all questions about a test."""
        cells = self._cells(test)
        require_short(
            {
                cell: [[answers[p.question] for p in s] for s in several]
                for cell, several in cells.items()
            }
        )
        pieces: Counter[Term] = Counter()
        reasons: dict[Term, str] = {}
        for part in (part for several in cells.values() for part in chain(*several)):
            answer, scored = answers[part.question], part.scored
            fault = answer.fault
            if self.pieces == "single" and answer.pieces > 1 and answer.at != "other":
                fault = f"{answer.pieces} pieces; pieces=single takes words of one"
            if fault and answer.at != "other" and scored is None:
                raise SourceError(
                    f"the option {part.question.stimulus!r} of the mask cannot be used",
                    got=fault,
                    remedy="take other options"
                    + (", or pieces=averaged" if self.pieces == "single" else ""),
                )
            if scored is not None:
                pieces[scored] = max(pieces[scored], answer.pieces)
            pieces[part.beside] = max(pieces[part.beside], answer.other_pieces)
            if fault:
                at_fault = part.beside if answer.at == "other" or scored is None else scored
                reasons.setdefault(at_fault, fault)
        coverage = coverage_of_test(test, reasons, {})
        order, shape = pairs_of(coverage)

        flat = (parts for cell in order for parts in cells[cell])
        single = np.array([sum(p.sign * answers[p.question].nats for p in parts) for parts in flat])
        each = len(single) // max(1, len(order))
        return Ratios(
            single.reshape(*shape, each).mean(axis=2) if order else single.reshape(shape),
            coverage,
            {role: tuple(pieces[role, term] for term in coverage[role].used) for role in ROLES},
            single,
            np.full(shape, each),
        )

    def compute(self, given: Input, notes: list[Note]) -> FMATResult:
        """Three levels, the pattern, and how far the queries agree."""
        ratios = given.asked
        how = "mean, at one mask," if self.pieces == "averaged" else "sum"
        notes += in_pieces(ratios, self.behind.split()[0], how)
        ordered = Ordered.of(given.rows, given.coverage)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        return FMATResult(
            **given.head,
            **compare_groups(self, vary),
            direction=self.behind,
            pieces=PieceCounts(**ratios.pieces),
            templates=self.queries,
            reliability=self._reliability(ratios),
            level3=level3(given.rows),
            similarities=similarities(given.rows),
        )

    def _reliability(self, ratios: Ratios) -> float | None:
        """Cronbach's alpha of the ratios of targets, queries being the items."""
        targets, attributes = ratios.values.shape
        if targets < 2 or len(self.queries) < 2:
            return None
        of_query = ratios.single.reshape(targets, attributes, len(self.queries), -1).mean(axis=3)
        n_a = len(ratios.coverage["A"].used)
        alpha = cronbach_alpha(of_query[:, :n_a].mean(axis=1) - of_query[:, n_a:].mean(axis=1))
        return None if np.isnan(alpha) else round(alpha, 6)


def fill_query(query: str, words: Mapping[str, str]) -> tuple[str, dict[str, Span]]:
    """Fill in a query: its text, and the first place of each word.

    >>> fill_query("[MASK] is a {TARGET}.", {"[MASK]": "she", "{TARGET}": "nurse"})
    ('She is a nurse.', {'[MASK]': (0, 3), '{TARGET}': (9, 14)})
    """
    text, spans = "", dict[str, Span]()
    for piece in re.split(f"({_PLACE.pattern})", query):
        word = words.get(piece, piece)
        if piece in words:
            spans.setdefault(piece, (len(text), len(text) + len(word)))
        text += word
    return with_capital(text), spans
