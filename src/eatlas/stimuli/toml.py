"""Files of tests, TOML, are read: every fault is named by file, test and key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eatlas.decoding import read_toml
from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.association_test import ROLES
from eatlas.stimuli.kinds import KINDS, OF_TARGETS, Battery, Test
from eatlas.stimuli.records import TABLE, faults_of, say_all
from eatlas.stimuli.writing import DEFAULT_KIND

SCHEMA = 1
_MOST_FAULTS = 1000
_TOP_KEYS = ("schema", "battery", "test")
_BATTERY_KEYS = ("id", "title", "citation", "notes")
_EXAMPLE = f"{TABLE} and so on"
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
# strings and comments as a whole, so that brackets within them do not count
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""'
    r"|'''.*?'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[{}\[\]]",
    re.DOTALL,
)
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_CURLY = "“”„‟‘’‚«»"
ONE_LINE = (
    "a table in braces is on one line: { name = ..., terms = [...] }; "
    "only the list of terms, between [ and ], may go over several lines"
)
_BY_MESSAGE = {
    "Cannot overwrite": "each key occurs once; a second test begins with [[test]]",
    "Unclosed array": "terms have commas between them, and a ] behind the last",
    "Expected '='": "a key and its value are joined by =",
    "at end of document": "a quotation mark or a bracket is opened and never closed",
    "Expected newline": "put a word that contains ' in double quotation marks",
    "Illegal character '\\n'": "a quotation mark is opened and not closed on the same line",
}


def parse_battery(data: bytes, where: str, name: str, folder: Path | None = None) -> Battery:
    """Parse a test file."""
    document = read_toml(data, where, StimulusError, hint)
    faults = list(_of_the_top(document))
    tests: list[Test] = []
    raws = document.get("test")
    for number, raw in enumerate(raws if isinstance(raws, list) else [], start=1):
        if not isinstance(raw, dict):
            faults.append(f"test number {number}: is not a table (allowed: {_EXAMPLE})")
            continue
        test, found = check_test(raw, folder)
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
            remedy=f"correct the file and run: eatlas tests check {where}",
        )
    return battery


def check_test(raw: dict[str, Any], folder: Path | None = None) -> tuple[Test | None, list[str]]:
    """Make a test of either kind of a table, or say what is wrong with it."""
    raw, unread = _with_images(raw, folder)
    kind = raw.get("kind", DEFAULT_KIND)
    if not isinstance(kind, str) or kind not in KINDS:
        hint = did_you_mean(str(kind), KINDS)
        return None, [f"key kind: there is no kind {kind!r}{hint} (allowed: {', '.join(KINDS)})"]
    try:
        test = KINDS[kind].model_validate(raw)
    except ValidationError as error:
        said = [*unread, *faults_of(KINDS[kind], error, raw), *_of_another_kind(raw, kind)]
        return None, said
    return (None, unread) if unread else (test, [])


def _with_images(raw: dict[str, Any], folder: Path | None) -> tuple[dict[str, Any], list[str]]:
    """Read the images that concepts of a table name; also the faults.

    A concept whose images cannot be read goes on with a term in their place, so that other faults
    of the test are found too.
    """
    faults = []

    def read(concept: Any, key: str) -> Any:
        if not isinstance(concept, dict) or "images" not in concept:
            return concept
        if "terms" in concept or "sentences" in concept:
            faults.append(
                f"key {key}.images: a concept has terms, sentences or images, one of them"
            )
            return {name: value for name, value in concept.items() if name != "images"}
        from eatlas.stimuli.image_files import read_images  # noqa: PLC0415  (only tests of images need it)

        try:
            found = read_images(concept["images"], folder or Path(), sets=folder is not None).fields
        except (ValueError, StimulusError) as fault:
            faults.append(f"key {key}.images: {fault}")
            kept = {name: value for name, value in concept.items() if name != "images"}
            return {**kept, "terms": [f"images of {key}"]}
        absent = (*concept.get("absent", ()), *found.get("absent", ()))
        return {**concept, **found, **({"absent": absent} if absent else {})}

    groups = raw.get("groups")
    parts = {key: read(raw[key], key) for key in (*ROLES, OF_TARGETS) if key in raw}
    if isinstance(groups, list):
        parts["groups"] = [
            read(one, f"groups, group {number}") for number, one in enumerate(groups, start=1)
        ]
    return {**raw, **parts}, faults


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


def hint(text: str, message: str) -> str | None:
    """Guess what to do about a message of the TOML parser."""
    if "twice" in message and "'test'" in message:
        return "each test begins with [[test]], in double brackets"
    if text.lstrip().startswith("{"):
        return "this looks like JSON; eatlas tests import reads the JSON of other tools"
    place = _PLACE.search(message)
    if place is not None:
        line, column = int(place[1]), int(place[2])
        before = sum(len(one) + 1 for one in text.split("\n")[: line - 1])
        if said := _hint_at(text, before + column - 1, message):
            return said
    return next((said for part, said in _BY_MESSAGE.items() if part in message), None)


def _hint_at(text: str, offset: int, message: str) -> str | None:
    """Guess from what is where the parser stopped."""
    rest = text[offset:]
    if rest.startswith("\r") and not rest.startswith("\r\n"):
        return "save the file with the line ends of Unix (LF) or Windows (CRLF)"
    if rest[:1] and rest[0] in _CURLY:
        return f'quotation marks are straight in TOML: " and not {rest[0]}'
    if _LINE_END.match(rest) and _in_braces(text, offset):
        return ONE_LINE
    if rest.startswith("}") and text[:offset].rstrip().endswith(","):
        return "no comma comes before a closing brace"
    if "Invalid value" in message and (word := re.match(r"[^\W\d][^,\]}\n]*", rest)):
        return f'put words in quotation marks: "{word[0].strip()}"'
    return None


def _in_braces(text: str, offset: int) -> bool:
    """Whether the last bracket that is open is a brace."""
    opened: list[str] = []
    for token in _TOKEN.finditer(text, 0, offset):
        if token[0] in "{[":
            opened.append(token[0])
        elif token[0] in "}]" and opened:
            opened.pop()
    return opened[-1:] == ["{"]
