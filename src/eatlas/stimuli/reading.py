"""Files of tests, TOML, are read: every fault is named by file, test and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError, create_model

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.stimuli.keys import AddedKey, plugin_keys
from eatlas.stimuli.kinds import KINDS, AssociationTest, Battery
from eatlas.stimuli.records import Frozen, Place, fault_at, faults_of

SCHEMA = 1
_MOST_FAULTS = 100
_HINTS = {
    "twice": "each test begins with [[test]], in double brackets",
    "Unclosed array": "terms have commas between them, and a ] behind the last",
    "at end of document": "a quotation mark or a bracket is opened and never closed",
    "Expected newline": "put a word that contains ' in double quotation marks",
    "nclosed inline table": "a table in braces is on one line, but for the list of its terms",
    "Invalid value": 'words have straight quotation marks, as in "rose", lists square brackets',
}
"""What to do about a message of the TOML parser that holds one of these."""

Record = TypeVar("Record", bound=Frozen)


def parse_battery(data: bytes, where: str, name: str, folder: Path | None = None) -> Battery:
    """Parse a test file; paths in it start from `folder`, if it is a user's."""
    document = read_toml(data, where, StimulusError, hint)
    if not document:
        raise StimulusError(
            f"{where}: the file is empty"
            if not data.strip()
            else f"{where}: the file has no tests",
            got=None if not data.strip() else "comments alone",
            allowed="schema = 1, then [[test]] tables in double brackets",
            remedy="eatlas tests show weat-6 prints a test to save and change",
        )
    top = require_schema(document, where)
    head, tests = top.pop("battery", {}), top.pop("test", [])
    keys = plugin_keys() if top else {}
    added = {name: top.pop(key.item) for name, key in keys.items() if key.item in top}
    lists = all(isinstance(each, list) for each in (tests, *added.values()))
    if top or not isinstance(head, dict) or not lists:
        items = [key.item for key in plugin_keys().values()]
        names = ", ".join(f"[{name}]" for name in ("test", *items))
        raise StimulusError(
            f"{where}: not a file of tests",
            got=listing(top) or f"{names} or [battery] of another form",
            allowed="schema = 1, then [battery], then [[test]] tables in double brackets"
            + "".join(f", and [[{item}]] tables" for item in items),
        )
    content = {"id": name, **head, "tests": tests}
    context = {"folder": folder, "sets": folder is not None}
    battery = parse_record(Battery, content, where, context)
    for key, tables in added.items():
        battery = _with_texts(battery, key, tables, where)
    return battery


class _Text(Frozen):
    """A table ``[[ITEM]]`` of a file, whose `text` is of the type of its key."""

    text: Any
    tests: tuple[str, ...] = Field(default=(), min_length=1)
    """Ids of the tests that it is of; all association tests of the file where none is named."""


def _texts(key: AddedKey, tables: list[Any], where: str) -> tuple[_Text, ...]:
    """All tables of an added key."""
    each = create_model("Text", __base__=_Text, text=(key.text, ...))
    every = create_model("Texts", __base__=Frozen, **{key.item: (tuple[each, ...], ...)})  # type: ignore[call-overload]
    texts: tuple[_Text, ...] = getattr(parse_record(every, {key.item: tables}, where), key.item)
    return texts


def _with_texts(battery: Battery, name: str, tables: list[Any], where: str) -> Battery:
    """Give texts of an added key to the tests that they are of, behind those of a test itself."""
    key = plugin_keys()[name]
    texts = _texts(key, tables, where)
    tests = {test.id: test for test in battery.tests}
    takers = [test.id for test in battery.tests if isinstance(test, AssociationTest)]
    added: dict[str, list[str]] = {}
    for number, text in enumerate(texts, 1):
        for id_ in text.tests or takers:
            if id_ not in takers:
                groups = f"{id_} is of the kind {tests[id_].kind}" if id_ in tests else None
                raise StimulusError(
                    f"{where}, {key.item} {number}: there is no association test {id_!r}"
                    f"{did_you_mean(id_, takers)}",
                    got=groups,
                    allowed=listing(takers) or f"{name} of association tests",
                )
            added.setdefault(id_, []).append(text.text)
    if texts and not added:
        raise StimulusError(
            f"{where}: there are {name}, but no association test that could use them",
            allowed=f"[[test]] tables with X, Y, A and B in addition to [[{key.item}]] tables",
        )
    for id_, own in added.items():
        every = [*getattr(tests[id_], name, ()), *own]
        if fault := key.fault_of(every):
            raise StimulusError(f"{where}, the {name} of test {id_}: {fault}", allowed=key.allowed)
        tests[id_] = tests[id_].model_copy(update={name: every})
    return battery.model_copy(update={"tests": (*tests.values(),)})


def file_bytes(path: Path) -> bytes:
    """Content of a user's TOML file."""
    try:
        return toml_bytes(path, StimulusError)
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error


def require_schema(document: dict[str, Any], where: str) -> dict[str, Any]:
    """Refuse another version of a file; return what else is in it."""
    schema = document.get("schema")
    if schema != SCHEMA or isinstance(schema, bool):
        raise StimulusError(
            f"{where}, key schema: unknown version",
            got="none" if schema is None else repr(schema),
            allowed=f"schema = {SCHEMA}",
        )
    return {key: value for key, value in document.items() if key != "schema"}


def toml_record(kind: type[Record], data: bytes, where: str) -> Record:
    """Make a record of a TOML file; `where` is its name, for messages."""
    return parse_record(kind, require_schema(read_toml(data, where, StimulusError), where), where)


def parse_record(
    kind: type[Record], content: dict[str, Any], where: str, context: dict[str, Any] | None = None
) -> Record:
    """Make a record of what a file says, or name every fault with its file and key."""
    try:
        return kind.model_validate(content, context=context)
    except ValidationError as error:
        keys = [key for record in (kind, *KINDS.values()) for key in record.model_fields]
        keys += plugin_keys()
        faults = [f"{where}: {_said(*fault, content)}" for fault in faults_of(error, keys)]
        more = len(faults) - _MOST_FAULTS
        rest = [f"{where}: and {more:,} more faults"] if more > 0 else []
        raise StimulusError(
            "\n".join([*faults[:_MOST_FAULTS], *rest]), remedy=f"correct the file {where}"
        ) from error


def _said(place: Place, fault: str, content: dict[str, Any]) -> str:
    """Say a fault; one of a test with the id of the test."""
    if place[:1] != ("tests",) or len(place) < 2:
        return f"key {fault_at(place, fault)}" if place else fault
    number, within = place[1], place[3:]
    test = content["tests"][number]
    label = (isinstance(test, dict) and test.get("id")) or f"number {int(number) + 1}"
    return f"test {label}{', key ' + fault_at(within, fault) if within else ': ' + fault}"


def hint(text: str, message: str) -> str | None:
    """Guess what to do about a message of the TOML parser."""
    if text.lstrip().startswith("{"):
        return "this looks like JSON; eatlas tests import reads the JSON of other tools"
    if "\r" in text.replace("\r\n", ""):
        return "save the file with the line ends of Unix (LF) or Windows (CRLF)"
    return next((remedy for part, remedy in _HINTS.items() if part in message), None)
