"""JSON files and what is expected in them; every fault names the file and the key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError


def read_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises
    ------
    StimulusError
        If it cannot be read, is not UTF-8, not JSON, or no object.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except UnicodeDecodeError as error:
        raise StimulusError(
            f"{path}: the file is not UTF-8",
            got=f"byte 0x{error.object[error.start]:02x} at position {error.start}",
            remedy="save it as UTF-8",
        ) from error
    return _parse(text, path)


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        remedy = "one file holds one JSON object"
        if text.lstrip().startswith("{'"):
            remedy = "this looks like Python; write it with json.dump"
        raise StimulusError(
            f"{path}, line {error.lineno}, column {error.colno}: this is not JSON",
            got=error.msg,
            remedy=remedy,
        ) from error
    except (ValueError, RecursionError) as error:
        # numbers of thousands of digits, or brackets nested thousands deep
        raise StimulusError(f"{path}: this JSON cannot be read", got=str(error)) from error
    if not isinstance(content, dict):
        raise StimulusError(
            f"{path}: a JSON object was expected", got=_type(content), allowed="{ ... }"
        )
    return content


def require(given: Mapping[str, Any], key: str, where: str, inside: str = "") -> Any:
    """Return the value of a key that must be there; `inside` is the key of the table given."""
    if key not in given:
        prefix = f"{inside}." if inside else ""
        raise StimulusError(
            f"{where}, key {prefix}{key}: is missing",
            got=f"the keys {', '.join(given)}" if given else "no keys",
            remedy="check that --format is the format of the file",
        )
    return given[key]


def table(given: Any, where: str, key: str) -> dict[str, Any]:
    """Check that a value is an object."""
    if not isinstance(given, dict):
        raise StimulusError(
            f"{where}, key {key}: is no object", got=_type(given), allowed="{ ... }"
        )
    return given


def text(given: Any, where: str, key: str) -> str:
    """Check that a value is text."""
    if not isinstance(given, str):
        raise StimulusError(
            f"{where}, key {key}: is not text", got=_type(given), allowed="a quoted string"
        )
    return given


def words(given: Any, where: str, key: str) -> list[str]:
    """Check that a value is a list of words, one at least."""
    if not isinstance(given, list) or not given:
        raise StimulusError(
            f"{where}, key {key}: is no list of words",
            got="an empty list" if given == [] else _type(given),
            allowed='["one", "two"]',
        )
    return [text(word, where, f"{key}.{number}") for number, word in enumerate(given)]


def unused(given: Mapping[str, Any], used: Iterable[str], inside: str = "") -> list[str]:
    """Note the keys that were not taken, if there are any."""
    known = set(used)
    left = ", ".join(key for key in given if key not in known)
    return [f"Not taken from {inside or 'the file'}: {left}."] if left else []


def _type(value: Any) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "a number")
