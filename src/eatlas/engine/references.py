"""References for tests of groups: distributions, tables of shares, and other measurements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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

ReferenceLike: TypeAlias = str | Path | Mapping[str, float] | AssociationResult | Results | Counts
"""What the shares of tests of groups are compared with."""
Shares = Mapping[str, float]
"""By group."""


class Reference(NamedTuple):
    """Expected shares: of a concept as a whole, None for uniform; and of single targets."""

    whole: Shares | None
    targets: Mapping[str, Shares]
    origin: str


def with_reference(tests: Iterable[Test], given: ReferenceLike) -> tuple[Test, ...]:
    """Give tests of groups another reference; association tests have none and stay."""
    tests = tuple(tests)
    if not any(isinstance(test, GroupsTest) for test in tests):
        raise StimulusError(
            "a reference needs tests of groups, and none was chosen",
            got=", ".join(test.id for test in tests),
            allowed="tests such as divdist-gender",
        )
    return tuple(_put(test, given) if isinstance(test, GroupsTest) else test for test in tests)


def _put(test: GroupsTest, given: Any) -> GroupsTest:
    """Return the test with its reference distribution, checked to be shares with sum 1."""
    names = [group.name for group in test.groups]
    whole, targets, origin = _read(test, names, given)
    shares = dict.fromkeys(names, 1 / len(names)) if whole is None else dict(whole)
    for what, row in {"the reference": shares, **targets}.items():
        if fault := fault_of_weights(row, names):
            raise StimulusError(
                f"test {test.id}: the shares of {what} cannot be used", got=fault, allowed=ALLOWED
            )
    rows = sorted(targets.items())
    update = {
        "reference": "uniform" if whole is None else tuple(sorted(shares.items())),
        "references": tuple((term, tuple(row[name] for name in names)) for term, row in rows),
        "reference_from": origin,
    }
    return test.model_copy(update=update)


def _read(test: GroupsTest, names: Sequence[str], given: Any) -> Reference:
    """Read what was given, for one test."""
    if isinstance(given, str | Path):
        given = str(given).strip()
        if given.lower() == "uniform":
            return Reference(None, {}, GIVEN)
        file = Path(given.partition("?")[0])
        if file.suffix in {".jsonl", ".json"}:
            spec = parse_file_spec(given)
            check_options(spec.options, OPTIONS, given)
            given = _chosen(test, read_results(spec.path), spec.options)
        elif "=" in given and not is_there(place_of_table(file)):
            given = _parsed(given)
    if isinstance(given, Results):
        given = _chosen(test, given, {})
    if is_result(given):
        return _of_result(test, names, given)
    if isinstance(given, Mapping) and all(isinstance(v, int | float) for v in given.values()):
        return Reference({str(name): float(value) for name, value in given.items()}, {}, GIVEN)
    table = isinstance(given, str) and is_there(place_of_table(Path(given.partition("?")[0])))
    if table or isinstance(given, Mapping | Counts):
        return _of_table(test, names, given)
    raise StimulusError("this is not a reference", got=described(given), allowed=ALLOWED)


def _parsed(text: str) -> dict[str, float]:
    """Shares written as ``Female=0.4,Male=0.6``."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        return {name.strip(): float(value) for name, _, value in pairs}
    except ValueError as error:
        raise StimulusError("this is not a reference", got=repr(text), allowed=ALLOWED) from error


def _chosen(test: GroupsTest, results: Iterable[Any], options: Mapping[str, str]) -> Any:
    """The one result whose shares are the reference."""
    wanted = {"test": options.get("test", test.id)}
    wanted |= {name: options[name] for name in ("source", "period") if name in options}
    with_shares = [r for r in results if is_result(r) and r.by_target is not None]
    fitting = [
        result
        for result in with_shares
        if all(str(getattr(result, name)) == value for name, value in wanted.items())
    ]
    if len(fitting) == 1:
        return fitting[0]
    raise ResultsError(
        f"{len(fitting)} results have shares of groups for "
        f"{', '.join(f'{name} {value}' for name, value in wanted.items())}",
        got="; ".join(map(_called, with_shares[:5])) or "no result of divdist",
        allowed="one",
        remedy="choose it: FILE?source=NAME&period=YEAR&test=ID",
    )


def _called(result: AssociationResult) -> str:
    year = "" if result.period is None else f", {result.period}"
    return f"{result.test} on {result.source}{year}"


def _of_result(test: GroupsTest, names: Sequence[str], result: Any) -> Reference:
    """Shares that another measurement found."""
    groups: tuple[str, ...] = getattr(result, "groups", ())
    concept = getattr(result, "concept", None)
    found = {row.term: row.distribution for row in result.by_target or () if row.distribution}
    rows = {term: found[term] for term in test.targets.terms if term in found}
    if sorted(groups) != sorted(names) or not rows or not (concept and concept.distribution):
        raise StimulusError(
            f"test {test.id}: the result has no shares of its groups for its targets",
            got=f"{_called(result)}, of {', '.join(groups) or result.signature}",
            allowed=f"a result of divdist of the same targets with {', '.join(names)}",
        )
    targets = {term: dict(zip(groups, row, strict=True)) for term, row in rows.items()}
    in_order = {term: {name: row[name] for name in names} for term, row in targets.items()}
    whole = dict(zip(groups, concept.distribution, strict=True))
    return Reference(whole, in_order, _called(result))


def _of_table(test: GroupsTest, names: Sequence[str], given: Any) -> Reference:
    """Shares of a table, of each target by itself; of all the sum of its targets."""
    table, *others = open_counts(given)
    if others:
        raise StimulusError(
            f"{given}: the table has several years", remedy=f"take one: {given}?year=YEAR"
        )
    numbers = {
        term: numbers_of(row, names, f"{table.name}, {term}")
        for term in test.targets.terms
        if (row := table.counts(term))
    }
    sums = [math.fsum(column) for column in zip(*numbers.values(), strict=True)]
    if not math.fsum(sums):
        raise StimulusError(
            f"test {test.id}: {table.name} has none of its targets, or nothing but 0 for them",
            got=", ".join(test.targets.terms[:5]),
            allowed="terms that are in both",
        )

    def shares(row: Sequence[float]) -> dict[str, float]:
        return dict(zip(names, (value / math.fsum(row) for value in row), strict=True))

    of_targets = {term: shares(row) for term, row in numbers.items() if math.fsum(row) > 0}
    return Reference(shares(sums), of_targets, f"{table.name} ({table.fingerprint[:19]})")


def numbers_of(row: Shares, groups: Sequence[str], where: str) -> tuple[float, ...]:
    """Numbers of the groups of a test in a row of a table, in their order."""
    folded = {name.casefold(): value for name, value in row.items()}
    if missing := [name for name in groups if name.casefold() not in folded]:
        raise StimulusError(
            f"{where}: no number for {', '.join(missing)}",
            got=", ".join(row),
            allowed="a column for each group of the test",
        )
    return tuple(folded[name.casefold()] for name in groups)
