"""TOML text to a battery, with every fault named by file, test and key."""

from __future__ import annotations

import difflib
import tomllib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from eatlas.errors import StimulusError
from eatlas.stimuli.battery import KINDS, Battery, Test
from eatlas.stimuli.model import Concept

SCHEMA = 1
DEFAULT_KIND = "association"
_TOP_KEYS = ("schema", "battery", "test")
_BATTERY_KEYS = ("id", "title", "citation", "notes")
_WHOLE = {"association": "terms", "groups": "reference"}
"""Key to name where a fault lies between keys: terms on both sides, weights and groups."""
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
    faults: list[str] = []
    tests: list[Test] = []
    for number, raw in enumerate(document["test"], start=1):
        test, found = check_test(raw)
        label = raw.get("id", f"number {number}") if isinstance(raw, dict) else str(number)
        faults += [f"test {label}, {fault}" for fault in found]
        tests += [test] if test else []
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
    return _make_battery({"id": name, **document.get("battery", {})}, tests, where)


def check_test(raw: Any) -> tuple[Test | None, list[str]]:
    """Make a test of either kind of a table, or say what is wrong with it."""
    if not isinstance(raw, dict):
        return None, [f"is not a table (allowed: {_EXAMPLE} and so on)"]
    kind = raw.get("kind", DEFAULT_KIND)
    if not isinstance(kind, str) or kind not in KINDS:
        hint = did_you_mean(str(kind), KINDS)
        return None, [f"key kind: there is no kind {kind!r}{hint} (allowed: {', '.join(KINDS)})"]
    try:
        return KINDS[kind].model_validate(raw), []
    except ValidationError as error:
        known = list(KINDS[kind].model_fields)
        return None, [_say(dict(detail), known, whole=_WHOLE[kind]) for detail in error.errors()]


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


def _make_battery(head: dict[str, Any], tests: list[Test], where: str) -> Battery:
    try:
        return Battery(**head, tests=tuple(tests))
    except ValidationError as error:
        faults = [_say(dict(detail), list(_BATTERY_KEYS), "battery.") for detail in error.errors()]
        raise StimulusError("\n".join(f"{where}: {fault}" for fault in faults)) from error


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
    for table, prefix, known in ((document, "", _TOP_KEYS), (battery, "battery.", _BATTERY_KEYS)):
        unknown = sorted(set(table) - set(known))
        if unknown:
            raise StimulusError(
                f"{where}, key {prefix}{unknown[0]}: is not a key that eatlas knows"
                + did_you_mean(unknown[0], known),
                allowed=", ".join(prefix + key for key in known),
            )
    tests = document.get("test")
    if not isinstance(tests, list) or not tests:
        raise StimulusError(f"{where}, key test: there is no test", allowed="[[test]] tables")


def _say(detail: dict[str, Any], known: list[str], prefix: str = "", whole: str = "") -> str:
    """One fault that pydantic found, in words; `known` are the keys of the table it looked at."""
    place = detail["loc"]
    key = prefix + (".".join(str(part) for part in place) or whole)
    if detail["type"] == "value_error":
        return f"key {key}: {detail['ctx']['error']}"
    said, allowed = _SAID.get(detail["type"], (detail["msg"], None))
    if detail["type"] == "extra_forbidden":
        said += did_you_mean(str(place[-1]), known if len(place) == 1 else Concept.model_fields)
    hint = f" (allowed: {allowed})" if allowed else ""
    return f"key {key}: {said}{hint}"


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """The known key that is nearest, as the end of a sentence; empty if none is near."""
    near = difflib.get_close_matches(key, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
