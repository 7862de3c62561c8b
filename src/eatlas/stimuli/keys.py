"""Keys that other packages add to association tests: lists of texts that their measures read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

from pydantic import create_model

from eatlas.errors import described
from eatlas.plugins import absent, load_point, points, unusable, usable
from eatlas.stimuli.records import ITEMS

ENTRY_POINTS = "eatlas.test_keys"


@dataclass(frozen=True)
class AddedKey:
    """A key of an association test, in Python and in a file of tests.

    A package names one by an entry point of the group ``eatlas.test_keys``, whose name is the key.
    Its texts are no stimuli: they belong to no hash of a test.
    """

    text: Any
    """Type of one text, as pydantic reads it."""
    item: str
    """What one text is called; tables ``[[ITEM]]`` of a file give a `text` to several `tests`."""
    fault_of: Callable[[Sequence[str]], str | None]
    """What is wrong with all texts of a test together; None where nothing is."""
    allowed: str
    """What is allowed, for messages."""


@cache
def key_names() -> frozenset[str]:
    """Names of the keys that other packages add; no package is imported for them."""
    return frozenset(points(ENTRY_POINTS))


@cache
def plugin_keys() -> dict[str, AddedKey]:
    """Keys that other packages add, by name."""
    keys = usable(ENTRY_POINTS, (), _key)
    ITEMS.update({name: key.item for name, key in keys.items()})
    return keys


def _key(point: EntryPoint) -> AddedKey:
    key = load_point(point)
    if not isinstance(key, AddedKey):
        allowed = "an eatlas.stimuli.keys.AddedKey"
        raise unusable(point, f"{point.value} is something else", described(key), allowed)
    return key


def take_added(values: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Put what keys of other packages say below ``more``, checked; `own` are keys of the core."""
    others = {key: value for key, value in values.items() if key not in own}
    if not others:
        return dict(values)
    known = {key: value for key, value in others.items() if key in plugin_keys()}
    for key in others.keys() - known.keys():
        if error := absent("test_keys", key):
            raise ValueError(error.what)
    more = dict(values.get("more", ()))
    for key, texts in _validate_values(known).items():
        if fault := plugin_keys()[key].fault_of(texts):
            raise ValueError(f"{fault} (allowed: {plugin_keys()[key].allowed})")
        more[key] = texts
    rest = {key: value for key, value in values.items() if key not in known}
    return {**rest, "more": tuple((key, texts) for key, texts in more.items() if texts)}


def _validate_values(values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Texts of each key; faults state the key and the number of the text."""
    types: dict[str, Any] = {
        key: (tuple[plugin_keys()[key].text, ...], ...)  # type: ignore[misc]  # known at run time
        for key in values
    }
    record = create_model("Added", **types).model_validate(dict(values))
    return {key: getattr(record, key) for key in values}
