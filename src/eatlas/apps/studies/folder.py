"""The folder of a study: report, results, table of choices, record, analysis, resolved plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from eatlas.apps.studies.study import (
    FILES,
    PLAN,
    RECORD,
    RESULTS,
    TESTS,
    Prepared,
    Study,
    carry_out,
    prepare,
    said,
)
from eatlas.decoding import json_value
from eatlas.engine.plan import Watch
from eatlas.engine.store import open_store
from eatlas.errors import ResultsError, StudyError
from eatlas.executors import Executor, choose, here
from eatlas.results import read_results
from eatlas.results.study import StudyRecord
from eatlas.stimuli import Test, load_tests, to_toml
from eatlas.stimuli.writing import inline
from eatlas.version import __version__
from eatlas.writing import atomic_files

_SHA256 = re.compile(r"^# sha256: ([0-9a-f]{64})$", re.MULTILINE)
Told = Callable[[int], None]


def multiverse(
    plan: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    skip_invalid: bool = False,
    trust: str | Iterable[str] = (),
    workers: int | None = 1,
    executor: Executor | None = None,
) -> Study:
    """Measure every combination of the choices of a plan.

    Parameters
    ----------
    plan : path or dict
        A TOML file, or a dictionary of the same form: ``tests``, ``vectors``, ``measures``,
        ``choices``, ``exclude``, ``family``, ``control`` and ``study``; ``eatlas multiverse
        --example`` prints one with comments. In a dictionary tests, vectors and measures may be
        objects.
    out : path, optional
        Folder for results, table of choices, analysis and resolved plan. A study that was cut off
        there goes on; another plan is refused.
    skip_invalid : bool
        Whether combinations whose choices do not fit each other are left out, and listed, or an
        error.
    trust : str or iterable of str
        Sources that a file of a plan names and that may do more than read data, such as
        ``"py:module:function"``; others of a file are refused. Those of a dictionary are yours.
    workers : int or None
        Number of processes, as in :func:`eatlas.run`.
    executor : Executor, optional
        Who encodes and does the jobs instead, such as :class:`eatlas.OnRay`.

    Returns
    -------
    Study

    Raises
    ------
    EatlasError
        If the plan is not usable, before any work; or if no job could be done.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse(
    ...     {
    ...         "tests": {"career": {"names": "c6-name", "terms": "c6-term"}},
    ...         "vectors": ["glove-sample"],
    ...         "choices": {"transform": ["none", "center"], "ddof": [1, 0]},
    ...     }
    ... )
    >>> frame = study.to_frame()
    >>> frame.groupby("stimuli")["effect_size"].mean().round(2).to_dict()
    {'names': 1.69, 'terms': 0.8}
    """
    prepared = prepare(plan, skip_invalid=skip_invalid, trust=trust)
    chosen = executor or choose(workers, len(prepared.requests))
    if out is None:
        study = carry_out(prepared, chosen)
    else:
        study = carry_out_in(Path(out), prepared, chosen)
    failures = study.results.failures
    if failures and not len(study.results):
        raise failures[0].error
    return study


def carry_out_in(
    directory: Path,
    prepared: Prepared,
    executor: Executor = here,
    *,
    progress: Callable[[int, int], None] | None = None,
    watch: Watch | None = None,
    taken: Told = lambda _: None,
) -> Study:
    """Do a study in a folder: what is done there already is taken over."""
    with open_store(directory) as store:
        require_same_plan(directory, prepared)
        _write_plan(directory, prepared)
        store.done |= _finished(directory)
        if store.done:
            taken(len(store.done))
        study = carry_out(prepared, executor, store=store, progress=progress, watch=watch)
        if len(study.results):
            study.write(directory)
            store.discard([one.job for one in study.record.specifications])
    return study


def require_same_plan(directory: Path, prepared: Prepared) -> None:
    """Refuse a folder that holds the study of another plan, or results of another kind."""
    path = directory / PLAN
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: the plan there cannot be read", got=str(error)) from error
    found = _SHA256.search(text)
    elsewhere = "choose another folder with --out"
    others = [name for name in (*FILES, TESTS) if (directory / name).exists()]
    if found is None and others:
        raise StudyError(
            f"{directory}: this folder holds other files of these names",
            got=", ".join(others),
            remedy=elsewhere,
        )
    if found is not None and found[1] != prepared.sha256:
        raise StudyError(
            f"{directory}: the study of another plan is here",
            got=f"plan {found[1][:12]}, and this one is {prepared.sha256[:12]}",
            remedy=f"{elsewhere}; {path} is the plan that belongs here",
        )


def read_study(directory: str | Path) -> Study:
    """Read the folder of a study.

    Parameters
    ----------
    directory : path

    Raises
    ------
    ResultsError
        If the folder holds no study, or a file of it cannot be read.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> study = eatlas.multiverse({"tests": ["weat-6"]}, out=folder)
    >>> eatlas.read_study(folder).record == study.record
    True
    """
    directory = Path(directory)
    return Study(_record(directory / RECORD), read_results(directory / RESULTS))


def _record(path: Path) -> StudyRecord:
    try:
        values = json_value(path.read_bytes())
        return StudyRecord.from_dict(values)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"{path}: the record of a study cannot be read",
            got=getattr(error, "strerror", None) or str(error).splitlines()[0],
            allowed="a folder that eatlas multiverse wrote",
        ) from error


def _finished(directory: Path) -> dict[str, Any]:
    """Results of a study that came to its end here, by what names their jobs."""
    try:
        study = read_study(directory)
    except ResultsError:
        return {}
    results = list(study.results)
    return {
        one.job: results[one.line - 1]
        for one in study.record.specifications
        if one.line is not None and one.line <= len(results)
    }


def _write_plan(directory: Path, prepared: Prepared) -> None:
    """Write the resolved plan, and the tests that do not come with eatlas."""
    plan = prepared.plan
    own = {
        test.id: test
        for ways in plan.tests.values()
        for test in ways.values()
        if not _built_in(test)
    }
    with atomic_files() as new:
        places = {name: f"{directory / TESTS}#{name}" for name in own}
        new(directory / PLAN).write(resolved(prepared, places))
        if own:
            new(directory / TESTS).write(to_toml(own.values()))


def _built_in(test: Test) -> bool:
    """Whether the id of a test is enough to load it again."""
    try:
        return load_tests(test.id) == (test,)
    except Exception:  # noqa: BLE001  (no such test)
        return False


def resolved(prepared: Prepared, places: Mapping[str, str] | None = None) -> str:
    """Write a plan with every default spelled out, as TOML that can be run again."""
    plan = prepared.plan
    lines = [
        f"# The plan of a study by eatlas {__version__}, with every default spelled out.",
        f"# {len(prepared.requests):,} jobs",
        f"# sha256: {prepared.sha256}",
        "",
        "[study]",
        *(f"{name} = {inline(getattr(plan, name))}" for name in ("title", "question", "notes")),
        f"seed = {plan.seed}",
        f"intervals = {inline(plan.intervals)}",
        "",
        "[tests]",
        *(
            f"{inline(name)} = {inline(_tests(ways, places or {}))}"
            for name, ways in plan.tests.items()
        ),
        "",
        "[vectors]",
        *(f"{inline(name)} = {inline(said(one))}" for name, one in plan.vectors.items()),
        "",
        "[measures]",
        *(f"{inline(name)} = {inline(one.signature)}" for name, one in plan.measures.items()),
        "",
        "[choices]",
        *(f"{inline(one.name)} = {inline(_choice(one))}" for one in plan.choices),
        "",
    ]
    for match in plan.exclude:
        lines += ["[[exclude]]", *(f"{inline(k)} = {inline(v)}" for k, v in match.items()), ""]
    lines += ["[family]", f"over = {inline(plan.over)}", f"alpha = {plan.alpha!r}", ""]
    lines += ["[control]", f"random_models = {plan.random_models}", ""]
    return "\n".join(lines)


def _tests(ways: Mapping[str, Test], places: Mapping[str, str]) -> Any:
    """Where the tests of a construct are: one place, or one for each way."""
    found = {way: places.get(test.id, test.id) for way, test in ways.items()}
    return found[""] if set(found) == {""} else found


def _choice(one: Any) -> dict[str, Any]:
    values = {label: said(value) for label, value in one.alternatives.items()}
    when = {name: list(labels) for name, labels in one.when.items()}
    return {"values": values, "when": when} if when else {"values": values}
