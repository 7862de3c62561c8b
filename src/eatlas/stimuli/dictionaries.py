"""Dictionaries of content analysis: categories of terms, in the forms of LIWC and of quanteda."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from eatlas.decoding import decoded, require_file
from eatlas.errors import StimulusError, did_you_mean, listed
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES, ROLES
from eatlas.stimuli.records import quoted

DICTIONARIES = ("liwc", "quanteda")
_LARGEST = 1 << 23
_LISTS = "eatlas tests import FILE --format FORMAT alone lists the categories"
Categories = dict[str, list[str]]


def read_dictionary(path: str | Path, form: str) -> tuple[Categories, list[str]]:
    """Read the categories of a dictionary of LIWC or quanteda, and notes of what was not taken.

    Of quanteda a category within another is ``outer.inner``, and its terms are those of the outer
    one too.
    """
    path = Path(path)
    require_file(path, StimulusError)
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise StimulusError(f"{path}: this is too large for a dictionary", allowed="at most 8 MiB")
    text = decoded(data, str(path), StimulusError)
    categories, notes = (_liwc if form == "liwc" else _quanteda)(text, str(path))
    categories = {name: list(dict.fromkeys(terms)) for name, terms in categories.items() if terms}
    if not categories:
        raise StimulusError(f"{path}: no category has a term", allowed=f"a dictionary of {form}")
    return categories, notes


def _liwc(text: str, where: str) -> tuple[Categories, list[str]]:
    """Numbered categories between two lines ``%``, then terms with numbers."""
    parts = re.split(r"(?m)^%.*$", text, maxsplit=2)
    if len(parts) < 3 or parts[0].strip():
        raise StimulusError(
            f"{where}: this is not a dictionary of LIWC",
            allowed="categories between two lines %, such as 1 and posemo, then terms with numbers",
        )
    names: dict[str, str] = {}
    for line in filter(str.strip, parts[1].splitlines()):
        number, _, name = line.strip().replace("\t", " ").partition(" ")
        if number in names:
            fault = f"{where}: two categories have one number"
            raise StimulusError(fault, got=f"{names[number]!r} and {name.strip()!r}, {number}")
        names[number] = name.split(" (")[0].strip() or number
    categories: Categories = {name: [] for name in names.values()}
    left_out = []
    for line in filter(str.strip, parts[2].splitlines()):
        words = line.split()
        numbers = [*takewhile(str.isdecimal, reversed(words[1:]))][::-1]
        term = " ".join(words[: len(words) - len(numbers)])
        if not numbers or {"(", "<"} & set(term):  # a category that hangs on words beside it
            left_out.append(words[0])
            continue
        for number in numbers:
            if number not in names:
                raise StimulusError(
                    f"{where}: {term!r} has a category that the file does not name",
                    got=number,
                    allowed=listed(names) or "a file that names its categories between the lines %",
                )
            categories[names[number]].append(term)
    notes = [f"Not taken, terms with conditions: {quoted(left_out)}."] if left_out else []
    return categories, notes


def _quanteda(text: str, where: str) -> tuple[Categories, list[str]]:
    """YAML without references: names over lists of terms, or of categories."""
    try:
        import yaml  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise StimulusError(
            f"{where}: YAML cannot be read", remedy="pip install 'eatlas[dictionaries]'"
        ) from error
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise StimulusError(
                f"{where}: YAML reads a word behind * as a reference",
                remedy='put a term that begins with * into quotation marks: "*phobia"',
            )
        content = yaml.compose(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise StimulusError(
            f"{where}: this is not YAML",
            got=" ".join(str(error).split())[:200],
            remedy='put terms with * or ? into quotation marks: "*phobia", "wom?n"',
        ) from error
    if not isinstance(content, yaml.MappingNode):
        raise StimulusError(
            f"{where}: this is not a dictionary of quanteda",
            allowed="names of categories, each with a list of terms or of categories",
        )
    categories: Categories = {}
    for names, term in _leaves(content, ()):
        for depth in range(1, len(names) + 1):
            categories.setdefault(".".join(names[:depth]), []).append(" ".join(term.split()))
    return categories, []


def _leaves(node: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every term in a node of YAML, with the names that lead to it."""
    if node.id == "mapping":
        for name, inner in node.value:
            yield from _leaves(inner, (*names, str(name.value)))
    elif node.id == "sequence":
        for inner in node.value:
            yield from _leaves(inner, names)
    elif node.value.strip():
        yield names, node.value


def of_categories(
    categories: Categories, notes: list[str], chosen: Mapping[str, str]
) -> tuple[dict[str, tuple[str, list[str]]], list[str]]:
    """Name and terms of each group; terms of two opposed categories are in neither."""
    groups = [group for group in chosen if group != OF_TARGETS]
    of_groups = OF_TARGETS in chosen and len(groups) > 1
    if not of_groups and set(chosen) != set(ROLES):
        raise StimulusError(
            "these groups make no test",
            got=", ".join(f"{group}={name}" for group, name in chosen.items()) or "no category",
            allowed="a category for each of X, Y, A and B; or for targets and two groups or more, "
            "such as --category targets=work --category Female=female --category Male=male",
            remedy=_LISTS,
        )
    for name in chosen.values():
        if name not in categories:
            raise StimulusError(
                f"there is no category {name!r}{did_you_mean(name, categories)}",
                allowed=listed(categories, 40),
                remedy=_LISTS,
            )
    lists, notes = {}, list(notes)
    for side in (groups, [OF_TARGETS]) if of_groups else OPPOSITES:
        for group in side:
            others = {t for other in side if other != group for t in categories[chosen[other]]}
            own = categories[chosen[group]]
            lists[group] = (
                group if of_groups and group != OF_TARGETS else chosen[group],
                [term for term in own if term not in others],
            )
            if both := [term for term in own if term in others]:
                notes.append(f"Left out of {group}, also in an opposed category: {quoted(both)}.")
    return lists, notes
