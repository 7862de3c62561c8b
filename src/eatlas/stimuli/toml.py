"""TOML text to a battery, with every fault named by file, test and key."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import Any

from pydantic import ValidationError

from eatlas.errors import StimulusError
from eatlas.stimuli.model import AssociationTest, Battery

SCHEMA = 1
_TOP_KEYS = {"schema", "battery", "test"}
_BATTERY_KEYS = {"id", "title", "citation", "notes"}
_EXAMPLE = 'X = { name = "Flowers", terms = ["aster", "clover"] }'
# pydantic's error types that we say in our own words: (what follows the key, allowed)
_SAID = {
    "missing": ("is missing", None),
    "extra_forbidden": ("is not a key that eatlas knows", None),
    "too_short": ("is empty", "one term at least"),
    "string_too_short": ("is an empty string", "a word"),
    "string_type": ("is not text", "a quoted string"),
    "tuple_type": ("is not a list", '["one", "two"]'),
    "model_type": ("is not a table", _EXAMPLE),
    "string_pattern_mismatch": ("is not usable as an id", "no spaces, commas or any of ;#?="),
}


def parse_battery(data: bytes, where: str, name: str) -> Battery:
    """Parse a test file.

    Parameters
    ----------
    data : bytes
        The file's content, UTF-8.
    where : str
        The file's name, for messages.
    name : str
        Id of the battery where the file gives none.

    Raises
    ------
    StimulusError
        Naming every fault of the file.
    """
    document = _parse_toml(data, where)
    _check_top(document, where)
    head = document.get("battery", {})
    faults, tests = [], []
    for number, raw in enumerate(document["test"], start=1):
        try:
            tests.append(AssociationTest.model_validate(raw))
        except ValidationError as error:
            label = raw.get("id", f"number {number}") if isinstance(raw, dict) else str(number)
            faults += [f"test {label}, {_say(dict(detail))}" for detail in error.errors()]
    faults += [
        f"test {test}, key id: used by {count} tests; ids must differ"
        for test, count in Counter(test.id for test in tests).items()
        if count > 1
    ]
    if faults:
        raise StimulusError(
            "\n".join(f"{where}: {fault}" for fault in faults),
            remedy=f"mend the file and run: eatlas tests check {where}",
        )
    return Battery(**{"id": name, **head}, tests=tuple(tests))


def _parse_toml(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise StimulusError(
            f"{where}, line {line}: the file is not UTF-8",
            got=f"byte 0x{data[error.start]:02x}",
            remedy="save it as UTF-8",
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise StimulusError(f"{where}: this is not TOML", got=str(error)) from error


def _check_top(document: dict[str, Any], where: str) -> None:
    if document.get("schema") != SCHEMA:
        raise StimulusError(
            f"{where}, key schema: "
            + ("is missing" if "schema" not in document else "this version is unknown"),
            got=repr(document["schema"]) if "schema" in document else None,
            allowed=f"schema = {SCHEMA}",
        )
    battery = document.get("battery", {})
    if not isinstance(battery, dict):
        raise StimulusError(f"{where}, key battery: is not a table", allowed="[battery]")
    unknown = sorted(set(document) - _TOP_KEYS) + sorted(
        f"battery.{key}" for key in set(battery) - _BATTERY_KEYS
    )
    if unknown:
        raise StimulusError(
            f"{where}, key {unknown[0]}: is not a key that eatlas knows",
            allowed=", ".join([*sorted(_TOP_KEYS), *(f"battery.{k}" for k in _BATTERY_KEYS)]),
        )
    tests = document.get("test")
    if not isinstance(tests, list) or not tests:
        raise StimulusError(f"{where}, key test: there is no test", allowed="[[test]] tables")


def _say(detail: dict[str, Any]) -> str:
    """One fault that pydantic found, in words."""
    key = ".".join(str(part) for part in detail["loc"]) or "terms"
    if detail["type"] == "value_error":
        return f"key {key}: {detail['ctx']['error']}"
    said, allowed = _SAID.get(detail["type"], (detail["msg"], None))
    hint = f" (allowed: {allowed})" if allowed else ""
    return f"key {key}: {said}{hint}"
