"""References for tests of groups: distributions, tables of proportions, and other measurements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from eatlas.errors import ResultsError, StimulusError, described
from eatlas.paths import is_there
from eatlas.results import AssociationResult, Results, is_result, read_results
from eatlas.sources.frames import is_frame
from eatlas.sources.tables import Counts, group_numbers, open_counts, place_of_table
from eatlas.stimuli import GroupsTest, Test
from eatlas.stimuli.kinds import fault_of_weights

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

GIVEN = "the run"
"""Where a distribution comes from that was given with a run."""
ALLOWED = (
    '"uniform"; a proportion for each group, as in Female=0.4,Male=0.6; a CSV table of '
    "proportions by term and group; or results of divdist"
)

ReferenceLike: TypeAlias = (
    "str | Path | Mapping[str, float] | AssociationResult | Results | Counts | IntoFrame"
)
"""What the proportions of tests of groups are compared with."""
Shares = Mapping[str, float]
"""By group."""
Reference = tuple[Shares | str, Mapping[str, Shares], str]
"""Expected shares of a concept as a whole, or "uniform"; of single targets; where they are from."""


def with_reference(tests: Iterable[Test], reference: ReferenceLike) -> tuple[Test, ...]:
    """Give tests of groups another reference; association tests have none and stay."""
    tests = tuple(tests)
    if not any(isinstance(test, GroupsTest) for test in tests):
        raise StimulusError(
            "a reference needs tests of groups, but none was given",
            got=", ".join(test.id for test in tests),
            allowed="tests such as divdist-gender",
        )
    return tuple(_put(test, reference) if isinstance(test, GroupsTest) else test for test in tests)


def _put(test: GroupsTest, reference: Any) -> GroupsTest:
    """Return the test with its reference distribution, checked to be shares with sum 1."""
    names = [group.name for group in test.groups]
    whole, targets, origin = _parse_reference(test, names, reference)
    of_all = {} if isinstance(whole, str) else {"the reference": whole}
    for what, row in {**of_all, **targets}.items():
        if fault := fault_of_weights(row, names):
            raise StimulusError(
                f"test {test.id}: {what} cannot be used", got=fault, allowed=ALLOWED
            )
    rows = sorted(targets.items())
    update = {
        "reference": whole if isinstance(whole, str) else tuple(sorted(whole.items())),
        "references": tuple((term, tuple(row[name] for name in names)) for term, row in rows),
        "reference_from": origin,
    }
    return test.model_copy(update=update)


def _parse_reference(test: GroupsTest, names: Sequence[str], reference: Any) -> Reference:
    """Read what was given, for one test."""
    if isinstance(reference, str | Path):
        text = str(reference).strip()
        file = Path(text.partition("?")[0])
        if text.lower() == "uniform":
            return "uniform", {}, GIVEN
        if file.suffix in {".jsonl", ".json"}:
            reference = read_results(text)
        elif is_there(place_of_table(file)):
            return _of_table(test, names, text)
        elif "=" in text:
            pairs = [part.rpartition("=") for part in text.split(",")]
            try:
                reference = {name.strip(): float(value) for name, _, value in pairs}
            except ValueError as error:
                what = "this is not a reference"
                raise StimulusError(what, got=repr(text), allowed=ALLOWED) from error
    if isinstance(reference, Results) or is_result(reference):
        return _of_results(test, names, reference)
    is_mapping = isinstance(reference, Mapping)
    if is_mapping and all(isinstance(value, int | float) for value in reference.values()):
        shares = {str(name): float(value) for name, value in reference.items()}
        return shares, {}, GIVEN
    if is_mapping or isinstance(reference, Counts) or is_frame(reference):
        return _of_table(test, names, reference)
    got = f"{text!r}, which is no file here" if isinstance(reference, str | Path) else ""
    raise StimulusError("this is not a reference", got=got or described(reference), allowed=ALLOWED)


def _of_results(test: GroupsTest, names: Sequence[str], results: Any) -> Reference:
    """Shares that another measurement found: one result, or the one of the test among several."""
    fitting = [results] if is_result(results) else [r for r in results if r.test == test.id]
    if len(fitting) != 1:
        raise ResultsError(
            f"{len(fitting)} results have proportions of groups for test {test.id}",
            got="; ".join(map(_result_label, fitting[:5])) or None,
            allowed="one",
            remedy="write it to a file of its own: eatlas.Results([result]).save(FILE)",
        )
    (result,) = fitting
    groups, concept = getattr(result, "groups", ()), getattr(result, "concept", None)
    shares = {row.term: row.distribution for row in result.by_target or () if row.distribution}
    terms = [term for term in test.targets.terms if term in shares]
    if sorted(groups) != sorted(names) or not terms or not (concept and concept.distribution):
        raise StimulusError(
            f"test {test.id}: the result has no proportions of its groups for its targets",
            got=f"{_result_label(result)}, of {', '.join(groups) or result.signature}",
            allowed=f"a result of divdist of the same targets with {', '.join(names)}",
        )
    targets = {term: dict(zip(groups, shares[term], strict=True)) for term in terms}
    return dict(zip(groups, concept.distribution, strict=True)), targets, _result_label(result)


def _result_label(result: AssociationResult) -> str:
    year = "" if result.period is None else f", {result.period}"
    return f"{result.test} on {result.source}{year}"


def _of_table(test: GroupsTest, names: Sequence[str], spec: Any) -> Reference:
    """Proportions of a table, of each target by itself; of all the sum of its targets."""
    table, *others = open_counts(spec)
    if others:
        raise StimulusError(
            f"{spec}: the table has several years", remedy=f"choose one: {spec}?year=YEAR"
        )
    numbers = {
        term: group_numbers(row, names, f"{table.name}, {term}")
        for term in test.targets.terms
        if (row := table.counts(term))
    }
    sums = [math.fsum(column) for column in zip(*numbers.values(), strict=True)]
    if not math.fsum(sums):
        raise StimulusError(
            f"test {test.id}: {table.name} has none of its targets, or only zeros for them",
            got=", ".join(test.targets.terms[:5]),
            allowed="terms that are in both",
        )

    def shares(row: Sequence[float]) -> dict[str, float]:
        return dict(zip(names, (value / math.fsum(row) for value in row), strict=True))

    of_targets = {term: shares(row) for term, row in numbers.items() if math.fsum(row) > 0}
    return shares(sums), of_targets, f"{table.name} ({table.fingerprint[:19]})"
