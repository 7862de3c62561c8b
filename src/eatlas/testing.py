"""Conformance kit: what a measure and a source of another package must keep.

>>> import eatlas
>>> from eatlas.testing import check_measure, check_source
>>> check_measure(eatlas.WEAT())
>>> check_source("glove-sample", words=["aster", "love"])
"""

from __future__ import annotations

import io
import json
import math
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np

from eatlas.cli.table import print_results
from eatlas.engine.jobs import Job
from eatlas.engine.measuring import input_of
from eatlas.engine.readers import reader_of
from eatlas.errors import ContractError, CoverageError, EatlasError, EatlasWarning, described
from eatlas.notes import Note
from eatlas.present import report_html, report_table
from eatlas.present.drawings.plot import plot
from eatlas.results import AssociationResult, Effect, Results, is_result
from eatlas.signature import Signature
from eatlas.sources import ArraySource, open_vectors
from eatlas.stimuli import Concept, load_tests

__all__ = ["check_measure", "check_source"]

HEAD = ("test", "source", "measure", "signature")
"""Columns that every row begins with."""
UNKNOWN = "zzqxjvw"
"""No word of any source; one that has vectors of all texts has one of it."""
ROUNDING = 1e-9
"""Relative difference of numbers whose terms are summed in another order; 1e-16 for means."""


def check_measure(measure: Any, tests: Any = "weat-6", vectors: Any = "glove-sample") -> None:
    """Check that a measure and its record keep their contract.

    The measure is a frozen value with a signature that reads back; it finds the same again, in
    any order of the terms; it counts missing terms and refuses a group of too few. The record
    survives JSON, lists its effect sizes, and shows in terminal, report, tables, frame,
    notebook and charts.

    Parameters
    ----------
    measure : measure
        Such as ``MyMeasure()``.
    tests : anything that :func:`eatlas.load_tests` takes
        The first of them is measured.
    vectors : anything that :func:`eatlas.run` takes
        What the measure needs: vectors, or a language model.

    Raises
    ------
    ContractError
        Naming the method that does not do what it should, what it gave, and what it may give.
    """
    tried = _Tried(measure, load_tests(tests)[0], vectors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)
        for check in (_is_a_value, _gives_a_result, _finds_the_same, _counts_what_is_missing):
            _hold(tried.who, check(tried))
        for check in (_is_plain, _has_sound_effects, _shows_everywhere):
            _hold(f"the record {type(tried.result).__name__}", check(tried))


def check_source(source: Any, words: Iterable[str] = ()) -> None:
    """Check that a source of vectors keeps its contract.

    Its facts are of the right kinds and stay the same; it answers with finite vectors of its
    size, the same in any order and company, and of no other words; and its chunks, if it has any,
    hold what it answers.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
    words : iterable of str
        Some that it has; by default the first of its chunks.

    Raises
    ------
    ContractError
        Naming the member that does not do what it should, what it gave, and what it may give.
    """
    vectors = open_vectors(source)
    who = f"the source {getattr(vectors, 'name', described(source))}"
    _hold(who, _facts_are_plain(vectors))
    some = tuple(words) or _first_words(who, vectors)
    _hold(who, _answers_are_vectors(vectors, some))
    if vectors.listed:
        _hold(who, _chunks_hold_the_answers(vectors, some))


Check = Iterator[tuple[object, str, object, str]]
"""Whether a member keeps its contract, its name, what it gave, and what it may give."""


def _hold(who: str, checks: Check) -> None:
    """Raise an error for the first member that does not keep its contract."""
    for ok, member, got, allowed in checks:
        if not ok:
            text = got if isinstance(got, str) else described(got)
            raise ContractError(
                f"{who}: {member} does not keep the contract", got=text, allowed=allowed
            )


@dataclass(frozen=True)
class _Tried:
    """A measure under test."""

    measure: Any
    test: Any
    vectors: Any

    @property
    def who(self) -> str:
        return f"the measure {getattr(self.measure, 'name', type(self.measure).__name__)}"

    @cached_property
    def source(self) -> Any:
        """The source that the measure needs."""
        return reader_of(self.measure.needs.source).open_single(self.vectors)

    @cached_property
    def result(self) -> AssociationResult:
        found: AssociationResult = self.compute(self.test)
        return found

    def compute(self, test: Any, source: Any = None) -> Any:
        """What the measure finds; its errors in the user's input pass."""
        chosen = self.source if source is None else source
        return self.call("compute", lambda: self.measure(test, chosen, seed=1))

    def call(self, method: str, call: Callable[[], Any]) -> Any:
        """Do what a method does; what it raises beside errors for users breaks the contract."""
        try:
            return call()
        except EatlasError:
            raise
        except Exception as error:
            raise ContractError(
                f"{self.who}: {method} raises",
                got=f"{type(error).__name__}: {error}",
                allowed="a result, or an EatlasError for a mistake that a user can correct",
            ) from error

    def with_terms(self, terms: Mapping[str, Sequence[str]]) -> Any:
        """The test with other terms in some groups."""
        changed: dict[str, Any] = {
            name: Concept(name=concept.name, terms=tuple(terms.get(name, concept.terms)))
            for name, concept in self.test.concepts.items()
        }
        if self.test.kind == "groups":
            targets, *groups = changed.values()
            changed = {"targets": targets, "groups": tuple(groups)}
        return self.test.model_copy(update=changed)

    @property
    def looks_up(self) -> bool:
        """Whether words are looked up in vectors, so that some may be missing."""
        of_words = not any(concept.sentences for concept in self.test.concepts.values())
        return of_words and self.measure.needs.source == "vectors"


def _is_a_value(tried: _Tried) -> Check:
    """Name, minimum, equality, pickling, frozen parameters and signature of a measure."""
    measure, kind = tried.measure, type(tried.measure)
    name = getattr(measure, "name", None)
    ok: object = isinstance(name, str) and name and name == name.lower()
    yield ok, "name", repr(name), "a name in lower case, as on the command line"
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    yield frozen, "the class", kind, "a frozen dataclass"
    least = getattr(measure, "minimum", None)
    sizes = list(least.values()) if isinstance(least, Mapping) else []
    ok = sizes and all(isinstance(n, int) and n > 0 for n in sizes)
    yield ok, "minimum", least, "a number from 1 for each group"
    same = kind(**{one.name: getattr(measure, one.name) for one in fields(kind) if one.init})
    ok = same == measure and hash(same) == hash(measure)
    yield ok, "__eq__ and __hash__", f"{same!r} and {measure!r} differ", "equality by parameters"
    copied = tried.call("pickling", lambda: pickle.loads(pickle.dumps(measure)))  # noqa: S301
    yield copied == measure, "pickling", copied, "the same measure"
    parsed = Signature.parse(measure.signature)
    yield parsed.name == name, "signature", measure.signature, f"one of the name {name}"
    again = kind(**dict(parsed.params))
    got = f"{measure.signature}, which is {again!r}"
    yield again == measure, "signature", got, "all parameters that differ from their defaults"


def _gives_a_result(tried: _Tried) -> Check:
    result, measure = tried.result, tried.measure
    yield is_result(result), "compute", result, "an AssociationResult"
    facts = {"measure": measure.name, "signature": measure.signature, "test": tried.test.id}
    for name, value in facts.items():
        yield getattr(result, name) == value, name, getattr(result, name), repr(value)
    given, *_ = input_of(Job(measure.reads(tried.test), tried.source, measure))
    record = tried.call("compute", lambda: measure.compute(given, []))
    for name, value in given.head.items():
        ok = name == "frequency" or getattr(record, name) == value  # topics are added to it
        yield ok, name, getattr(record, name), "what given.head has: Record(**given.head, ...)"


def _is_plain(tried: _Tried) -> Check:
    """The record survives JSON; rows hold plain values; the summary is a line."""
    result, kind = tried.result, type(tried.result)
    text = tried.call("to_dict", lambda: json.dumps(result.to_dict(), allow_nan=False))
    again = tried.call("from_dict", lambda: kind.from_dict(json.loads(text)))
    differ = [name for name in kind.model_fields if getattr(again, name) != getattr(result, name)]
    got = f"other values of {', '.join(differ)}"
    yield again == result, "to_dict", got, "fields that JSON keeps: tuples, numbers, texts, records"
    rows = tried.call("rows", result.rows)
    ok: object = isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    yield ok, "rows", rows, "a list of dicts, one at least"
    for row in rows:
        lacking = [name for name in HEAD if name not in row]
        yield not lacking, "rows", f"no column {', '.join(lacking)}", "{**self.head(), ...}"
        for name, value in row.items():
            ok = value is None or isinstance(value, str | int | float | bool)
            ok = ok and not (isinstance(value, float) and not math.isfinite(value))
            yield ok, "rows", f"{name}: {described(value)}", "texts, finite numbers and None"
    line = tried.call("summary", result.summary)
    ok = isinstance(line, str) and line.strip() and "\n" not in line
    yield ok, "summary", repr(line), "a line of text"


def _has_sound_effects(tried: _Tried) -> Check:
    """Effect sizes are finite or None, each at a place of its own, intervals in order."""
    effects = tried.call("effects", tried.result.effects)
    ok = isinstance(effects, tuple) and effects and all(isinstance(e, Effect) for e in effects)
    yield ok, "effects", effects, "a tuple of Effect, one at least"
    places = [(effect.place, effect.term) for effect in effects]
    yield len(set(places)) == len(places), "effects", places, "each place and term once"
    for effect in effects:
        for name, value in (("d", effect.d), ("difference", effect.difference)):
            ok = value is None or math.isfinite(value)
            member = f"effects, {name} of {effect.place}"
            yield ok, member, value, "a finite number, or None if undefined"
        low, high = effect.interval or (0, 0)
        member = f"effects, interval of {effect.place}"
        yield low <= high, member, effect.interval, "its lower end first"


def _finds_the_same(tried: _Tried) -> Check:
    """The same seed gives the same numbers, and so do the terms in another order."""
    again = tried.compute(tried.test)
    ok = again.to_dict() == tried.result.to_dict()
    yield ok, "compute", "other numbers from the same seed", "random numbers of given.rng alone"
    if not any(concept.sentences for concept in tried.test.concepts.values()):
        turned = {role: c.terms[::-1] for role, c in tried.test.concepts.items()}
        other = _differing(tried.result, tried.compute(tried.with_terms(turned)))
        got = f"other numbers of {', '.join(other)} with the terms in another order"
        yield not other, "compute", got, "the same but for rounding"


def _differing(one: AssociationResult, other: AssociationResult) -> list[str]:
    """Effect sizes that two results of the same stimuli have not in common."""
    effects = {(effect.place, effect.term): effect for effect in other.effects()}
    return [
        f"{effect.place} {effect.term or ''}".strip()
        for effect in one.effects()
        if (same := effects.get((effect.place, effect.term))) is None
        or (effect.d is None) != (same.d is None)
        or not math.isclose(effect.d or 0.0, same.d or 0.0, rel_tol=ROUNDING, abs_tol=ROUNDING)
        or (effect.p and effect.p.count) != (same.p and same.p.count)
    ]


def _counts_what_is_missing(tried: _Tried) -> Check:
    """A term without a vector changes no number; a group without any is a CoverageError."""
    if not tried.looks_up:
        return
    terms = {role: concept.terms for role, concept in tried.test.concepts.items()}
    role, first = next(iter(terms.items()))
    if UNKNOWN not in tried.source.lookup((UNKNOWN,)):
        result = tried.compute(tried.with_terms({role: (*first, UNKNOWN)}))
        missing = result.coverage[role].missing
        yield UNKNOWN in missing, "coverage", missing, "each missing term"
        ok, got = not _differing(tried.result, result), "other numbers with a term without vector"
        yield ok, "compute", got, "those of the terms that have vectors"
    for role in tried.measure.minimum_of(tried.test):
        words = dict.fromkeys(t for other, some in terms.items() if other != role for t in some)
        vectors = np.random.default_rng(1).standard_normal((len(words), 5))
        refused = False
        try:
            tried.compute(tried.test, ArraySource(list(words), vectors, name="few"))
        except CoverageError:
            refused = True
        yield refused, "minimum", f"a result without a term of {role}", "a CoverageError"


def _shows_everywhere(tried: _Tried) -> Check:
    """Terminal, report, tables, notebook, frame and forest show the test and its first number."""
    results = Results([tried.result])

    def terminal() -> str:
        with redirect_stdout(io.StringIO()) as written:
            print_results(results)
        return written.getvalue()

    ways: dict[str, Callable[[], str]] = {
        "terminal": terminal,
        "report": lambda: report_html(results),
        **{
            f"table ({form})": partial(report_table, results, form)
            for form in ("latex", "markdown", "html-table", "csv")
        },
        "notebook": tried.result._repr_html_,
        "frame": lambda: results.to_frame("all").to_string(),
        "forest": lambda: plot(results, "forest").drawn,
    }
    first = next((effect for effect in tried.result.effects() if effect.d is not None), None)
    for way, show in ways.items():
        text, where = tried.call(f"showing it in the {way}", show), f"showing it in the {way}"
        yield tried.test.id in text, where, "no line of the test", "one at least"
        if first is not None and first.d is not None:
            d = abs(first.d)
            numbers = [f"{d:.{decimals}f}" for decimals in range(2, 7)]
            ok = any(number in text for number in (*numbers, f"{d:.6f}"[:-1], repr(d)))
            yield ok, where, f"no {numbers[0]}", f"its {first.symbol}"


def _facts_are_plain(source: Any) -> Check:
    """Name, size, fingerprint and notes are of their types and do not change."""
    kinds: dict[str, tuple[Any, str]] = {
        "name": (str, "a text"),
        "dim": (int, "a whole number from 1"),
        "fingerprint": (str, "a text that identifies its content, such as sha256:..."),
        "notes": (tuple, "a tuple of notes or sentences"),
    }
    for name, (kind, allowed) in kinds.items():
        value = getattr(source, name, None)
        ok = isinstance(value, kind) and (value or kind is tuple)
        yield ok, name, repr(value), allowed
        again = getattr(source, name)
        yield again == value, name, f"{value!r}, then {again!r}", "one value"
    yield source.dim > 0, "dim", source.dim, "a whole number from 1"
    ok = all(isinstance(note, Note | str) for note in source.notes)
    yield ok, "notes", source.notes, "a tuple of notes or sentences"


def _first_words(who: str, source: Any) -> tuple[str, ...]:
    if not source.listed:
        raise ContractError(
            f"{who} cannot be checked without words",
            got="none, and no iter_chunks",
            allowed="check_source(source, words=[...])",
        )
    words, _ = next(iter(source.iter_chunks(16)), ((), None))
    return tuple(words)


def _answers_are_vectors(source: Any, words: tuple[str, ...]) -> Check:
    """Vectors are finite, of one size, the same in any order, and of no other words."""
    vectors = source.lookup(words)
    for word in words:
        yield word in vectors, "lookup", f"no vector of {word!r}", "its vector"
        vector, size = np.asarray(vectors[word]), f"({source.dim},), as dim says"
        yield vector.shape == (source.dim,), "lookup", f"shape {vector.shape}", size
        ok = vector.dtype.kind == "f" and np.isfinite(vector).all()
        yield ok, "lookup", f"{vector.dtype} of {word!r}", "finite numbers"
    for some in (words[::-1], words[:1]):
        again = source.lookup(some)
        ok = all(np.array_equal(again[word], vectors[word]) for word in some)
        yield ok, "lookup", "other vectors in other company", "the same bits"
    yield not source.lookup(()), "lookup", "vectors of no word", "none"
    more = set(source.lookup((*words[:1], UNKNOWN))) - {*words[:1], UNKNOWN}
    got = f"keys that were not given: {more}"
    yield not more, "lookup", got, "vectors of those keys that it has"


def _chunks_hold_the_answers(source: Any, words: tuple[str, ...]) -> Check:
    """Chunks hold the vectors that a lookup answers with."""
    wanted, seen = set(words), dict[str, Any]()
    for names, vectors in source.iter_chunks(1000):
        got = f"{len(names)} words and shape {np.shape(vectors)}"
        ok = np.shape(vectors) == (len(names), source.dim)
        yield ok, "iter_chunks", got, "a row for each word"
        seen.update((n, row) for n, row in zip(names, vectors, strict=True) if n in wanted)
    answers = source.lookup(words)
    for word in words:
        ok = word in seen and np.array_equal(seen[word], answers[word])
        yield ok, "iter_chunks", f"another vector of {word!r}, or none", "what lookup answers"
