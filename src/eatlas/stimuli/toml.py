"""TOML text to a battery, with every fault named by file, test and key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from eatlas.decoding import read_toml
from eatlas.errors import StimulusError
from eatlas.nearest import did_you_mean
from eatlas.stimuli.battery import KINDS, Battery, Test
from eatlas.stimuli.faults import TABLE, say_all
from eatlas.stimuli.frozen import faults_of
from eatlas.stimuli.toml_hints import hint

SCHEMA = 1
_MOST_FAULTS = 1000
DEFAULT_KIND = "association"
_TOP_KEYS = ("schema", "battery", "test")
_BATTERY_KEYS = ("id", "title", "citation", "notes")
_EXAMPLE = f"{TABLE} and so on"


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
    document = read_toml(data, where, StimulusError, hint)
    faults = list(_of_the_top(document))
    tests: list[Test] = []
    raws = document.get("test")
    for number, raw in enumerate(raws if isinstance(raws, list) else [], start=1):
        if not isinstance(raw, dict):
            faults.append(f"test number {number}: is not a table (allowed: {_EXAMPLE})")
            continue
        test, found = check_test(raw)
        label = raw.get("id") or f"number {number}"
        faults += [f"test {label}, {fault}" for fault in found]
        tests += [test] if test else []
    faults += [
        f"test {test}, key id: used by {count} tests; ids must differ"
        for test, count in Counter(test.id for test in tests).items()
        if count > 1
    ]
    head = document.get("battery", {})
    battery, found = _battery(name, head if isinstance(head, dict) else {}, tests)
    faults += found
    if battery is None or faults:
        more = len(faults) - _MOST_FAULTS
        shown = [f"{where}: {fault}" for fault in faults[:_MOST_FAULTS]]
        raise StimulusError(
            "\n".join([*shown, f"{where}: and {more:,} more faults"] if more > 0 else shown),
            remedy=f"mend the file and run: eatlas tests check {where}",
        )
    return battery


def check_test(raw: dict[str, Any]) -> tuple[Test | None, list[str]]:
    """Make a test of either kind of a table, or say what is wrong with it."""
    kind = raw.get("kind", DEFAULT_KIND)
    if not isinstance(kind, str) or kind not in KINDS:
        hint = did_you_mean(str(kind), KINDS)
        return None, [f"key kind: there is no kind {kind!r}{hint} (allowed: {', '.join(KINDS)})"]
    try:
        return KINDS[kind].model_validate(raw), []
    except ValidationError as error:
        return None, [*faults_of(KINDS[kind], error, raw), *_of_another_kind(raw, kind)]


def _of_another_kind(raw: dict[str, Any], kind: str) -> Iterator[str]:
    """Say so where keys are known, but to tests of another kind."""
    strange = raw.keys() - KINDS[kind].model_fields.keys()
    for other, record in KINDS.items():
        if both := sorted(strange & record.model_fields.keys()):
            yield (
                f"key kind: tests of the kind {other} have {', '.join(both)} "
                f'(allowed: kind = "{other}")'
            )


def _battery(
    name: str, head: dict[str, Any], tests: list[Test]
) -> tuple[Battery | None, list[str]]:
    known = {key: value for key, value in head.items() if key in _BATTERY_KEYS}
    try:
        return Battery.model_validate({"id": name, **known, "tests": tuple(tests)}), []
    except ValidationError as error:
        return None, say_all(error, _BATTERY_KEYS, whole="battery", prefix="battery.")


def _of_the_top(document: dict[str, Any]) -> Iterator[str]:
    """Say what is wrong outside of the tests."""
    if "schema" not in document:
        yield f"key schema: is missing (allowed: schema = {SCHEMA})"
    elif type(document["schema"]) is not int or document["schema"] != SCHEMA:
        yield (
            f"key schema: this version is unknown, {document['schema']!r} "
            f"(allowed: schema = {SCHEMA})"
        )
    battery = document.get("battery", {})
    if not isinstance(battery, dict):
        yield "key battery: is not a table (allowed: [battery])"
        battery = {}
    for table, prefix, known in ((document, "", _TOP_KEYS), (battery, "battery.", _BATTERY_KEYS)):
        for key in sorted(set(table) - set(known)):
            yield (
                f"key {prefix}{key}: is not a key that eatlas knows{did_you_mean(key, known)} "
                f"(allowed: {', '.join(prefix + one for one in known)})"
            )
    tests = document.get("test")
    if isinstance(tests, dict):
        yield "key test: [test] is one table; each test begins with [[test]], in double brackets"
    elif not isinstance(tests, list) or not tests:
        yield "key test: there is no test (allowed: [[test]] tables)"
