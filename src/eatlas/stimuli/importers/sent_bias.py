"""Test files of sent-bias (May et al. 2019, SEAT): targ1, targ2, attr1, attr2 with examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eatlas.errors import StimulusError
from eatlas.stimuli.importers import mind_your_bias
from eatlas.stimuli.importers.building import Draft, Group
from eatlas.stimuli.importers.reading import require, table, text, unused, words

ROLE_OF = mind_your_bias.ROLE_OF


def draft(content: Mapping[str, Any], where: str, *, plurals: bool = False) -> Draft:
    """Read ``{"targ1": {"category": ..., "examples": [...]}, "targ2": ..., ...}``.

    Word sets of Mind Your Bias, which have ``singular`` in place of ``examples``, are recognised.

    Raises
    ------
    StimulusError
        If a key is missing or holds something else.
    """
    first = content.get("targ1")
    if isinstance(first, dict) and "examples" not in first and "singular" in first:
        return mind_your_bias.draft(content, where, plurals=plurals)
    if plurals:
        raise StimulusError(
            f"{where}: a file of the format sent-bias has no plural forms",
            allowed="--plurals with word sets of Mind Your Bias",
        )
    notes = unused(content, ROLE_OF)
    groups = {}
    for key, role in ROLE_OF.items():
        given = table(require(content, key, where), where, key)
        name = text(require(given, "category", where, key), where, f"{key}.category")
        terms = words(require(given, "examples", where, key), where, f"{key}.examples")
        groups[role] = Group(name, terms)
        notes += unused(given, ("category", "examples"), key)
    return Draft("sent-bias", groups, notes)
