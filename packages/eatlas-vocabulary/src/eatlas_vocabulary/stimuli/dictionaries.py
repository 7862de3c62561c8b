"""Dictionaries of content analysis: categories of terms, in the forms of LIWC and of quanteda."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from eatlas.decoding import MAX_IMPORT, decode_utf8, file_bytes
from eatlas.errors import StimulusError, listing
from eatlas.stimuli.importers import WordLists
from eatlas.stimuli.records import quote

_LARGEST_YAML = 1 << 20
"""Bytes of a dictionary of quanteda, of which a slow parser takes some 7 s."""
_DEEPEST, _LONGEST_NAME = 10, 200
"""Categories within categories, and characters of their names, with dots between them."""
Categories = dict[str, list[str]]


def read_liwc(path: Path) -> WordLists:
    """Read the categories of a dictionary of LIWC."""
    return _load_dictionary(path, MAX_IMPORT, _liwc)


def read_quanteda(path: Path) -> WordLists:
    """Read the categories of a dictionary of quanteda.

    A category within another is ``outer.inner``, and its terms are those of the outer one too.
    """
    return _load_dictionary(path, _LARGEST_YAML, _quanteda)


def _load_dictionary(
    path: Path, largest: int, parse: Callable[[str, str], tuple[Categories, list[str]]]
) -> WordLists:
    """Categories that have terms, each term once."""
    text = decode_utf8(file_bytes(path, StimulusError, largest), str(path), StimulusError)
    categories, notes = parse(text, str(path))
    categories = {name: list(dict.fromkeys(terms)) for name, terms in categories.items() if terms}
    if not categories:
        raise StimulusError(
            f"{path}: no category has a term", allowed="a dictionary whose categories have terms"
        )
    return WordLists(categories, notes)


def _liwc(text: str, where: str) -> tuple[Categories, list[str]]:
    """Numbered categories between two lines ``%``, then terms with numbers."""
    parts = re.split(r"(?m)^%.*$", text, maxsplit=2)
    if len(parts) < 3 or parts[0].strip():
        raise StimulusError(
            f"{where}: not a dictionary of LIWC",
            allowed="categories between two lines %, such as 1 and posemo, then terms with numbers",
        )
    names: dict[str, str] = {}
    for line in filter(str.strip, parts[1].splitlines()):
        number, _, name = line.strip().replace("\t", " ").partition(" ")
        if number in names:
            fault = f"{where}: two categories have one number"
            raise StimulusError(
                fault, got=f"{names[number][:60]!r} and {name.strip()[:60]!r}, {number[:60]}"
            )
        names[number] = name.split(" (")[0].strip() or number
    categories: Categories = {name: [] for name in names.values()}
    left_out = []
    for line in filter(str.strip, parts[2].splitlines()):
        words = line.split()
        numbers = [*takewhile(str.isdecimal, reversed(words[1:]))][::-1]
        term = " ".join(words[: len(words) - len(numbers)])
        if not numbers or {"(", "<"} & set(term):  # a category that hangs on words next to it
            left_out.append(words[0])
            continue
        for number in numbers:
            if number not in names:
                raise StimulusError(
                    f"{where}: {term[:60]!r} has a category that the file does not name",
                    got=number[:60],
                    allowed=listing(names)
                    or "a file that names its categories between the lines %",
                )
            categories[names[number]].append(term)
    notes = [f"Not taken, terms with conditions: {quote(left_out)}."] if left_out else []
    return categories, notes


def _quanteda(text: str, where: str) -> tuple[Categories, list[str]]:
    """YAML without references: names over lists of terms, or of categories."""
    categories: Categories = {}
    try:
        # that of C takes a tenth of the time, but not every installation has it
        events = yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for names, term in _terms_of_document(_without_references(events, where), where):
            for name in names:
                categories.setdefault(name, []).append(" ".join(term.split()))
    except yaml.YAMLError as error:
        raise StimulusError(
            f"{where}: not valid YAML",
            got=" ".join(str(error).split())[:200],
            remedy='put terms with * or ? into quotation marks: "*phobia", "wom?n"',
        ) from error
    return categories, []


def _without_references(events: Iterable[Any], where: str) -> Iterator[Any]:
    """The same events; a reference is refused, which can double what a file holds each time."""
    for event in events:
        if _is(event, "Alias"):
            raise StimulusError(
                f"{where}: YAML reads a word behind * as a reference",
                remedy='put a term that begins with * into quotation marks: "*phobia"',
            )
        yield event


Leaf = tuple[tuple[str, ...], str]
"""Categories of a term, the outer one first, and the term."""


def _terms_of_document(events: Iterator[Any], where: str) -> Iterator[Leaf]:
    """Every term of the only document of a file.

    It is read event by event: the nodes of a document as a tree take recursion without a limit.
    """
    form = StimulusError(
        f"{where}: not a dictionary of quanteda",
        allowed="names of categories, each with a list of terms or of categories; one document",
    )
    for kind in ("StreamStart", "DocumentStart", "MappingStart"):
        event = next(events)
        if not _is(event, kind):
            raise form
    yield from _terms_in(event, events, (), where)
    for kind in ("DocumentEnd", "StreamEnd"):
        if not _is(next(events), kind):
            raise form


def _is(event: Any, kind: str) -> bool:
    return type(event).__name__ == f"{kind}Event"  # its module is an optional extra


def _terms_in(
    first: Any, events: Iterator[Any], names: tuple[str, ...], where: str, depth: int = 1
) -> Iterator[Leaf]:
    """Every term of a node that begins with an event."""
    if _is(first, "Scalar"):
        if first.value.strip():
            yield names, first.value
        return
    if depth > _DEEPEST:
        raise StimulusError(
            f"{where}: lists are nested too deep", allowed=f"at most {_DEEPEST} in each other"
        )
    within = names
    while not type(event := next(events)).__name__.endswith("EndEvent"):
        if _is(first, "MappingStart"):
            within, event = (*names, _category(event, names, where)), next(events)
        yield from _terms_in(event, events, within, where, depth + 1)


def _category(event: Any, names: tuple[str, ...], where: str) -> str:
    """The full name of a category within others."""
    value = event.value if _is(event, "Scalar") else ""
    name = ".".join([*names[-1:], value])
    if not value or len(name) > _LONGEST_NAME:
        raise StimulusError(
            f"{where}: not usable as the name of a category",
            got=repr(name[:60]) if value else "no text",
            allowed=f"a text; with the names of the categories that it is in, at most "
            f"{_LONGEST_NAME} characters",
        )
    return name
