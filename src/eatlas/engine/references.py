"""References for tests of groups: distributions, tables of shares, and other measurements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from eatlas.errors import ResultsError, StimulusError, described
from eatlas.paths import is_there
from eatlas.results import AssociationResult, Results, is_result, read_results
from eatlas.sources.counts import Counts, open_counts, place_of_table
from eatlas.sources.spec import check_options, parse_file_spec
from eatlas.stimuli import GroupsTest, Test
from eatlas.stimuli.kinds import fault_of_weights

GIVEN = "the run"
"""Where a distribution comes from that was given with a run."""
ALLOWED = (
    '"uniform"; a share for each group, as in Female=0.4,Male=0.6; a CSV table of shares by term '
    "and group; or results of divdist"
)
OPTIONS = {
    "source": "source of the result, of a file with several",
    "period": "year of the result, of a file with several",
    "test": "test of the result, where it has another id",
}

ReferenceLike: TypeAlias = (
    str | Path | Mapping[str, float] | Sequence[float] | AssociationResult | Results | Counts
)
"""What the shares of tests of groups are compared with; :func:`with_reference` explains it."""


@dataclass(frozen=True)
class Reference:
    """Expected shares: of a concept as a whole, and of single targets."""

    whole: Mapping[str, float] | None
    """By group; None for uniform."""
    targets: Mapping[str, Mapping[str, float]]
    """By target, then by group; empty where all have that of the whole."""
    origin: str


def with_reference(tests: Iterable[Test], given: Any) -> tuple[Test, ...]:
    """Give tests of groups another reference; association tests have none and stay."""
    tests = tuple(tests)
    if given is None:
        return tests
    if not any(isinstance(test, GroupsTest) for test in tests):
        raise StimulusError(
            "a reference needs tests of groups, and none was chosen",
            got=", ".join(test.id for test in tests),
            allowed="tests such as divdist-gender",
        )
    return tuple(_put(one, given) if isinstance(one, GroupsTest) else one for one in tests)


def _put(test: GroupsTest, given: Any) -> GroupsTest:
    """Return the test with its reference distribution, checked to be shares with sum 1."""
    found = _found(test, given)
    names = [group.name for group in test.groups]
    whole = dict.fromkeys(names, 1 / len(names)) if found.whole is None else dict(found.whole)
    if fault := fault_of_weights(whole, names):
        raise StimulusError(
            f"test {test.id}: the reference cannot be used", got=fault, allowed=ALLOWED
        )
    targets = []
    for term, shares in sorted(found.targets.items()):
        if fault := fault_of_weights(shares, names):
            raise StimulusError(
                f"test {test.id}: the reference of {term!r} cannot be used",
                got=fault,
                allowed="shares from 0 to 1 with sum 1",
            )
        targets.append((term, tuple(shares[name] for name in names)))
    reference = "uniform" if found.whole is None else tuple(sorted(whole.items()))
    return test.model_copy(
        update={
            "reference": reference,
            "references": tuple(targets),
            "reference_from": found.origin,
        }
    )


def _found(test: GroupsTest, given: Any) -> Reference:
    """Read what was given, for one test."""
    if isinstance(given, str) and given.strip().lower() == "uniform":
        return Reference(None, {}, GIVEN)
    if (shares := _shares(test, given)) is not None:
        return Reference(shares, {}, GIVEN)
    if isinstance(given, str | Path) and _names_results(given):
        spec = parse_file_spec(str(given))
        check_options(spec.options, OPTIONS, str(given))
        known = list(read_results(spec.path))
        return _of_result(test, _chosen(test, known, spec.options, str(spec.path)))
    if isinstance(given, str | Path) and not is_there(_place(str(given))):
        raise StimulusError(
            f"{given}: this is not a reference, and no such file", got=str(given), allowed=ALLOWED
        )
    if isinstance(given, str | Path | Mapping | Counts):
        return _of_table(test, given)
    if is_result(given):
        return _of_result(test, given)
    if isinstance(given, Iterable):
        return _of_result(test, _chosen(test, list(given), {}, "the results"))
    raise StimulusError("this is not a reference", got=described(given), allowed=ALLOWED)


def _place(text: str) -> Path:
    """Where a table lies: a path, or that of a published table."""
    return place_of_table(Path(text.partition("?")[0]))


def _shares(test: GroupsTest, given: Any) -> dict[str, float] | None:
    """A share for each group; None where something else was given."""
    if isinstance(given, str) and "=" in given and not is_there(_place(given)):
        return _parsed(given)
    if isinstance(given, Mapping) and all(map(_is_number, given.values())):
        return {str(name): float(value) for name, value in given.items()}
    if isinstance(given, str) and "," in given:
        with suppress(ValueError):
            given = [float(part) for part in given.split(",")]
    if not (isinstance(given, list | tuple) and given and all(map(_is_number, given))):
        return None
    names = [group.name for group in test.groups]
    if len(given) != len(names):
        raise StimulusError(
            f"test {test.id}: the reference has the wrong number of shares",
            got=f"{len(given)} for {len(names)} groups ({', '.join(names)})",
            allowed="one for each group, in their order",
        )
    return dict(zip(names, map(float, given), strict=True))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names_results(given: str | Path) -> bool:
    return parse_file_spec(str(given)).path.suffix in {".jsonl", ".json"}


def _parsed(text: str) -> dict[str, float]:
    """Shares written as ``Female=0.4,Male=0.6``."""
    found = {}
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            found[""] = math.nan
        if not name.strip() or math.isnan(found.get("", 0.0)):
            raise StimulusError("this is not a reference", got=repr(text), allowed=ALLOWED)
    return found


def _chosen(
    test: GroupsTest, results: Sequence[Any], options: Mapping[str, str], where: str
) -> AssociationResult:
    """The one result whose shares are the reference."""
    wanted = options.get("test", test.id)
    fitting = [
        one
        for one in results
        if is_result(one)
        and one.by_target is not None
        and one.test == wanted
        and options.get("source", one.source) == one.source
        and options.get("period", str(one.period)) == str(one.period)
    ]
    if len(fitting) == 1:
        return fitting[0]
    known = [_called(one) for one in results if is_result(one) and one.by_target is not None]
    raise ResultsError(
        f"{where}: {'several results' if fitting else 'no result'} of {wanted} with shares of "
        "groups",
        got="; ".join(known[:5]) or "no result of divdist",
        allowed="one",
        remedy="choose it: FILE?source=NAME&period=YEAR&test=ID",
    )


def _called(result: AssociationResult) -> str:
    year = "" if result.period is None else f", {result.period}"
    return f"{result.test} on {result.source}{year}"


def _of_result(test: GroupsTest, result: AssociationResult) -> Reference:
    """Shares that another measurement found."""
    groups: tuple[str, ...] = getattr(result, "groups", ())
    names = [group.name for group in test.groups]
    if result.by_target is None or sorted(groups) != sorted(names):
        raise StimulusError(
            f"test {test.id}: the result is of other groups",
            got=", ".join(groups) or result.signature,
            allowed=f"a result of divdist with {', '.join(names)}",
        )
    concept = getattr(result, "concept", None)
    known = {one.term: one.distribution for one in result.by_target if one.distribution}
    targets = {
        term: dict(zip(groups, known[term], strict=True))
        for term in test.targets.terms
        if term in known
    }
    if not targets or concept is None or concept.distribution is None:
        raise StimulusError(
            f"test {test.id}: the result has shares for none of its targets, or not for all as one",
            got=_called(result),
            allowed="a result of divdist of the same targets",
        )
    whole = dict(zip(groups, concept.distribution, strict=True))
    return Reference(whole, _in_order(targets, names), _called(result))


def _of_table(test: GroupsTest, given: Any) -> Reference:
    """Shares of a table, of each target by itself; of all the sum of its targets."""
    tables = open_counts(given)
    if len(tables) > 1:
        years = ", ".join(str(getattr(one, "period", "")) for one in tables)
        raise StimulusError(
            f"{given}: the table has several years",
            got=years,
            remedy=f"take one: {given}?year=YEAR",
        )
    table, names = tables[0], [group.name for group in test.groups]
    rows = {term: row for term in test.targets.terms if (row := table.counts(term))}
    if not rows:
        raise StimulusError(
            f"test {test.id}: {table.name} has none of its targets",
            got=", ".join(test.targets.terms[:5]),
            allowed="terms that are in both",
        )
    numbers = {term: numbers_of(row, names, f"{table.name}, {term}") for term, row in rows.items()}
    targets = {
        term: {name: value / math.fsum(one) for name, value in zip(names, one, strict=True)}
        for term, one in numbers.items()
        if math.fsum(one) > 0
    }
    sums = [math.fsum(column) for column in zip(*numbers.values(), strict=True)]
    total = math.fsum(sums)
    if not total:
        raise StimulusError(f"test {test.id}: {table.name} has nothing but 0 for its targets")
    whole = {name: value / total for name, value in zip(names, sums, strict=True)}
    return Reference(whole, targets, f"{table.name} ({table.fingerprint[:19]})")


def numbers_of(row: Mapping[str, float], groups: Sequence[str], where: str) -> tuple[float, ...]:
    """Numbers of the groups of a test in a row of a table, in their order."""
    folded = {name.casefold(): value for name, value in row.items()}
    if missing := [name for name in groups if name.casefold() not in folded]:
        raise StimulusError(
            f"{where}: no number for {', '.join(missing)}",
            got=", ".join(row),
            allowed="a column for each group of the test",
        )
    return tuple(folded[name.casefold()] for name in groups)


def _in_order(
    targets: Mapping[str, Mapping[str, float]], names: Sequence[str]
) -> dict[str, dict[str, float]]:
    return {term: {name: shares[name] for name in names} for term, shares in targets.items()}
