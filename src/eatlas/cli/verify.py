"""``eatlas verify``: compute results again and say what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from eatlas.cli.console import in_words, new_console, say
from eatlas.cli.messages import complain, plain_line, print_json
from eatlas.engine.verifiers import verifier_of_file
from eatlas.engine.verify import Verdict
from eatlas.engine.verify import verify as check
from eatlas.errors import ResultsError, SourceError, listing
from eatlas.numbers import number_of
from eatlas.results import Results, is_result, salvage_results
from eatlas.results.base import Head
from eatlas.results.collection import STORE_ENDING, RunFound, find_runs
from eatlas.results.json_lines import schema_name
from eatlas.stimuli import load_tests
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.results.scan import ResultsScan

SHOWN = 5
"""Tests that are named one by one."""
BATCH = 500
"""Results of a store that are computed again together."""
VECTORS = "vectors"
"""What most records are computed from."""


def verify(
    results: list[Path],
    *,
    contexts: list[Path] | None = None,
    covariates: list[str] | None = None,
    vectors: list[str] | None = None,
    trust: list[str] | None = None,
    tests: list[str] | None = None,
    battery: list[str] | None = None,
    verbose: bool = False,
    as_json: bool = False,
) -> None:
    """Recompute each result, trend and scan for themes, and list the ones that differ.

    Each result names its run and the number of results of the run, so that missing results are
    noticed.

    The command reads vectors from bundled sources and from local files and folders. A source that
    would run code or send a request is refused unless --trust or --vectors names it.

    Exit codes: 0 all the same, 1 something differs, is missing or could not be recomputed, 2
    nothing could be read, or every source was refused.

    Parameters
    ----------
    results : RESULTS...
        results.jsonl or a store of eatlas run; or FILE.csv of eatlas scan --themes, or
        FILE.csv.json.
    contexts : FILE
        Files of contexts that the results used. May be repeated. [default: the files that the
        results name, next to the results or in the working folder]
    covariates : FILE
        Files of covariates that the results used; looked up like files of contexts. May be
        repeated.
    vectors : NAME=SOURCE
        Open SOURCE instead of NAME, for example if a file has moved. NAME as in the results. May
        be repeated.
    trust : SOURCE
        Allow this source of the results to run code or send texts. Others are refused. May be
        repeated.
    tests : ID|BATTERY|FILE.toml
        Compare names, title, citation and terms with these tests, by id. Results of built-in tests
        are always compared.
    battery : ID|BATTERY|FILE.toml
        List the tests of this battery that are missing from the results. May be repeated.
    verbose : -v, --verbose
        Also list the results that are the same.
    """
    checks: dict[str, Any] = {
        "contexts": contexts or (), "covariates": covariates or (), "tests": tests or (),
    }  # fmt: skip
    if len(results) == 1 and results[0].suffix.lower() == STORE_ENDING:
        scan = Results.scan(results[0])
        named = scan.to_frame([n for n in ("source", "source_from") if n in scan.columns])
        names = {name for column in named for name in named[column].dropna().unique()}
        instead = dict(_split_name(text, names) for text in vectors or ())
        _verify_store(scan, instead, trust or (), checks, battery or (), as_json=as_json)
    others: dict[str, list[Head]] = {}
    of_results = []
    for path in results:
        if verifier := verifier_of_file(path):
            others.setdefault(verifier.plural, []).append(verifier.read(path))
        else:
            of_results.append(path)
    good, damage = salvage_results(of_results)
    for error in damage:
        complain(error)
    if not len(good) and not others:
        raise ResultsError("there are no results to verify")
    records = [record for several in others.values() for record in several]
    names = {name for one in (*good, *records) for name in (one.source, one.source_string)}
    folders = [path if path.is_dir() else path.parent for path in results]
    verdicts = check(
        [*good, *good.trends, *records],
        folders=folders,
        vectors=dict(_split_name(text, names) for text in vectors or ()),
        trust=trust or (),
        **checks,
    )
    runs = find_runs(good)
    found = [_run_line(run, f"run {run.run}" if len(runs) > 1 else "this run") for run in runs]
    found += [_battery_line(name, {result.test for result in good}) for name in battery or ()]
    if as_json:
        print_json([*map(_as_json, verdicts), *(values for values, _, _ in found)])
    else:
        kinds = {"results": good, "trends": good.trends, **others}
        _print_verdicts(verdicts, kinds, verbose=verbose, unread=bool(damage))
        _print_found(found, good, verdicts)
    whole = all(whole for _, _, whole in found)
    statuses = {verdict.status for verdict in verdicts}
    if statuses == {"refused"}:
        raise _all_refused()
    raise typer.Exit(0 if statuses == {"same"} and whole and not damage else 1)


def _verify_store(
    scan: ResultsScan,
    vectors: Mapping[str, str],
    trust: Sequence[str],
    checks: Mapping[str, Any],
    battery: Sequence[str],
    *,
    as_json: bool,
) -> NoReturn:
    """Verify a store batch by batch, name what differs at once, and end with the exit code."""
    statuses: Counter[str] = Counter()
    unknown, records = set(trust), iter(scan)
    while batch := list(islice(records, BATCH)):
        named = {name for result in batch for name in (result.source, result.source_string)}
        unknown -= named
        verdicts = check(
            batch,
            folders=[scan.path.parent],
            vectors={name: source for name, source in vectors.items() if name in named},
            trust=[name for name in trust if name in named],
            **checks,
        )
        statuses.update(verdict.status for verdict in verdicts)
        if as_json:
            print_json(map(_as_json, verdicts))
        else:
            _print_differences(verdict for verdict in verdicts if verdict.status != "same")
    if unknown:
        raise SourceError("no result has a source of this name", got=", ".join(sorted(unknown)))
    if not statuses:
        raise ResultsError("there are no results to verify")
    found = [_battery_line(name, set(scan.to_frame(["test"])["test"])) for name in battery]
    if (run := scan.run_found()) is not None:
        found.append(_run_line(run, "this run"))
    if as_json:
        print_json(values for values, _, _ in found)
    else:
        console = new_console()
        agreed = f"{statuses['same']:,} of {statuses.total():,} results are the same"
        say(console, agreed, "bold")
        for _, line, whole in found:
            say(console, plain_line(line), "dim" if whole else "bold", hang=2)
        if run is None:
            say(console, "The run has not ended: whether results are missing is unknown", "bold")
    if set(statuses) == {"refused"}:
        raise _all_refused()
    whole = all(whole for _, _, whole in found)
    raise typer.Exit(0 if set(statuses) == {"same"} and whole else 1)


def _print_differences(verdicts: Iterable[Verdict]) -> None:
    """Name results that are not the same, with what differs."""
    console = new_console()
    for verdict in verdicts:
        by = in_words(verdict.result.signature)
        label = f"{_record_label(verdict.result)} by {by}: {verdict.status}"
        for line in (label, *(f"  {detail}" for detail in verdict.details)):
            say(console, plain_line(line), hang=4)


def _all_refused() -> ResultsError:
    return ResultsError(
        "nothing was recomputed, because every source in the results was refused",
        remedy="to trust a source: eatlas verify RESULTS --trust SOURCE",
    )


Found = tuple[dict[str, Any], str, bool]
"""What is here of a run or a battery: as JSON, as a line, and whether it is all."""


def _run_line(run: RunFound, name: str) -> Found:
    """How many results of a run are here."""
    text = f"{run.here} of {run.results} results of {name} are here"
    if run.changed:
        wrote = name if name.startswith("run ") else "the run that wrote it"
        text = (
            f"The file does not match {wrote}: a result was replaced, or its test, "
            "source, measure, seed or version was changed"
        )
    elif not run.whole:
        text += "; the others are in another file, or were deleted"
    return vars(run), text, run.whole


def _battery_line(name: str, here: set[str]) -> Found:
    """Which tests of a battery are not among the results, whose tests are `here`."""
    every = [test.id for test in load_tests(name)]
    missing = [test for test in every if test not in here]
    text = f"{name}: {len(every) - len(missing)} of {len(every)} tests are here"
    if missing:
        text += f"; not here: {', '.join(missing)}"
    return {"battery": name, "tests": len(every), "missing": missing}, text, not missing


def _as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a line of JSON."""
    record: Any = verdict.result
    return {
        "record": schema_name(record),
        "test": record.test,
        "source": record.source,
        "signature": record.signature,
        "version": verdict.version,
        "status": verdict.status,
        "details": verdict.details,
        "against": verdict.against,
    }


def _print_verdicts(
    verdicts: Sequence[Verdict],
    kinds: Mapping[str, Sequence[object]],
    *,
    verbose: bool,
    unread: bool,
) -> None:
    """Print how many records are the same, and the others one by one."""
    same = [verdict.status == "same" for verdict in verdicts]
    named = "; what could not be read is named above" if unread else ""
    console = new_console()
    say(console, f"{' and '.join(_counts(same, kinds))} are the same{named}", "bold")
    several = len({verdict.result.signature for verdict in verdicts}) > 1
    for verdict, agrees in zip(verdicts, same, strict=True):
        record = verdict.result
        if agrees and not verbose and schema_name(record) in {"result", "trend"}:
            continue
        by = f" by {in_words(record.signature)}" if several else ""
        say(console, plain_line(f"{_record_label(record)}{by}: {verdict.status}"), hang=4)
        for detail in verdict.details:
            say(console, plain_line(f"  {detail}"), hang=4)


def _print_found(found: Sequence[Found], results: Results, verdicts: Sequence[Verdict]) -> None:
    """Print what is missing and other versions, then what was compared and what is complete."""
    console = new_console()
    versions = {verdict.version for verdict in verdicts} - {__version__}
    alone = sum(result.provenance.run is None for result in results)
    text = f"{number_of(alone, 'result')} without a run: whether others are missing is unknown"
    for line in (
        *(line for _, line, whole in found if not whole),
        *(f"made by eatlas {version}, verified by {__version__}" for version in sorted(versions)),
    ):
        say(console, plain_line(line), "bold", hang=2)
    for line in (
        *_account(verdicts),
        *(line for _, line, whole in found if whole),
        *([text] if alone else ()),
    ):
        say(console, plain_line(line), "dim", hang=2)


def _record_label(record: Any) -> str:
    """What a record is about: test and source, and what distinguishes it from the others."""
    if is_result(record):
        size = record.contexts and record.contexts.size
        parts = [str(part) for part in (record.source, record.period, size) if part]
        return f"{record.test} on {', '.join(parts)}"
    name = schema_name(record)
    return f"{f'trend of {record.test}' if name == 'trend' else name} on {record.source}"


def _counts(same: Iterable[bool], records: Mapping[str, Sequence[object]]) -> list[str]:
    """How many of each kind of records are the same, in their order."""
    agreeing = iter(same)
    return [
        f"{sum(islice(agreeing, len(of)))} of {len(of)} {kind}"
        for kind, of in records.items()
        if of
    ]


def _split_name(text: str, names: set[str]) -> tuple[str, str]:
    """A name in the results and what is opened in its place; both may contain an equals sign."""
    fitting = [name for name in names if text.startswith(f"{name}=")]
    if len(fitting) == 1:
        return fitting[0], text.removeprefix(f"{fitting[0]}=")
    raise SourceError(
        "--vectors: this name does not match exactly one source of the results",
        got=text,
        allowed=", ".join(f"{name}=PATH" for name in sorted(fitting or names)),
    )


def _account(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What was computed, what was compared, and what only the file states."""
    verdicts = [verdict for verdict in verdicts if verdict.status in {"same", "differs"}]
    if not verdicts:
        return
    compared = ["every number, count, label and hash in the file"]
    trusted = ["which terms, measure, seed and source were chosen"]
    for against, texts, how in (
        ("built in", compared, " with the built-in tests"),
        ("given", compared, " with the tests that were given"),
        ("hash", trusted, ", which fit their hash (--tests FILE compares them)"),
    ):
        tests = dict.fromkeys(str(v.result.test) for v in verdicts if v.against == against)
        if tests:
            names = listing(tests, SHOWN)
            texts.append(f"names of groups, title and citation of {names}{how}")
    given = {getattr(verdict.result, "computed_from", VECTORS) for verdict in verdicts}
    read = ", ".join(sorted(given, key=lambda what: (what != VECTORS, what)))
    yield (
        f"computed again: {read}, associations, effect sizes, p-values, intervals, patterns, "
        "warnings"
    )
    yield f"compared: {'; '.join(compared)}"
    yield f"taken from the file: {'; '.join(trusted)}"
