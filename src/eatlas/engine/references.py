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
    if fault := fault_of_weights(shares, names):
        raise StimulusError(
            f"test {test.id}: the reference cannot be used", got=fault, allowed=ALLOWED
        )
    for term, row in targets.items():
        if fault := fault_of_weights(row, names):
            raise StimulusError(
                f"test {test.id}: the reference of {term!r} cannot be used",
                got=fault,
                allowed="shares from 0 to 1 with sum 1",
            )
    update = {
        "reference": "uniform" if whole is None else tuple(sorted(shares.items())),
        "references": tuple(
            (term, tuple(row[name] for name in names)) for term, row in sorted(targets.items())
        ),
        "reference_from": origin,
    }
    return test.model_copy(update=update)


def _read(test: GroupsTest, names: Sequence[str], given: Any) -> Reference:
    """Read what was given, for one test."""
    if isinstance(given, str | Path):
        return _of_text(test, names, str(given).strip())
    if isinstance(given, Mapping) and all(
        isinstance(value, int | float) for value in given.values()
    ):
        return Reference({str(name): float(value) for name, value in given.items()}, {}, GIVEN)
    if isinstance(given, Mapping | Counts):
        return _of_table(test, names, given)
    if is_result(given):
        return _of_result(test, names, given)
    if isinstance(given, Results):
        return _of_result(test, names, _chosen(test, list(given), {}, "the results"))
    raise StimulusError("this is not a reference", got=described(given), allowed=ALLOWED)


def _of_text(test: GroupsTest, names: Sequence[str], text: str) -> Reference:
    """Read the word uniform, shares, a file of results, or a table."""
    place = place_of_table(Path(text.partition("?")[0]))
    if text.lower() == "uniform":
        return Reference(None, {}, GIVEN)
    if "=" in text and not is_there(place):
        return Reference(_parsed(text), {}, GIVEN)
    spec = parse_file_spec(text)
    if spec.path.suffix in {".jsonl", ".json"}:
        check_options(spec.options, OPTIONS, text)
        results = list(read_results(spec.path))
        return _of_result(test, names, _chosen(test, results, spec.options, str(spec.path)))
    if not is_there(place):
        raise StimulusError(
            f"{text}: this is not a reference, and no such file", got=text, allowed=ALLOWED
        )
    return _of_table(test, names, text)


def _parsed(text: str) -> dict[str, float]:
    """Shares written as ``Female=0.4,Male=0.6``."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        shares = {name.strip(): float(value) for name, _, value in pairs}
    except ValueError:
        shares = {"": math.nan}
    if "" in shares:
        raise StimulusError("this is not a reference", got=repr(text), allowed=ALLOWED)
    return shares


def _chosen(
    test: GroupsTest, results: Sequence[Any], options: Mapping[str, str], where: str
) -> AssociationResult:
    """The one result whose shares are the reference."""
    with_shares = [r for r in results if is_result(r) and r.by_target is not None]
    wanted = options.get("test", test.id)
    fitting = [
        result
        for result in with_shares
        if result.test == wanted
        and options.get("source", result.source) == result.source
        and options.get("period", str(result.period)) == str(result.period)
    ]
    if len(fitting) == 1:
        return fitting[0]
    raise ResultsError(
        f"{where}: {'several results' if fitting else 'no result'} of {wanted} with shares of "
        "groups",
        got="; ".join(map(_called, with_shares[:5])) or "no result of divdist",
        allowed="one",
        remedy="choose it: FILE?source=NAME&period=YEAR&test=ID",
    )


def _called(result: AssociationResult) -> str:
    year = "" if result.period is None else f", {result.period}"
    return f"{result.test} on {result.source}{year}"


def _of_result(test: GroupsTest, names: Sequence[str], result: AssociationResult) -> Reference:
    """Shares that another measurement found."""
    groups: tuple[str, ...] = getattr(result, "groups", ())
    if result.by_target is None or sorted(groups) != sorted(names):
        raise StimulusError(
            f"test {test.id}: the result is of other groups",
            got=", ".join(groups) or result.signature,
            allowed=f"a result of divdist with {', '.join(names)}",
        )
    rows = {row.term: row.distribution for row in result.by_target if row.distribution}
    targets = {
        term: dict(zip(groups, rows[term], strict=True))
        for term in test.targets.terms
        if term in rows
    }
    concept = getattr(result, "concept", None)
    if not targets or concept is None or concept.distribution is None:
        raise StimulusError(
            f"test {test.id}: the result has shares for none of its targets, or not for all as one",
            got=_called(result),
            allowed="a result of divdist of the same targets",
        )
    whole = dict(zip(groups, concept.distribution, strict=True))
    in_order = {term: {name: row[name] for name in names} for term, row in targets.items()}
    return Reference(whole, in_order, _called(result))


def _of_table(test: GroupsTest, names: Sequence[str], given: Any) -> Reference:
    """Shares of a table, of each target by itself; of all the sum of its targets."""
    table, *others = open_counts(given)
    if others:
        raise StimulusError(
            f"{given}: the table has several years",
            got=", ".join(str(getattr(each, "period", "")) for each in (table, *others)),
            remedy=f"take one: {given}?year=YEAR",
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
    shares = {
        term: dict(zip(names, (value / math.fsum(row) for value in row), strict=True))
        for term, row in numbers.items()
        if math.fsum(row) > 0
    }
    whole = {name: value / math.fsum(sums) for name, value in zip(names, sums, strict=True)}
    return Reference(whole, shares, f"{table.name} ({table.fingerprint[:19]})")


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
