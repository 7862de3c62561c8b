"""Results files: JSON Lines, which record belongs to which measure, and files of other runs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from pydantic import ValidationError

from eatlas.decoding import json_value, require_file
from eatlas.errors import EatlasError, ResultsError, described
from eatlas.paths import is_there
from eatlas.plugins import loaded, usable
from eatlas.results.base import SCHEMA, AssociationResult
from eatlas.results.parts import Record
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    from eatlas.results.trend import TrendResult

BUILT_IN = {
    "embedding_tests": (
        "MLEATResult", "WEATResult", "SCEATResult", "CEATResult", "LPBSResult", "LPBSCEATResult",
        "ZeroShotResult",
    ),
    "targets": ("TargetValuesResult", "DivDistResult"),
}  # fmt: skip
"""Records of the measures of eatlas by module; they are imported when a file is read."""
TREND: Literal["eatlas/trend/1"] = "eatlas/trend/1"
"""The schema of trends, which a results file holds after the results that they rest on."""
ENTRY_POINTS = "eatlas.records"


def _built_in() -> list[type[AssociationResult]]:
    homes = ((import_module(f"eatlas.results.{home}"), names) for home, names in BUILT_IN.items())
    return [getattr(home, name) for home, names in homes for name in names]


@cache
def record_types() -> dict[str, type[AssociationResult]]:
    """Record types by measure name; other packages add theirs as entry points."""
    built_in = {
        name: record
        for record in _built_in()
        for name in get_args(record.model_fields["measure"].annotation)
    }
    return built_in | usable(ENTRY_POINTS, built_in, partial(loaded, kind=AssociationResult))


def record_from_dict(values: dict[str, Any]) -> AssociationResult:
    """Rebuild a record from what :meth:`Record.to_dict` gave."""
    if values.get("schema") != SCHEMA:
        raise ResultsError(
            "the schema of a result is unknown",
            got=described(values.get("schema")),
            allowed=SCHEMA,
            remedy="read it with the version of eatlas that wrote it",
        )
    measure = values.get("measure")
    if not isinstance(measure, str) or measure not in record_types():
        raise ResultsError(
            "the measure of a result is unknown",
            got=described(measure),
            allowed=", ".join(record_types()),
        )
    return record_types()[measure].from_dict(values)


def _trend(values: dict[str, Any]) -> TrendResult:
    from eatlas.results.trend import TrendResult  # noqa: PLC0415  (few files hold one)

    return TrendResult.from_dict(values)


def json_schema() -> dict[str, Any]:
    """The JSON Schema that every built-in result satisfies, draft 2020-12."""
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415  (only tools need it)

    from eatlas.results.trend import TrendResult  # noqa: PLC0415

    records: tuple[type[Record], ...] = (*_built_in(), TrendResult)
    refs, definitions = models_json_schema(
        [(record, "serialization") for record in records], title="eatlas result, version 1"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions,
        "oneOf": [refs[record, "serialization"] for record in records],
    }


USUAL_NAME = "results.jsonl"
"""What eatlas run calls the file of its results."""
FEW = 3
"""Bad lines of a file without a good one that are named one by one; with more, it is another
file."""
LONGEST = 1000
"""Characters of what is said of one bad line."""


def to_json_line(result: AssociationResult | TrendResult) -> str:
    """One result as one line of JSON, without the newline."""
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)


def write_results(results: Iterable[AssociationResult | TrendResult], path: Path) -> None:
    """Write results as JSON Lines; the file appears only when it is whole."""
    with atomic_file(path) as file:
        file.writelines(to_json_line(result) + "\n" for result in results)


R = TypeVar("R", bound=Record)


def record_of_file(path: Path, kind: type[R], what: str, remedy: str) -> R:
    """Read a record from a JSON file of its own."""
    require_file(path, ResultsError)
    try:
        return kind.from_dict(json_value(path.read_bytes()))
    except ValidationError as error:
        fault = error.errors()[0]
        got = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    except (OSError, ValueError, RecursionError) as error:
        got = getattr(error, "strerror", None) or str(error).splitlines()[0]
    raise ResultsError(f"{path}: {what} cannot be read", got=got, remedy=remedy)


def read_lines(
    path: Path,
) -> tuple[list[AssociationResult | TrendResult], list[ResultsError]]:
    """Read a results file, keeping every good line and naming every bad one."""
    good: list[AssociationResult | TrendResult] = []
    bad: list[ResultsError] = []
    for _, record in each_line(path):
        if isinstance(record, ResultsError):
            bad.append(record)
        else:
            good.append(record)
    if not good and len(bad) > FEW:
        bad = [no_results(path, len(bad), bad[0])]
    return good, bad


def no_results(path: Path, lines: int, first: ResultsError) -> ResultsError:
    """What is wrong with a file of other things than results."""
    return ResultsError(
        f"{path}: none of its {lines} lines is a result",
        got=f"line 1: {first.got}",
        allowed="a file that eatlas run or Results.write wrote",
    )


def each_line(
    path: Path,
) -> Iterator[tuple[bytes, AssociationResult | TrendResult | ResultsError]]:
    """Each line of a results file with its record, or with what is wrong with it, one by one.

    Empty lines are left out. One line at a time is in memory.
    """
    require_file(path, ResultsError)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield line, _record(path, number, line)
    except OSError as error:
        inside = path / USUAL_NAME
        raise ResultsError(
            f"{path}: the results file cannot be read",
            got=error.strerror or str(error),
            remedy=f"name the file in it: {inside}" if is_there(inside) else None,
        ) from error
    except ValueError as error:  # a null character in the name
        raise ResultsError(f"{path}: the results file cannot be read", got=str(error)) from error


def _record(path: Path, number: int, line: bytes) -> AssociationResult | TrendResult | ResultsError:
    """The record of one line, or what is wrong with the line."""
    try:
        values = _parse(line)
        return _trend(values) if values.get("schema") == TREND else record_from_dict(values)
    except Exception as error:  # noqa: BLE001  (a file may come from anybody)
        return _bad_line(path, number, error, cut=not line.endswith(b"\n"))


def _parse(line: bytes) -> dict[str, object]:
    """Read one line; nothing may occur twice, and all text must be text."""
    values = json_value(line, object_pairs_hook=_once)
    if not isinstance(values, dict):
        raise ValueError(f"a JSON object was expected, not {type(values).__name__}")
    return values


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys occur once: readers differ in which of two they take."""
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice[:60]!r} occurs twice")
    return values


def _bad_line(path: Path, number: int, error: Exception, *, cut: bool) -> ResultsError:
    """The error for a line that is no result, with its number and the first fault."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        fault = f"{key}: " * bool(key) + first["msg"].removeprefix("Value error, ")
    elif isinstance(error, EatlasError):
        fault = "; ".join(str(error).splitlines())
    elif isinstance(error, json.JSONDecodeError):
        fault = f"no JSON: {error.msg}, at character {error.pos + 1}"
    elif isinstance(error, UnicodeDecodeError):
        fault = f"byte 0x{error.object[error.start]:02x}, which is not UTF-8"
    elif isinstance(error, ValueError):
        fault = str(error)
    else:
        fault = f"{type(error).__name__}: {error}"
    fault = fault if len(fault) <= LONGEST else f"{fault[: LONGEST - 3]}..."
    what = "the file ends in the middle of this result" if cut else "this line is not a result"
    return ResultsError(
        f"{path}, line {number}: {what}",
        got=fault,
        remedy="run the tests again to get the missing results" if cut else None,
    )


def keep_others(lines: Mapping[Path, Iterable[bytes]], *beside: Path) -> tuple[Path, ...]:
    """Give the files of another run names of their own, before new ones take their place.

    Whoever runs the same again loses nothing: each line of an old file is in the new one.
    Otherwise ``results.jsonl`` is kept as ``results-1.jsonl``, or with the next number that is
    free, and the other files with the same number.
    """
    try:
        compared = [path for path in lines if path.exists()]
        others = [path for path in beside if path.exists()]
        alone = others if len(compared) < len(lines) else ()
        if not alone and not any(_loses(path, lines[path]) for path in compared):
            return ()
        files = [*compared, *others]
        number = next(n for n in count(1) if all(_free(path, _named(path, n)) for path in files))
        names = tuple(_named(path, number) for path in files)
        for path, new in zip(files, names, strict=True):
            if not new.exists():
                _copy(path, new)
    except OSError as error:
        raise ResultsError(
            f"{next(iter(lines))}: results of another run are here, and cannot be kept",
            got=error.strerror or str(error),
            remedy="choose another directory with --out",
        ) from error
    return names


def _loses(path: Path, lines: Iterable[bytes]) -> bool:
    """Whether a line would be lost that is not written again."""
    new = {sha256(line.rstrip(b"\r\n")).digest() for line in lines}
    with path.open("rb") as file:
        return any(sha256(line.rstrip(b"\r\n")).digest() not in new for line in file)


def _named(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _free(path: Path, name: Path) -> bool:
    """Whether a name is free, or that of this very file, as a run that was killed leaves it."""
    return not name.exists() or name.samefile(path)


def _copy(path: Path, name: Path) -> None:
    """A second name for a file, or a copy where the disk has no such names; never half of one."""
    with suppress(OSError):
        os.link(path, name)
        return
    unfinished = name.with_name(f".{path.name}.{name.name}")
    try:
        shutil.copy2(path, unfinished)
        unfinished.replace(name)
    finally:
        unfinished.unlink(missing_ok=True)
