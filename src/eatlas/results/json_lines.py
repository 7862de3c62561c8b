"""Results files: JSON Lines, which record belongs to which measure, and files of other runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal, TypeVar, get_args

from pydantic import ValidationError

from eatlas.decoding import json_value, require_file
from eatlas.errors import EatlasError, ResultsError, described
from eatlas.paths import is_there
from eatlas.plugins import absent, load_class, usable
from eatlas.results.base import FINDING, SCHEMA, AssociationResult, part_types
from eatlas.results.finding import Finding
from eatlas.results.parts import Record
from eatlas.results.trend import TrendResult
from eatlas.version import __version__
from eatlas.writing import atomic_file

TREND: Literal["eatlas/trend/1"] = "eatlas/trend/1"
"""The schema of trends, which a results file holds after the results that they rest on."""
ENTRY_POINTS = "eatlas.records"
_SCHEMA = re.compile(rb'"eatlas/([a-z-]+)/')
_RUN = re.compile(rb', "run": \{[^}]*\}')
USUAL_NAME = "results.jsonl"
"""What eatlas run calls the file of its results."""
FEW = 3
"""Bad lines of a file without a good one that are named one by one; with more, it is another
file."""
FUNCTION = "function"
"""Key that only results of functions have, whose measure has any name."""
WRONG = {
    "extra_forbidden": "this result has a key that is unknown",
    "missing": "this result lacks a key",
}
"""What is wrong with a result, by the kind of error that pydantic finds."""
LONGEST = 1000
"""Most characters of a message about one bad line."""
R = TypeVar("R", bound=Record)


@cache
def _built_in() -> dict[str, type[AssociationResult]]:
    """Records of the measures of the core, which are imported when a file is read."""
    from eatlas.results import embedding_tests, targets  # noqa: PLC0415

    records = [record for module in (embedding_tests, targets) for record in vars(module).values()]
    return {FUNCTION: embedding_tests.FunctionResult} | {
        name: record
        for record in records
        if isinstance(record, type) and issubclass(record, AssociationResult)
        for name in get_args(record.model_fields["measure"].annotation)
    }


@cache
def record_types() -> dict[str, type[AssociationResult]]:
    """Record types by measure name; other packages add theirs as entry points."""
    built_in = _built_in()
    return built_in | usable(ENTRY_POINTS, built_in, partial(load_class, kind=AssociationResult))


def record_type(measure: object) -> type[AssociationResult]:
    """The record type of a measure; other packages are looked at if the core has none."""
    if isinstance(measure, str):
        if found := _built_in().get(measure) or record_types().get(measure):
            return found
        if error := absent("records", measure):
            raise error
    raise ResultsError(
        "the measure of a result is unknown",
        got=described(measure),
        allowed=", ".join(record_types()),
    )


def _type_of(values: dict[str, Any]) -> type[AssociationResult]:
    """The record type of a result, by its measure; a function has any name."""
    measure = values.get("measure")
    is_function = FUNCTION in values and measure not in record_types()
    return record_type(FUNCTION if is_function else measure)


def record_from_dict(values: dict[str, Any]) -> AssociationResult:
    """Rebuild a record from what :meth:`Record.to_dict` gave."""
    if values.get("schema") != SCHEMA:
        raise ResultsError(
            "the schema of a result is unknown",
            got=described(values["schema"]) if "schema" in values else "none",
            allowed=SCHEMA,
            remedy="read it with the version of eatlas that wrote it",
        )
    record = _type_of(values).from_dict(values)
    require_finding(record, values.get(FINDING))
    return record


def require_finding(record: AssociationResult, stated: Any) -> None:
    """Refuse a finding that does not follow from the numbers of a result of this version."""
    if stated is None or record.provenance.version != __version__:
        return
    if stated != record.finding.to_dict():
        raise ResultsError(
            "the finding does not follow from the numbers of the result",
            got=_contradiction(stated, record.finding.to_dict()),
            remedy="run the test again, or remove the finding from the file",
        )


def _contradiction(stated: Any, derived: Any, where: str = "finding") -> str:
    """The first part of a finding that differs from what the numbers of its result give."""
    if isinstance(stated, dict) and isinstance(derived, dict):
        for key in sorted(derived, key="sentence".__eq__):  # sentences follow from numbers
            if stated.get(key) != derived[key]:
                return _contradiction(stated.get(key), derived[key], f"{where}.{key}")
    in_file, right = (shorten(str(value), 60, placeholder=" ...") for value in (stated, derived))
    return f"{where} is {in_file}; the numbers of the result give {right}"


def json_schema() -> dict[str, Any]:
    """The JSON Schema that results of all measures satisfy, draft 2020-12."""
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415  (only tools need it)

    of_results = [*dict.fromkeys(record_types().values())]
    records: list[type[Record]] = [*of_results, TrendResult]
    added = part_types()
    every: list[type[Record]] = [*records, Finding, *added.values()]
    refs, definitions = models_json_schema(
        [(record, "serialization") for record in every],
        title="eatlas result, version 1",
    )
    for record in of_results:
        name = refs[record, "serialization"]["$ref"].rpartition("/")[2]
        own = {key: refs[part, "serialization"] for key, part in added.items()}
        own[FINDING] = refs[Finding, "serialization"]
        definitions["$defs"][name]["properties"] |= own
        definitions["$defs"][name]["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions,
        "oneOf": [refs[record, "serialization"] for record in records],
    }


def to_json_line(record: Record) -> str:
    """One record as one line of JSON, without the newline."""
    return json.dumps(record.to_dict(), ensure_ascii=False, allow_nan=False)


def record_of_file(path: Path, kind: type[R], what: str, remedy: str) -> R:
    """Read a record from a JSON file of its own."""
    require_file(path, ResultsError)
    try:
        return kind.from_dict(json_value(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(
            f"{path}: {what} cannot be read", got=_fault(error), remedy=remedy
        ) from error


def has_schema(path: Path, *names: str) -> bool:
    """Whether a file says in its first characters that it is of a schema, such as ``card``."""
    return schema_of_file(path) in names


def schema_of(path: Path) -> str:
    """The schema of a file, such as ``card``, or of the JSON beside a table; empty if it has none.

    FILE.json describes the table FILE.
    """
    return schema_of_file(path) or schema_of_file(path.with_name(f"{path.name}.json"))


def schema_of_file(path: Path) -> str:
    """The name of the schema in the first characters of a file; empty if there is none."""
    require_file(path, ResultsError)
    try:
        with path.open("rb") as file:
            found = _SCHEMA.search(file.read(200))
    except OSError:
        return ""
    return "" if found is None else found[1].decode()


def schema_name(record: object) -> str:
    """The name in the schema of a record: ``themes`` of ``eatlas/themes/1``; empty without one."""
    _, _, name = str(getattr(record, "schema_version", "")).partition("/")
    return name.partition("/")[0]


def read_lines(
    path: Path,
) -> tuple[list[AssociationResult | TrendResult], list[ResultsError]]:
    """Read a results file, keeping every good line and naming every bad one."""
    good: list[AssociationResult | TrendResult] = []
    bad: list[ResultsError] = []
    for _, record in iter_lines(path):
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
        allowed="a results file, which eatlas run or Results.write creates",
    )


def iter_lines(
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
                    yield line, record_of_line(f"{path}, line {number}", line)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        inside = path / USUAL_NAME
        raise ResultsError(
            f"{path}: the results file cannot be read",
            got=_fault(error),
            remedy=f"give the file in it: {inside}" if is_there(inside) else "check the path",
        ) from error


def record_of_line(where: str, line: bytes) -> AssociationResult | TrendResult | ResultsError:
    """The record of one line, or what is wrong with the line."""
    try:
        values = json_value(line, object_pairs_hook=_once)
        if not isinstance(values, dict):
            raise ValueError(f"a JSON object was expected, not {type(values).__name__}")
        if values.get("schema") == TREND:
            return TrendResult.from_dict(values)
        return record_from_dict(values)
    except Exception as error:  # noqa: BLE001  (a file may come from anybody)
        return _bad_line(where, line, error)


def _bad_line(where: str, line: bytes, error: Exception) -> ResultsError:
    """What is wrong with a line: its end, a key, a value, or all of it."""
    if isinstance(error, EatlasError):
        what, got, allowed = f"{where}: {error.what}", error.got, error.allowed
        return ResultsError(what, got=got, allowed=allowed, remedy=error.remedy)
    what, remedy = "this line is not a result", None
    if isinstance(error, ValidationError):
        what = WRONG.get(error.errors()[0]["type"], "a value of this result is not possible")
        remedy = "the line was changed, or another version of eatlas wrote it: run the test again"
    elif _is_cut(line, error):
        of = "line" if line.endswith(b"\n") else "file"
        what = f"the {of} ends in the middle of this result"
        remedy = "run the tests again to get the missing results"
    return ResultsError(f"{where}: {what}", got=_fault(error), remedy=remedy)


def _is_cut(line: bytes, error: Exception) -> bool:
    """Whether a line that is not JSON ends before its object does."""
    if isinstance(error, UnicodeDecodeError):
        return error.end >= len(line.rstrip())
    begun = line.lstrip().startswith(b"{")
    return begun and isinstance(error, json.JSONDecodeError) and "}" not in error.doc[error.pos :]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys occur once: readers differ in which of two they take."""
    values = dict(pairs)
    if len(values) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {key[:60]!r} occurs twice")
    return values


def _fault(error: Exception) -> str:
    """What is wrong with a file or a line, on one line that is not too long."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        places = [".".join(map(str, first["loc"]))] if first["loc"] else []
        fault = ": ".join([*places, first["msg"].removeprefix("Value error, ")])
    elif isinstance(error, UnicodeDecodeError):
        fault = f"byte {error.start + 1} is not UTF-8 text"
    elif isinstance(error, OSError):
        fault = error.strerror or str(error)
    else:
        kind = "" if isinstance(error, EatlasError | ValueError) else f"{type(error).__name__}: "
        kind = "not JSON: " if isinstance(error, json.JSONDecodeError) else kind
        fault = kind + "; ".join(map(str.strip, str(error).splitlines()))
    return fault if len(fault) <= LONGEST else f"{fault[: LONGEST - 3]}..."


def keep_others(lines: Mapping[Path, Iterable[bytes]], *beside: Path) -> tuple[Path, ...]:
    """Give the files of another run names of their own, before new ones take their place.

    Repeating a run loses nothing: each line of an old file is in the new one.
    Otherwise ``results.jsonl`` becomes ``results-1.jsonl``, or gets the next number that is free,
    and the other files the same number.
    """
    files = [path for path in (*lines, *beside) if path.exists()]
    if all(path.exists() and not _loses(path, new) for path, new in lines.items()):
        return ()
    for number in count(1):
        names = [path.with_name(f"{path.stem}-{number}{path.suffix}") for path in files]
        if not any(name.exists() for name in names):
            break
    try:
        return tuple(path.rename(name) for path, name in zip(files, names, strict=True))
    except OSError as error:
        raise ResultsError(
            f"{next(iter(lines))}: here are results of a different run, which cannot be moved",
            got=_fault(error),
            remedy="choose another folder with --out",
        ) from error


def write_lines(path: Path, lines: Sequence[bytes]) -> tuple[Path, ...]:
    """Write lines; a file of others that was there gets another name, which is returned."""
    earlier = keep_others({path: lines})
    with atomic_file(path, binary=True) as file:
        file.writelines(lines)
    return earlier


def _loses(path: Path, lines: Iterable[bytes]) -> bool:
    """Whether a line would be lost that is not written again, in whichever run."""
    new = set(map(result_hash, lines))
    with path.open("rb") as file:
        return any(result_hash(line) not in new for line in file)


def result_hash(line: bytes) -> bytes:
    """Hash of the line of a result, in whichever run."""
    return sha256(_RUN.sub(b"", line.rstrip(b"\r\n"))).digest()
