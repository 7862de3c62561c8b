"""What a reader of a result should know, as data: a code, a place, values, and one sentence a code.

Sentences are the templates of ``notes.toml``, and of the files of that name that other packages
bring (:mod:`eatlas.texts`). Nothing else holds the words of a note, and nothing compares them:
programs go by codes.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from eatlas.decoding import own_toml
from eatlas.errors import (
    AnisotropyWarning,
    EatlasWarning,
    PluginWarning,
    SourceWarning,
    StimulusWarning,
    UndefinedWarning,
    listing,
)
from eatlas.numbers import MINUS, p_value
from eatlas.texts import plugin_tables

if TYPE_CHECKING:
    from jinja2 import Template

NOTES = Path(__file__).with_name("notes.toml")
TEXT = "text"
"""Code of a note that has no template: its value `text` is the sentence."""
WARNINGS: dict[str, type[EatlasWarning]] = {
    "plugin": PluginWarning,
    "resampling": UndefinedWarning,
    "source": SourceWarning,
    "space": AnisotropyWarning,
    "stimuli": StimulusWarning,
    "undefined": UndefinedWarning,
}
"""Class of the Python warning of a note, by the first part of its code."""
PLACES = {
    "level1": "level 1",
    "level2.X": "level 2 of X",
    "level2.Y": "level 2 of Y",
    "over_attributes": "the effect size over attributes",
    "stimulus_terms": "the terms over stimuli",
    "value": "the number of all targets",
}
OVER_STIMULI = "stimulus_level."
"""Beginning of the places of findings over the stimuli of sentences."""


@dataclass(frozen=True)
class Note:
    """A note on a result, or a warning.

    Parameters
    ----------
    code : str
        What it says, such as ``p.design``; the reference lists all codes.
    place : str, optional
        What it is about: a place in the record such as ``level2.X``, or a group. All of the result
        by default.
    values : mapping, optional
        Figures and names in the sentence: strings, numbers and lists of them.

    Examples
    --------
    >>> note = Note("coverage.few", values={"what": "terms", "groups": {"X": 3}, "least": 8})
    >>> note.code, str(note)
    ('coverage.few', 'Few usable terms in X (3): the papers recommend at least 8.')
    """

    code: str
    place: str = ""
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    written: str = field(default="", compare=False, repr=False)
    """The sentence in a file that the note was read from."""

    @cached_property
    def text(self) -> str:
        """The sentence; a sentence of a file as written there."""
        return self.written or sentence(self)

    def __str__(self) -> str:
        return self.text

    def renamed(self, old: str, new: str) -> Note:
        """The same of a source that is called otherwise."""
        values = {name: new if value == old else value for name, value in self.values.items()}
        return Note(self.code, self.place, values)

    def to_dict(self) -> dict[str, Any]:
        """What a file holds."""
        # numbers and arrays of numpy as plain numbers and lists, what is no number as null
        values = json.loads(
            json.dumps(dict(self.values), default=lambda value: value.tolist()),
            parse_constant=lambda _: None,
        )
        about = {"code": self.code, "place": self.place, "values": values}
        return {**{name: value for name, value in about.items() if value}, "text": self.text}


def as_note(value: Any) -> Note:
    """Make a note of a sentence, or of what a file holds."""
    if isinstance(value, Note):
        return value
    if isinstance(value, str):
        return Note(TEXT, values={"text": value})
    if not isinstance(value, Mapping) or not isinstance(value.get("code"), str):
        raise ValueError("a note has a code, a place, values and a text")
    place, values, text = (value.get(name, none) for name, none in _NONE.items())
    if not (isinstance(place, str) and isinstance(values, Mapping) and isinstance(text, str)):
        raise ValueError(f"the note {value['code']} has a place, values and a text of other types")
    inner: list[Any] = [values]
    for _ in range(DEEPEST):
        inner = [
            part
            for outer in inner
            if isinstance(outer, Mapping | list)
            for part in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
    if inner:
        raise ValueError(f"values of the note {value['code']} are nested too deeply")
    return Note(value["code"], place, values, text)


def as_notes(values: Iterable[Any]) -> tuple[Note, ...]:
    """Make notes of sentences and notes."""
    return tuple(map(as_note, values))


DEEPEST = 4
"""Levels of lists and mappings in the values of a note."""
_NONE: dict[str, Any] = {"place": "", "values": {}, "text": ""}
JSON_SCHEMA = {
    "type": "object",
    "title": "Note",
    "description": "What a reader should know, by a code; `text` is the sentence.",
    "properties": {
        "code": {"type": "string"},
        "place": {"type": "string"},
        "values": {"type": "object"},
        "text": {"type": "string"},
    },
    "required": ["code", "text"],
    "additionalProperties": False,
}
Noted = Annotated[
    Note, BeforeValidator(as_note), PlainSerializer(Note.to_dict), WithJsonSchema(JSON_SCHEMA)
]
"""A note as a field of a record."""


def warn(note: Note, about: str = "", stacklevel: int = 2) -> None:
    """Give a Python warning that carries a note; `about` is what it is about, such as a test."""
    kind = WARNINGS.get(note.code.partition(".")[0], EatlasWarning)
    warnings.warn(kind(note, about), stacklevel=stacklevel + 1)


def sentence(note: Note) -> str:
    """The sentence of a note, filled in."""
    template = _own().get(note.code) or _plugin_templates().get(note.code)
    if template is None:
        return str(note.values.get("text", note.code))
    return _compile_template(template).render(note.values, place=note.place)


@cache
def _own() -> dict[str, str]:
    """The template of each code of the core."""
    return _by_code(own_toml(NOTES))


@cache
def _plugin_templates() -> dict[str, str]:
    """The template of each code of other packages, which are read for a code that is not here."""
    return _by_code(plugin_tables(NOTES))


def _by_code(tables: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        f"{part}.{name}": " ".join(template.split())
        for part, table in tables.items()
        for name, template in table.items()
    }


@cache
def _compile_template(template: str) -> Template:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  (40 ms)

    env = Environment(undefined=StrictUndefined)  # noqa: S701  (plain text)
    env.filters |= {
        "f": lambda value, spec: format(value, spec).replace("-", MINUS),
        "json": lambda value: json.dumps(value, ensure_ascii=False),
        "listed": listing,
        "of_roles": lambda names, most: _by_role(names, "{1} ({0})", most),
        "p": _p,
        "place": place_in_words,
        "repr": repr,
        "roles": _by_role,
        "s": lambda count, one="", many="s": one if count == 1 else many,
    }
    return env.from_string(template)


def _p(p: float) -> str:
    """A p-value, or the span of several."""
    return " to ".join(dict.fromkeys(map(p_value, (getattr(p, "low", p), float(p)))))


def place_in_words(place: str) -> str:
    """What sentences call a place of a record, such as level 2 of X."""
    of_stimuli = place.startswith(OVER_STIMULI)
    found = place.removeprefix(OVER_STIMULI)
    name, _, term = found.partition(".")
    if term and name in {"terms", "stimulus_terms"}:
        return f"the {'term' if name == 'terms' else 'stimulus'} {term!r}"
    return f"{PLACES.get(found, found)}{' over stimuli' if of_stimuli else ''}"


def _by_role(names: Mapping[str, Any], each: str = "{0}: {1}", most: int = 100) -> str:
    return "; ".join(each.format(role, listing(some, most)) for role, some in names.items())


class Span(float):
    """A figure that differs between notes of one code: it is written from the lowest to its own."""

    low: float

    def __new__(cls, figures: Iterable[float]) -> Span:
        """Take all figures, in any order."""
        figures = sorted(figures)
        span = super().__new__(cls, figures[-1])
        span.low = figures[0]
        return span

    def __format__(self, spec: str) -> str:
        low, high = format(self.low, spec), format(float(self), spec)
        return low if low == high else f"{low} to {high}"


def merge_notes(notes: Iterable[Note]) -> Iterator[tuple[Note, list[int]]]:
    """Notes that differ in figures alone as one, with the numbers of those that it stands for."""
    every = list(notes)
    alike: dict[tuple[str, str, str], list[int]] = {}
    for number, note in enumerate(every):
        key = note.code, note.place, repr(_without_figures(note.values))
        alike.setdefault(key, []).append(number)
    for members in alike.values():
        first, *others = (every[number] for number in members)
        values = [note.values for note in others if note.values != first.values]
        if values:
            both = Note(first.code, first.place, _spans([first.values, *values]))
            with suppress(Exception):  # values of a stranger's file may be of any type
                first = replace(both, written=sentence(both))
        yield first, members


def _without_figures(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_figures(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_figures(one) for one in value]
    return None if isinstance(value, float) else value


def _spans(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, Mapping):
        return {name: _spans([value[name] for value in values]) for name in first}
    if isinstance(first, list | tuple):
        return [_spans(some) for some in zip(*values, strict=True)]
    return Span(values) if isinstance(first, float) else first
