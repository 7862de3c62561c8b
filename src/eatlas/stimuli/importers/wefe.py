"""Queries of WEFE as JSON, for example ``json.dump(vars(query), file)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eatlas.errors import StimulusError
from eatlas.stimuli.importers.building import Draft, Group
from eatlas.stimuli.importers.reading import require, table, text, unused, words

_SETS = {"target_sets": ("X", "Y"), "attribute_sets": ("A", "B")}
_NOT_STIMULI = ("template", "query_name")


def draft(content: Mapping[str, Any], where: str, *, plurals: bool = False) -> Draft:
    """Read a query of two target sets and two attribute sets.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.

    Raises
    ------
    StimulusError
        If a key is missing or holds something else, or there are more or fewer sets.
    """
    if plurals:
        raise StimulusError(
            f"{where}: a file of the format wefe has no plural forms",
            allowed="--plurals with word sets of Mind Your Bias",
        )
    named = {key: _named_sets(content, key, where) for key in _SETS}
    _require_two_and_two({key: len(sets) for key, sets in named.items()}, where)
    groups = {
        role: Group(name, terms)
        for key, roles in _SETS.items()
        for role, (name, terms) in zip(roles, named[key], strict=True)
    }
    used = [
        *_SETS,
        *(f"{key}_names" for key in _SETS if isinstance(content[key], list)),
        *_NOT_STIMULI,
    ]
    title = text(content.get("query_name", ""), where, "query_name")
    return Draft("wefe", groups, unused(content, used), title)


def _named_sets(content: Mapping[str, Any], key: str, where: str) -> list[tuple[str, list[str]]]:
    sets = require(content, key, where)
    if isinstance(sets, list):
        named = [(f"{key}.{number}", given) for number, given in enumerate(sets)]
        names = words(require(content, f"{key}_names", where), where, f"{key}_names")
        if len(names) != len(sets):
            raise StimulusError(
                f"{where}, key {key}_names: does not name every set",
                got=f"{len(names)} names for {len(sets)} sets",
                allowed="one name for each set",
            )
    else:
        given_by_name = table(sets, where, key)
        named = [(f"{key}.{name}", given) for name, given in given_by_name.items()]
        names = list(given_by_name)
    return [
        (name, words(given, where, place))
        for name, (place, given) in zip(names, named, strict=True)
    ]


def _require_two_and_two(sizes: Mapping[str, int], where: str) -> None:
    targets, attributes = sizes["target_sets"], sizes["attribute_sets"]
    if (targets, attributes) == (2, 2):
        return
    larger = min(targets, attributes) >= 2
    raise StimulusError(
        f"{where}: this query is no association test",
        got=f"{targets} target sets and {attributes} attribute sets",
        allowed="two target sets and two attribute sets",
        remedy="WEFE splits it: query.get_subqueries((2, 2)); import each" if larger else None,
    )
