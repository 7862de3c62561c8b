"""Word sets of Mind Your Bias (Husse and Spitz 2022): singular, plural and adjective forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eatlas.stimuli.importers.building import Draft, Group
from eatlas.stimuli.importers.reading import require, table, text, unused, words

ROLE_OF = {"targ1": "X", "targ2": "Y", "attr1": "A", "attr2": "B"}


def draft(content: Mapping[str, Any], where: str, *, plurals: bool = False) -> Draft:
    """Read ``{"targ1": {"concept": ..., "singular": [...], "plural": [...]}, ...}``.

    The singular forms are the stimuli; plurals and adjectives serve templates. In the simplified
    sets, whose plurals are stimuli (he; men, boys), ask for ``plurals``.

    Raises
    ------
    StimulusError
        If a key is missing or holds something else.
    """
    notes = unused(content, ROLE_OF)
    groups = {}
    for key, role in ROLE_OF.items():
        given = table(require(content, key, where), where, key)
        terms = words(require(given, "singular", where, key), where, f"{key}.singular")
        used = ["concept", "singular"]
        if plurals and "plural" in given:
            terms = terms + words(given["plural"], where, f"{key}.plural")
            used.append("plural")
        name = text(given["concept"], where, f"{key}.concept") if "concept" in given else key
        if "concept" not in given:
            notes.append(f"The file gives no name for {role}; {key} is its key.")
        groups[role] = Group(name, terms)
        notes += unused(given, used, key)
    return Draft("mind-your-bias", groups, notes)
