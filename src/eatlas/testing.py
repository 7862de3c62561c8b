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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from eatlas.engine.measuring import open_for
from eatlas.errors import ContractError, CoverageError, EatlasError, EatlasWarning, described
from eatlas.notes import Note
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
    """Check that a measure and the record of what it finds keep their contract.

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
    for check in (
        _measure_is_a_value,
        _signature_reads_back,
        _gives_a_result,
        _result_survives_json,
        _rows_and_summary_are_plain,
        _effects_are_sound,
        _finds_the_same_again,
        _order_of_terms_is_nothing,
        _missing_terms_are_counted,
        _too_few_are_refused,
        _result_shows_everywhere,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EatlasWarning)
            check(tried)


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
    opened = open_vectors(source)
    who = f"the source {getattr(opened, 'name', described(source))}"
    _facts_are_plain(who, opened)
    some = tuple(words) or _first_words(who, opened)
    _answers_are_vectors(who, opened, some)
    _chunks_hold_the_answers(who, opened, some)


def _require(ok: object, who: str, method: str, *, got: object, allowed: str) -> None:
    """Say what a member of a measure, record or source did in place of what it should."""
    if not ok:
        text = got if isinstance(got, str) else described(got)
        raise ContractError(
            f"{who}: {method} does not keep the contract", got=text, allowed=allowed
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
        """The source, table of counts, or language model that the measure needs."""
        need = self.measure.needs.source
        return open_vectors(self.vectors) if need == "vectors" else open_for(self.vectors, need)[0]

    @cached_property
    def result(self) -> AssociationResult:
        found: AssociationResult = self.found(self.test)
        return found

    @property
    def record(self) -> str:
        return f"the record {type(self.result).__name__}"

    def found(self, test: Any, source: Any = None) -> Any:
        """What the measure finds; its errors in the user's input pass."""
        chosen = self.source if source is None else source
        return self.guarded("compute", lambda: self.measure(test, chosen, seed=1))

    def guarded(self, method: str, call: Callable[[], Any]) -> Any:
        """Do what a method does; what it raises beside errors for users breaks the contract."""
        try:
            return call()
        except EatlasError:
            raise
        except Exception as error:
            raise ContractError(
                f"{self.who}: {method} raises",
                got=f"{type(error).__name__}: {error}",
                allowed="a result, or an EatlasError for what a user can correct",
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
    def of_words(self) -> bool:
        """Whether the test has words that are looked up, so that others can stand for them."""
        return not any(concept.sentences for concept in self.test.concepts.values())

    @property
    def looks_up(self) -> bool:
        """Whether the words are looked up in vectors, so that some may be missing."""
        return self.of_words and self.measure.needs.source == "vectors"


def _measure_is_a_value(tried: _Tried) -> None:
    """Name, minimum, equality, pickling and frozen parameters of a measure."""
    one, kind = tried.measure, type(tried.measure)
    name = getattr(one, "name", None)
    allowed = "a name in lower case, as on the command line"
    ok = isinstance(name, str) and name != "" and name == name.lower()
    _require(ok, tried.who, "name", got=repr(name), allowed=allowed)
    frozen = getattr(kind, "__dataclass_params__", None)
    ok = frozen is not None and frozen.frozen
    _require(ok, tried.who, "the class", got=kind, allowed="a frozen dataclass")
    least = getattr(one, "minimum", None)
    numbers = list(least.values()) if isinstance(least, Mapping) else []
    ok = bool(numbers) and all(isinstance(n, int) and n > 0 for n in numbers)
    _require(ok, tried.who, "minimum", got=least, allowed="a number from 1 for each group")
    same = kind(**{field.name: getattr(one, field.name) for field in fields(kind) if field.init})
    _require(same == one and hash(same) == hash(one), tried.who, "__eq__ and __hash__",
             got=f"{same!r} and {one!r} differ", allowed="equality by parameters")  # fmt: skip
    copied = tried.guarded("pickling", lambda: pickle.loads(pickle.dumps(one)))  # noqa: S301
    _require(copied == one, tried.who, "pickling", got=copied, allowed="the same measure")
    try:
        one.alpha = 0.01
    except (FrozenInstanceError, AttributeError):
        return
    _require(ok=False, who=tried.who, method="the class", got="parameters that can be assigned",
             allowed="a frozen dataclass")  # fmt: skip


def _signature_reads_back(tried: _Tried) -> None:
    text = tried.measure.signature
    parsed = Signature.parse(text)
    ok = parsed.name == tried.measure.name
    _require(ok, tried.who, "signature", got=text, allowed=f"one of the name {tried.measure.name}")
    again = type(tried.measure)(**dict(parsed.params))
    _require(again == tried.measure, tried.who, "signature", got=f"{text}, which is {again!r}",
             allowed="all parameters that differ from their defaults")  # fmt: skip


def _gives_a_result(tried: _Tried) -> None:
    found = tried.result
    _require(is_result(found), tried.who, "compute", got=found, allowed="an AssociationResult")
    expected = {"measure": tried.measure.name, "signature": tried.measure.signature}
    for name, value in {**expected, "test": tried.test.id}.items():
        got = getattr(found, name)
        _require(got == value, tried.record, name, got=got, allowed=repr(value))


def _result_survives_json(tried: _Tried) -> None:
    found, kind = tried.result, type(tried.result)
    text = tried.guarded("to_dict", lambda: json.dumps(found.to_dict(), allow_nan=False))
    again = tried.guarded("from_dict", lambda: kind.from_dict(json.loads(text)))
    got = [name for name in kind.model_fields if getattr(again, name) != getattr(found, name)]
    _require(again == found, tried.record, "to_dict", got=f"other values of {', '.join(got)}",
             allowed="fields that JSON keeps: tuples, numbers, texts, records")  # fmt: skip


def _rows_and_summary_are_plain(tried: _Tried) -> None:
    """Rows begin with the common columns and hold plain values; the summary is a line."""
    rows = tried.guarded("rows", tried.result.rows)
    ok = isinstance(rows, list) and rows != [] and all(isinstance(row, dict) for row in rows)
    _require(ok, tried.record, "rows", got=rows, allowed="a list of dicts, one at least")
    for row in rows:
        lacking = [name for name in HEAD if name not in row]
        _require(not lacking, tried.record, "rows", got=f"no column {', '.join(lacking)}",
                 allowed="{**self.head(), ...}")  # fmt: skip
        for name, value in row.items():
            ok = value is None or isinstance(value, str | int | float | bool)
            _require(ok, tried.record, "rows", got=f"{name}: {described(value)}",
                     allowed="texts, numbers and None")  # fmt: skip
            ok = not isinstance(value, float) or math.isfinite(value)
            _require(ok, tried.record, "rows", got=f"{name}: {value}", allowed="None if undefined")
    line = tried.guarded("summary", tried.result.summary)
    ok = isinstance(line, str) and line.strip() != "" and "\n" not in line
    _require(ok, tried.record, "summary", got=repr(line), allowed="a line of text")


def _effects_are_sound(tried: _Tried) -> None:
    """Effect sizes are finite or None, each at a place of its own, intervals in order."""
    effects = tried.guarded("effects", tried.result.effects)
    ok = isinstance(effects, tuple) and all(isinstance(one, Effect) for one in effects)
    _require(ok, tried.record, "effects", got=effects, allowed="a tuple of Effect")
    allowed = "one effect size or other number at least"
    _require(effects, tried.record, "effects", got="none", allowed=allowed)
    places = [(one.place, one.term) for one in effects]
    ok = len(set(places)) == len(places)
    _require(ok, tried.record, "effects", got=places, allowed="each place and term once")
    for one in effects:
        for name, value in (("d", one.d), ("difference", one.difference)):
            ok = value is None or math.isfinite(value)
            _require(ok, tried.record, f"effects, {name} of {one.place}", got=value,
                     allowed="a finite number, or None if undefined")  # fmt: skip
        ok = one.interval is None or one.interval[0] <= one.interval[1]
        _require(ok, tried.record, f"effects, interval of {one.place}", got=one.interval,
                 allowed="its lower end first")  # fmt: skip


def _differing(one: AssociationResult, other: AssociationResult) -> list[str]:
    """Effect sizes that two results of the same stimuli have not in common."""
    found = {(effect.place, effect.term): effect for effect in other.effects()}
    return [
        f"{effect.place} {effect.term or ''}".strip()
        for effect in one.effects()
        if (same := found.get((effect.place, effect.term))) is None
        or (effect.d is None) != (same.d is None)
        or not math.isclose(effect.d or 0.0, same.d or 0.0, rel_tol=ROUNDING, abs_tol=ROUNDING)
        or (effect.p and effect.p.count) != (same.p and same.p.count)
    ]


def _finds_the_same_again(tried: _Tried) -> None:
    again = tried.found(tried.test)
    ok = again.to_dict() == tried.result.to_dict()
    _require(ok, tried.who, "compute", got="other numbers from the same seed",
             allowed="random numbers of given.rng alone")  # fmt: skip


def _order_of_terms_is_nothing(tried: _Tried) -> None:
    if not tried.of_words:
        return
    turned = tried.with_terms({role: c.terms[::-1] for role, c in tried.test.concepts.items()})
    other = _differing(tried.result, tried.found(turned))
    got = f"other numbers of {', '.join(other)} with the terms in another order"
    _require(not other, tried.who, "compute", got=got, allowed="the same but for rounding")


def _missing_terms_are_counted(tried: _Tried) -> None:
    if not tried.looks_up or UNKNOWN in tried.source.lookup((UNKNOWN,)):
        return
    role, concept = next(iter(tried.test.concepts.items()))
    found = tried.found(tried.with_terms({role: (*concept.terms, UNKNOWN)}))
    missing = found.coverage.group(role).missing
    _require(UNKNOWN in missing, tried.who, "coverage", got=missing, allowed="each missing term")
    ok = not _differing(tried.result, found)
    _require(ok, tried.who, "compute", got="other numbers with a term that no source has",
             allowed="those of the terms that have vectors")  # fmt: skip


def _too_few_are_refused(tried: _Tried) -> None:
    """A group without any usable term is a CoverageError."""
    if not tried.looks_up:
        return
    terms = {role: concept.terms for role, concept in tried.test.concepts.items()}
    for role in tried.measure.minimum_of(tried.test):
        known = [term for other, some in terms.items() if other != role for term in some]
        vectors = np.random.default_rng(1).standard_normal((len(known), 5))
        source = ArraySource(list(dict.fromkeys(known)), vectors[: len(set(known))], name="few")
        try:
            tried.found(tried.test, source)
        except CoverageError:
            continue
        got = f"a result without a term of {role}"
        _require(ok=False, who=tried.who, method="minimum", got=got, allowed="a CoverageError")


def _result_shows_everywhere(tried: _Tried) -> None:
    """Terminal, report, tables, notebook, frame and forest show the test and its first number."""
    from eatlas.cli.table import print_results  # noqa: PLC0415  (rich, which only tables need)
    from eatlas.present import report_html, report_table  # noqa: PLC0415
    from eatlas.present.drawings.plot import plot  # noqa: PLC0415

    results = Results([tried.result])

    def terminal() -> str:
        with redirect_stdout(io.StringIO()) as written:
            print_results(results)
        return written.getvalue()

    ways: dict[str, Callable[[], str]] = {
        "terminal": terminal,
        "report": lambda: report_html(results),
        **{f"table ({form})": lambda form=form: report_table(results, form)  # type: ignore[misc]
           for form in ("latex", "markdown", "html-table", "csv")},
        "notebook": tried.result._repr_html_,
        "frame": lambda: results.to_frame().to_string(),
        "forest": lambda: plot(results, "forest").drawn,
    }  # fmt: skip
    first = next((one for one in tried.result.effects() if one.d is not None), None)
    for way, shown in ways.items():
        text = tried.guarded(f"showing it in the {way}", shown)
        _require(tried.test.id in text, tried.record, f"showing it in the {way}",
                 got="no line of the test", allowed="one at least")  # fmt: skip
        if first is not None and first.d is not None:
            number, whole = f"{abs(first.d):.2f}", f"{abs(first.d):.6f}"[:-1]
            finer = [f"{abs(first.d):.{decimals}f}" for decimals in range(3, 7)]
            ok = any(one in text for one in (number, whole, *finer, repr(abs(first.d))))
            _require(ok, tried.record, f"showing it in the {way}",
                     got=f"no {number}", allowed=f"its {first.symbol}")  # fmt: skip


def _facts_are_plain(who: str, source: Any) -> None:
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
        _require(ok, who, name, got=repr(value), allowed=allowed)
        again = getattr(source, name)
        _require(again == value, who, name, got=f"{value!r}, then {again!r}", allowed="one value")
    _require(source.dim > 0, who, "dim", got=source.dim, allowed="a whole number from 1")
    ok = all(isinstance(note, Note | str) for note in source.notes)
    _require(ok, who, "notes", got=source.notes, allowed="a tuple of notes or sentences")


def _first_words(who: str, source: Any) -> tuple[str, ...]:
    if not source.listed:
        raise ContractError(
            f"{who} is checked by words that it has",
            got="none, and no iter_chunks",
            allowed="check_source(source, words=[...])",
        )
    words, _ = next(iter(source.iter_chunks(16)), ((), None))
    return tuple(words)


def _answers_are_vectors(who: str, source: Any, words: tuple[str, ...]) -> None:
    """Vectors are finite, of one size, the same in any order, and of no other words."""
    found = source.lookup(words)
    for word in words:
        _require(word in found, who, "lookup", got=f"no vector of {word!r}", allowed="its vector")
        vector = np.asarray(found[word])
        _require(vector.shape == (source.dim,), who, "lookup", got=f"shape {vector.shape}",
                 allowed=f"({source.dim},), as dim says")  # fmt: skip
        ok = vector.dtype.kind == "f" and np.isfinite(vector).all()
        _require(ok, who, "lookup", got=f"{vector.dtype} of {word!r}", allowed="finite numbers")
    for some in (words[::-1], words[:1]):
        again = source.lookup(some)
        ok = all(np.array_equal(again[word], found[word]) for word in some)
        _require(ok, who, "lookup", got="other vectors in other company", allowed="the same bits")
    _require(not source.lookup(()), who, "lookup", got="vectors of no word", allowed="none")
    more = set(source.lookup((*words[:1], UNKNOWN))) - {*words[:1], UNKNOWN}
    allowed = "vectors of those keys that it has"
    _require(not more, who, "lookup", got=f"keys that were not given: {more}", allowed=allowed)


def _chunks_hold_the_answers(who: str, source: Any, words: tuple[str, ...]) -> None:
    """Chunks hold the vectors that a lookup answers with."""
    if not source.listed:
        return
    wanted = set(words)
    seen: dict[str, Any] = {}
    for names, vectors in source.iter_chunks(1000):
        ok = np.shape(vectors) == (len(names), source.dim)
        _require(ok, who, "iter_chunks", got=f"{len(names)} words and shape {np.shape(vectors)}",
                 allowed="a row for each word")  # fmt: skip
        seen.update((n, row) for n, row in zip(names, vectors, strict=True) if n in wanted)
    found = source.lookup(words)
    for word in words:
        ok = word in seen and np.array_equal(seen[word], found[word])
        _require(ok, who, "iter_chunks", got=f"another vector of {word!r}, or none",
                 allowed="what lookup answers")  # fmt: skip
