"""LPBS: association by log-probabilities of masked words, or of continuations.

The sentences of a pair are templates that hold its target and its attribute, or sentences of a
corpus that do. A language model answers two questions about each; their answers make a ratio.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import SignatureError, SourceError, StimulusError
from eatlas.measures.association import PatternMeasure
from eatlas.measures.base import SHARE, Allowed, Array, Input, Needs, parameter, whole
from eatlas.measures.levels import Ordered, level3, similarities
from eatlas.measures.resampling import Variation
from eatlas.measures.weat import compare_groups
from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, ContextsOrigin, Test
from eatlas.stimuli.kinds import OPPOSITES
from eatlas.stimuli.languages import is_english
from eatlas_models.measures.over_attributes import over_attributes
from eatlas_models.measures.templates import file_of, is_name, is_text, parts_of, templates_of
from eatlas_models.results.language import LPBSResult, PieceCounts
from eatlas_models.stats.log_sums import log_sum_scores
from eatlas_models.stimuli.forms import NO_FORM, adjectives_of, plurals_of_tests
from eatlas_models.stimuli.pairs import (
    EXAMPLE,
    SEPARATOR,
    Answer,
    How,
    Kind,
    Question,
    built_in_pairs,
    fault_of_pair,
    pair,
    read_pairs,
)

Aggregate = Literal["mean", "logsum"]
"""How several sentences of a pair become one number.

``mean``: the mean of the log-ratios of the sentences. ``logsum``: the log of the summed
probabilities, less the log of the summed prior probabilities.
"""
OverTargets = Literal["mean", "logsum"]
"""How the targets of a group make one score of an attribute.

``mean``: the mean of their log-ratios. ``logsum``: the log of their summed probabilities, less the
log of their summed prior probabilities.
"""
Over = Literal["attributes", "sentences"]
"""What is relabelled by the effect size over attributes: attributes, or each in each sentence."""
Normalize = Literal["sum", "mean"]
"""Log-probability of a stimulus of several pieces: the sum over its pieces, or their mean."""
Pieces = Literal["joint", "pll", "averaged", "product"]
Targets = Literal["full", "reduced"]
Attributes = Literal["written", "adjective"]
Term = tuple[str, str]
"""The role of a term, and the term."""
Cell = tuple[Term, Term]
"""A target and an attribute."""
Both = tuple[Question, Question]
"""The question with the other stimulus, and the one without it."""
Answers = Mapping[Cell, Sequence[tuple[Answer, Answer]]]
"""Answers about the sentences of each target with each attribute."""

CORPUS = "pairs"
"""Replaces templates in a signature if the sentences come from a corpus."""
NO_WORDS = {
    "images": ("images", "measure images by ML-EAT, WEAT or SC-EAT"),
    "sentences": (
        "terms that are already sentences",
        "use the test that these sentences are made of",
    ),
}
"""What has no place in a template, by the key of a concept, and what is done with it instead."""
_TEMPLATES = Allowed(f"a name, a TOML file, or {EXAMPLE}", is_text)
_PLURAL = Allowed("words with ; between them", lambda value: isinstance(value, str))
_PAIRS = Allowed(
    "what eatlas.find_pairs or eatlas.load_pairs returned",
    lambda value: value is None or hasattr(value, "of_pair"),
)


@dataclass(frozen=True)
class Ratios:
    """Log-probability ratios of all usable pairs, with an account of every term."""

    values: Array
    """Shape (targets, attributes): X then Y, A then B, in the order of the used terms."""
    coverage: Coverage
    pieces: Mapping[str, tuple[int, ...]]
    """Pieces of each used term, by role: the most that any sentence needs."""
    single: Array
    """Log-probability ratio of every sentence, pair after pair in the order of the values."""
    counts: NDArray[np.int64]
    """Sentences of each pair, in the shape of the values."""
    log_probabilities: Array | None = None
    """With the other stimulus and without it, shape (targets, attributes, 2, sentences); None where
    the sentences come from a corpus."""
    remarks: tuple[Note, ...] = ()
    """What a reader should know about the sentences of a corpus."""

    @property
    def rows(self) -> dict[str, Array]:
        """Rows whose dot products are the ratios: a row of them, and a place."""
        n_x, n_a = len(self.coverage.X.used), len(self.coverage.A.used)
        places = np.eye(self.values.shape[1])
        parts = self.values[:n_x], self.values[n_x:], places[:n_a], places[n_a:]
        return dict(zip(ROLES, parts, strict=True))


@dataclass(frozen=True)
class LogRatioMeasure(PatternMeasure):
    """A measure whose association of a target with an attribute is a log-probability ratio."""

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
    pairs: Any = field(default=None, compare=False, repr=False, metadata={"allowed": _PAIRS})
    origin: ContextsOrigin | None = field(default=None, init=False, repr=False)
    """Which pairs these are; measures of different ones differ."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pairs is not None or self.templates.strip() == CORPUS:
            self._take_sentences()
        if file := file_of(self.templates):
            read = read_pairs(file.path)
            plural = [*parts_of(self.plural), *sorted(set(read.words.plural))]
            object.__setattr__(self, "templates", file.chosen(read.templates))
            object.__setattr__(self, "plural", SEPARATOR.join(plural))
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
        fitting = {"templates": ("basic", CORPUS), "plural": ("",)}
        fitting |= {"attributes": ("written",), "model": ("masked",)}
        for name, values in fitting.items():
            if getattr(self, name) not in values:
                raise SignatureError(
                    f"{self.name}: a corpus cannot be combined with the parameter {name}",
                    got=f"{name}={getattr(self, name)}",
                    allowed="masked models, and stimuli as written in the sentences",
                    remedy=f"remove {name}, or the pairs",
                )
        object.__setattr__(self, "templates", CORPUS)
        if self.pairs is not None:
            object.__setattr__(self, "origin", self.pairs.origin)

    def reads(self, test: Test) -> Test:
        """The test, with where the sentences of its pairs come from."""
        if self.origin is None or test.kind != self.kind:
            return test
        update = {"sentences_from": str(self.origin), "contexts": self.origin}
        return test.model_copy(update=update)

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
        if self.templates.strip() == CORPUS:
            return ()
        return templates_of(self.name, self.templates, built_in_pairs().templates, EXAMPLE)

    @property
    def over_sentences(self) -> Aggregate:
        """How the ratios of several sentences of a pair become one."""
        return "mean"

    @cached_property
    def plurals(self) -> frozenset[str]:
        """Targets that take the plural."""
        return frozenset(parts_of(self.plural)).union(
            built_in_pairs().words.plural, plurals_of_tests()
        )

    @property
    def how(self) -> How:
        """The prompts for a model."""
        return "next" if self.model == "causal" else self.pieces

    def questions(self, test: AssociationTest) -> Iterable[Question]:
        """Every question to a language model about one test; none about terms left out."""
        require_words(self.name, test)
        english = is_name(self.templates) and self.templates.strip() != CORPUS
        if not is_english(test.language) and (english or self.attributes == "adjective"):
            raise StimulusError(
                f"test {test.id}: the templates {self.templates} are English"
                if english
                else f"test {test.id}: adjectives are only known for English words",
                got=f"a test in {test.language}",
                allowed=f"templates in its language, of the form {EXAMPLE}",
                remedy='such as templates="{target} ist {attribute}.", or a TOML file of them',
            )
        return [
            question for cell in self._cells(test)[0].values() for both in cell for question in both
        ]

    def _cells(
        self, test: AssociationTest
    ) -> tuple[dict[Cell, list[Both]], dict[Term, str], dict[str, str]]:
        """Questions about each pair, terms left out with the reason, forms of attributes."""
        if self.templates == CORPUS and self.pairs is None:
            raise StimulusError(
                f"{self.name}: there are no sentences",
                got=f"templates={CORPUS} alone",
                allowed="pairs that eatlas.find_pairs returned, or a file of them",
                remedy="--contexts FILE; in Python, eatlas.run(..., contexts=pairs)",
            )
        targets, attributes = terms_of(test, TARGETS), terms_of(test, ATTRIBUTES)
        forms = {word: word for _, word in attributes}
        if self.pairs is None:
            forms = adjectives_of(list(forms)) if self.attributes == "adjective" else forms
            absent = {term: NO_FORM for term in attributes if term[1] not in forms}
            questions_of = self._of_templates
        else:
            counts = {
                (x, a): sum(map(_apart, self.pairs.of_pair(x[1], a[1])))
                for x, a in product(targets, attributes)
            }
            absent, questions_of = _lacking(test, counts, {}, self.pairs.name, {}), self._of_corpus
        cells = {
            (x, a): list(questions_of(x[1], forms[a[1]]))
            for x, a in product(targets, attributes)
            if x not in absent and a not in absent
        }
        return cells, absent, forms

    def _of_templates(self, target: str, attribute: str) -> Iterator[Both]:
        """Both questions of each template."""
        for template in self.sentences:
            filled = pair(template, target, attribute, plural=target in self.plurals)
            if self.model == "causal":
                yield (
                    Question(filled.text, filled.attribute, filled.target, how=self.how),
                    Question(filled.neutral, filled.neutral_attribute, how=self.how),
                )
            else:
                yield self._both(filled.text, filled.target, filled.attribute)

    def _of_corpus(self, target: str, attribute: str) -> Iterator[Both]:
        """Both questions of each sentence of a corpus, in an order that no file decides."""
        for sentence in filter(_apart, sorted(self.pairs.of_pair(target, attribute))):
            of_target = sentence.target_start, sentence.target_end
            of_attribute = sentence.attribute_start, sentence.attribute_end
            yield self._both(sentence.text, of_target, of_attribute)

    def _both(self, text: str, target: tuple[int, int], attribute: tuple[int, int]) -> Both:
        """The question about a target with an attribute, and the same with both masked."""
        shown = Question(text, target, attribute, how=self.how)
        return shown, replace(shown, hidden=True)

    def associate(self, test: AssociationTest, answers: Mapping[Question, Answer]) -> Ratios:
        """Make log-probability ratios of the answers to all questions about a test."""
        cells, absent, forms = self._cells(test)
        answered: Answers = {
            cell: [(answers[first], answers[second]) for first, second in several]
            for cell, several in cells.items()
        }
        usable = answered
        if self.pairs is not None:
            usable = {
                cell: [both for both in several if not any(answer.fault for answer in both)]
                for cell, several in answered.items()
            }
        pieces, faults = self._pieces(usable), self._faults(answered)
        reasons = {
            x: f"{pieces[x]} pieces; the reduced word sets have words of one"
            for x in terms_of(test, TARGETS)
            if self.targets == "reduced" and pieces[x] > 1
        }
        if self.pairs is None:
            require_short(answered)
            reasons |= faults | absent
        else:
            counts = {cell: len(several) for cell, several in usable.items()}
            reasons = _lacking(test, counts, reasons | absent, self.pairs.name, faults)
        coverage = coverage_of_test(test, reasons, forms)
        order, shape = pairs_of(coverage)
        each = [self._log_probabilities(usable[cell]) for cell in order]
        values = np.array([self._ratio(*both) for both in each], np.float64)
        return Ratios(
            values.reshape(shape),
            coverage,
            {role: tuple(pieces[role, term] for term in coverage[role].used) for role in ROLES},
            np.concatenate([with_other - prior for with_other, prior in each]) if each else values,
            np.array([len(usable[cell]) for cell in order], np.int64).reshape(shape),
            np.array(each).reshape(*shape, 2, -1) if self.pairs is None and each else None,
            tuple(_remarks(test, order, answered, usable)) if self.pairs and order else (),
        )

    def _log_probabilities(self, answers: Sequence[tuple[Answer, Answer]]) -> Array:
        """Log-probabilities in sentences of one pair, with and without the other stimulus."""

        def score(answer: Answer) -> float:
            whole = self.normalize == "sum" or self.how == "averaged"
            return answer.nats if whole else answer.nats / answer.pieces

        return np.array([[score(both[side]) for both in answers] for side in (0, 1)], np.float64)

    def _ratio(self, with_other: Array, prior: Array) -> float:
        """The log-probability ratio of one pair over its sentences."""
        if self.over_sentences == "mean":
            return float(np.mean(with_other - prior))
        return float(np.logaddexp.reduce(with_other) - np.logaddexp.reduce(prior))

    def _scoring_order(self, cell: Cell) -> Cell:
        """The term whose probability is scored, and the other term."""
        target, attribute = cell
        return (attribute, target) if self.model == "causal" else (target, attribute)

    def _pieces(self, answers: Answers) -> Counter[Term]:
        """The most pieces of each term in any sentence."""
        pieces: Counter[Term] = Counter()
        for cell, several in answers.items():
            scored, beside = self._scoring_order(cell)
            for answer in (answer for both in several for answer in both):
                pieces[scored] = max(pieces[scored], answer.pieces)
                pieces[beside] = max(pieces[beside], answer.other_pieces)
        return pieces

    def _faults(self, answers: Answers) -> dict[Term, str]:
        """The first fault of each term; a fault of the text counts for both."""
        faults: dict[Term, str] = {}
        for cell, several in answers.items():
            scored, beside = self._scoring_order(cell)
            at = {"asked": (scored,), "other": (beside,), "text": (scored, beside)}
            for answer in (answer for both in several for answer in both):
                for term in at.get(answer.at, ()):
                    faults.setdefault(term, answer.fault)
        return faults

    def ratios_with_facts(self, given: Input, notes: list[Note]) -> tuple[Ratios, dict[str, Any]]:
        """The ratios of an input, and what a result says of how they were made."""
        ratios, causal = given.asked, self.model == "causal"
        if ratios is None:
            raise TypeError(f"{self.name} takes log-probability ratios")
        notes += in_pieces(ratios, "attributes" if causal else "targets", self.normalize)
        if self.how == "next":  # a causal model's pieces are also the beginning of longer words
            notes.append(Note("ratios.beginnings"))
        notes.extend(ratios.remarks)
        about: dict[str, Any] = {
            "direction": "attribute given target" if causal else "target given attribute",
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
    levels of the ML-EAT, and through the effect size of LPBS over attributes: s(a) is the mean of
    M(x, a) over X less that over Y, and d the difference of the means of s over A and over B
    divided by the standard deviation of s over their union (equation 11); its p-values move the
    labels of attributes. The code of Husse and Spitz sums the probabilities of the targets of a
    group before it takes the logarithm: ``over_targets=logsum``.

    For causal models, which cannot see what follows a blank, the direction is the other one:
    M(x, a) = log P(a | the text up to it, with x) - log P(a | the same with a neutral word for x).

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold, resamples, confidence
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
        Over templates: the mean of log-ratios, or the log of the summed probability minus the log
        of the summed prior.
    over_targets : {"mean", "logsum"}, default "mean"
        Of the effect size over attributes alone, for masked models and templates: s(a) of the mean
        of M(x, a) over the targets of a group; or, as in the code of Husse and Spitz, of the log of
        their summed probability minus the log of their summed prior, in each sentence, of which the
        mean is taken. Of groups of one target they are the same. The singular and the plural of a
        template are two sentences if both groups have targets of either number.
    over : {"attributes", "sentences"}, default "attributes"
        With ``over_targets=logsum``, what the effect size over attributes relabels: attributes,
        each with the mean over its sentences; or, as in the code of Husse and Spitz, each attribute
        in each sentence.
    pieces : {"joint", "pll", "averaged", "product"}, default "joint"
        A word of several pieces, in masked models: filled in from left to right, or each piece
        with all others shown (pseudo-log-likelihood), one mask a piece in either case; or one mask
        for a piece whose embedding is the mean of theirs, as in :class:`eatlas.FMAT`; or, as in the
        code of Husse and Spitz, one mask for the word, and the product of the probabilities of
        its pieces there; the attribute of a prior is also one mask.
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

    _: KW_ONLY
    aggregate: Aggregate = parameter("mean", Aggregate)
    over_targets: OverTargets = parameter("mean", OverTargets, optional=True)
    over: Over = parameter("attributes", Over, optional=True)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model == "causal" or not self.sentences:
            one_mask = "mean; logsum adds the probabilities of all targets behind one mask"
            self.check("over_targets", Allowed(one_mask, lambda over: over == "mean"))
        if (self.over_targets, self.aggregate) != ("logsum", "mean"):
            single = "attributes; sentences are relabelled with over_targets=logsum, aggregate=mean"
            self.check("over", Allowed(single, lambda over: over == "attributes"))

    @property
    def over_sentences(self) -> Aggregate:
        """How the ratios of several sentences of a pair become one."""
        return self.aggregate

    def compute(self, given: Input, notes: list[Note]) -> LPBSResult:
        """Three levels, the pattern, and the effect size over attributes."""
        ratios, about = self.ratios_with_facts(given, notes)
        ordered = Ordered.of(given.rows, given.coverage)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        levels = compare_groups(self, vary)
        n_a, summed = len(given.rows[ATTRIBUTES[0]]), None
        each = self.over == "sentences"
        if self.over_targets == "logsum":
            summed = self._sum_over_targets(ratios)
            scores = log_sum_scores(summed, len(given.rows["X"]))
            s = scores if each else scores.mean(axis=1)
            if each and scores.shape[1] > 1:
                notes.append(Note("ratios.single", values={"count": scores.shape[1]}))
        else:
            x, y = (kernels.mean_row(given.rows[role]) for role in TARGETS)
            s = x - y
        # the notes of an interval over attributes would be those of level 1
        return LPBSResult(
            **given.head,
            **about,
            **levels,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
            over_attributes=self.level(
                s[:n_a].ravel(), s[n_a:].ravel(), "over_attributes", notes, given
            ),
            over_attributes_uncertainty=over_attributes(replace(vary, notes=[]), summed, each=each),
        )

    def _sum_over_targets(self, ratios: Ratios) -> Array:
        """The log-probabilities that are summed over targets and, if requested, over sentences.

        Where a template has a singular and a plural, targets of the other number have none.
        """
        found = self._by_sentence(cast("Array", ratios.log_probabilities), ratios.coverage)
        if self.aggregate == "mean":
            return found
        return np.asarray(np.logaddexp.reduce(found, axis=3, keepdims=True))

    def _by_sentence(self, found: Array, coverage: Coverage) -> Array:
        """Sentences in place of templates: two of a template with targets of both numbers."""
        groups = [np.array([t in self.plurals for t in coverage[role].used]) for role in TARGETS]
        if not all(group.any() and not group.all() for group in groups):
            return found
        plural = np.concatenate(groups)
        sentences = []
        for number, template in enumerate(self.sentences):
            of_template = found[..., number]
            forms = (plural, ~plural) if "[" in template else (plural & ~plural,)
            sentences += [np.where(absent[:, None, None], -np.inf, of_template) for absent in forms]
        return np.stack(sentences, axis=3)


def require_words(measure: str, test: Test, among: Collection[str] = ROLES) -> None:
    """Refuse terms of some roles that have no place in a template."""
    for key, (what, remedy) in NO_WORDS.items():
        if roles := [role for role in among if getattr(test.concept(role), key)]:
            raise StimulusError(
                f"test {test.id}: {measure} inserts words into templates",
                got=f"{what}, in {', '.join(roles)}",
                allowed="a test of words",
                remedy=remedy,
            )


def in_pieces(ratios: Ratios, what: str, how: str) -> list[Note]:
    """Say of the terms that are scored how many have several pieces; of options nothing."""
    roles = {"attributes": ATTRIBUTES, "targets": TARGETS}.get(what, ())
    pieces = [count for role in roles for count in ratios.pieces[role]]
    if not (several := sum(count > 1 for count in pieces)):
        return []
    values = {"count": several, "of": len(pieces), "what": what, "most": max(pieces), "how": how}
    return [Note("ratios.pieces", values=values)]


def coverage_of_test(
    test: AssociationTest, reasons: Mapping[Term, str], forms: Mapping[str, str]
) -> Coverage:
    """Terms that are used, those left out with the reason, and other forms of attributes."""
    covered = {}
    for role in ROLES:
        terms = test.concept(role).terms
        why = {term: reasons[role, term] for term in terms if (role, term) in reasons}
        used = tuple(term for term in terms if term not in why)
        found_as = {t: forms[t] for t in used if role in ATTRIBUTES and forms.get(t, t) != t}
        covered[role] = GroupCoverage(used=used, missing=tuple(why), reasons=why, found_as=found_as)
    return Coverage(covered)


def pairs_of(coverage: Coverage) -> tuple[list[Cell], tuple[int, int]]:
    """Every used target with every used attribute, and the number of either."""
    sides = [[(role, t) for role in side for t in coverage[role].used] for side in OPPOSITES]
    return list(product(sides[0], sides[1])), (len(sides[0]), len(sides[1]))


def terms_of(test: AssociationTest, roles: Sequence[str]) -> list[Term]:
    """Terms of some groups, each with its role."""
    return [(role, term) for role in roles for term in test.concept(role).terms]


def _apart(sentence: Any) -> bool:
    """Whether the two stimuli share no character, so that one can be masked without the other."""
    return bool(
        sentence.target_end <= sentence.attribute_start
        or sentence.attribute_end <= sentence.target_start
    )


def require_short(answers: Mapping[Cell, Iterable[Iterable[Answer]]]) -> None:
    """Refuse templates that are longer than the model takes."""
    for (x, a), several in answers.items():
        for answer in (answer for both in several for answer in both if answer.at == "text"):
            raise SourceError(
                f"a template with {x[1]!r} and {a[1]!r} is longer than the model takes",
                got=answer.fault,
                remedy="shorten the templates",
            )


def _remarks(
    test: AssociationTest, order: Sequence[Cell], answered: Answers, usable: Answers
) -> Iterator[Note]:
    """What a reader should know about the sentences, and about those that were not usable."""
    counts = [len(usable[cell]) for cell in order]
    every = [both for cell in order for both in answered[cell]]
    too_long = sum(first.at == "text" for first, _ in every)
    values = {"count": sum(counts), "origin": test.sentences_from}
    yield Note("ratios.sentences", values={**values, "each": [min(counts), max(counts)]})
    if left_out := len(every) - sum(counts) - too_long:
        yield Note("ratios.left-out", values={"count": left_out})
    if too_long:
        yield Note("ratios.too-long", values={"count": too_long})


def drop_incomplete(
    there: NDArray[np.bool_], names: Sequence[Sequence[str]]
) -> list[tuple[int, int, int, int]]:
    """Leave rows and columns out, one after the other, until no cell of the others is lacking.

    That with the largest share of holes goes first; of those alike, the one that takes the fewest
    cells with it, then a row before a column, then by name. So neither labels of groups nor values
    nor the order of a test decide, and p-values remain those of the terms that are left. Of each:
    0 for a row and 1 for a column, its place, and how many of how many cells it lacked then.
    """
    left = [list(range(count)) for count in there.shape]
    dropped = []
    while not (block := there[np.ix_(*left)]).all():
        *_, side, _, at, holes, of = min(
            (-holes / of, of - holes, side, names[side][left[side][at]], at, holes, of)
            for side, of in ((0, block.shape[1]), (1, block.shape[0]))
            for at, holes in enumerate((~block).sum(axis=1 - side).tolist())
        )
        dropped.append((side, left[side].pop(at), holes, of))
    return dropped


def _lacking(
    test: AssociationTest,
    counts: Mapping[Cell, int],
    absent: Mapping[Term, str],
    corpus: str,
    faults: Mapping[Term, str],
) -> dict[Term, str]:
    """Terms that are left out as they lack sentences, those absent already included, and why."""
    sides = [[term for term in terms_of(test, side) if term not in absent] for side in OPPOSITES]
    shape = len(sides[0]), len(sides[1])
    there = np.array([bool(counts.get(cell)) for cell in product(sides[0], sides[1])], np.bool_)
    reasons = dict(absent)
    names = [[name for _, name in side] for side in sides]
    for side, place, holes, of in drop_incomplete(there.reshape(shape), names):
        term, others = sides[side][place], ("attributes", "targets")[side]
        within = f"{corpus or 'the corpus'} with {holes} of {of} {others}"
        why = f"no usable sentence in {within}"
        reasons[term] = f"{why}: {faults[term]}" if term in faults else why
    return reasons
