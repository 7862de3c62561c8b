"""How far a finding may be trusted: chance, other words, single terms.

The statements themselves are in the template ``trust``, a macro each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import level_of, p_equals, some_of
from eatlas.present.rendering import phrase
from eatlas.present.sentences import Statement
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect

NAMED = 12
"""Results that a line names."""

statement = partial(phrase, "trust")
"""One statement: the name of its macro, and what that takes."""


def statements(
    result: AssociationResult, levels: Sequence[Effect], family: DeclaredFamily
) -> list[Statement]:
    """What a reader should weigh before believing a finding on X and Y; nothing for others.

    Parameters
    ----------
    result : AssociationResult
    levels : sequence of Effect
        Its effect sizes.
    family : DeclaredFamily
    """
    level1 = next((one for one in levels if one.place == "level1"), None)
    if level1 is None:
        return []
    if level1.p is None:
        return [Statement("Chance alone.", statement("undefined", result))]
    if level1.d is None:
        return []
    words = statement("resamples", result, level1), statement("other_words", result)
    found = {
        "Chance alone.": statement("chance", result, level1, family),
        "Other words.": " ".join(filter(None, words)),
        f"Other {result.draws.varied}." if result.draws else "": statement("contexts", result),
        "Frequency.": statement("frequency", result),
        "Single terms.": statement("single_terms", result, level1),
        "What this design can find.": statement("design", result),
        "Too small to matter?": statement("too_small", result),
    }
    return [Statement(about, text) for about, text in found.items() if text]


def not_generalised(results: Sequence[AssociationResult], names: Iterable[str]) -> str:
    """One line for a table: whose level 1 other words may not show; empty where none was tested.

    Parameters
    ----------
    results : sequence of results
    names : iterable of str
        What the results are called.
    """
    known = [
        (name, level.p_two_sided, result.rule.alpha)
        for result, name in zip(results, names, strict=True)
        if result.generalisation and (level := result.generalisation.level1)
        if level.p_two_sided is not None
    ]
    if not known:
        return ""
    alpha = known[0][2]
    of = "Other words (crossed test of level 1, two-sided)"
    if len(known) == 1:
        return f"{of}: {p_equals(known[0][1], alpha)}."
    below = list(dict.fromkeys(name for name, p, limit in known if p < limit))
    others = [name for name in dict.fromkeys(name for name, *_ in known) if name not in below]
    text = f"{of}: p < {level_of(alpha)}"
    if not others:
        return f"{text} for all {len(known)}."
    if not below:
        return f"{text} for none of {len(known)}."
    return f"{text} for {len(below)} of {len(known)}, not for {some_of(others, NAMED)}."
