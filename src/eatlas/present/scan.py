"""A scan in plain words: what each way of judging all words together can do, and what it found."""

from __future__ import annotations

from eatlas.present.numerals import count, effect, level_of, number_of, p_value
from eatlas.results.scan import Family, ScanResult, Sides


def explain(result: ScanResult) -> tuple[str, ...]:
    """Sentences on the p-values of a scan, one a line.

    Examples
    --------
    >>> import eatlas
    >>> for line in explain(eatlas.scan("glove-sample", "weat-7", first=1000))[1:3]:
    ...     print(line)
    Unadjusted: 64 of 992 words are below .05 (A 64, B 0); with no association at all, about 49 \
would be. All words share the attributes, so that number varies more than that of separate tests.
    Holm asks of the smallest p to be below 5.0e-5 (.05 / 992). No p of this design is: Holm, like \
Bonferroni, can reject no word here, however strong its association.
    """
    family = result.family
    return (
        _design(result),
        _unadjusted(family),
        _holm(family),
        _yekutieli(family),
        _max_t(family),
    )


def _design(result: ScanResult) -> str:
    family = result.family
    a, b = family.design
    mirrored = "2" if _balanced(family) else "1"
    return (
        f"Each word has a test of its own, of {a} against {b} attributes: "
        f"{number_of(family.total, 'relabelling')}, so no two-sided p is below "
        f"{p_value(family.min_two_sided)} ({mirrored} of {count(family.total)}); "
        f"{_words(family.at_min)} {_have(family.at_min)} it."
    )


def _unadjusted(family: Family) -> str:
    alpha = level_of(family.alpha)
    chance = count(round(family.by_chance))
    return (
        f"Unadjusted: {count(family.unadjusted.total)} of {_words(family.words)} are below {alpha} "
        f"{_sides(family.unadjusted)}; with no association at all, about {chance} would be. All "
        "words share the attributes, so that number varies more than that of separate tests."
    )


def _holm(family: Family) -> str:
    asked = (
        f"Holm asks of the smallest p to be below {p_value(family.holm_needs)} "
        f"({level_of(family.alpha)} / {count(family.words)})."
    )
    if not family.holm_possible:
        return (
            f"{asked} No p of this design is: Holm, like Bonferroni, can reject no word here, "
            "however strong its association."
        )
    return f"{asked} It rejects {_words(family.holm.total)} {_sides(family.holm)}."


def _yekutieli(family: Family) -> str:
    found = family.benjamini_yekutieli
    name = "Benjamini and Yekutieli (false discovery rate, any dependence)"
    if family.by_needs is None:
        return f"{name}: if all words had the smallest p, it could still reject none."
    if not found.total and family.by_needs > 1:
        return (
            f"{name} rejects no word. It takes {_words(family.by_needs)} at the smallest p, or "
            f"more at a larger one; {count(family.at_min)} {_have(family.at_min)} it."
        )
    return f"{name} rejects {_words(found.total)} {_sides(found)}."


def _max_t(family: Family) -> str:
    details = family.max_t_details
    how = (
        f"all {number_of(details.relabellings, 'relabelling')}"
        + (" (a mirror image counts with its original)" if _balanced(family) else "")
        if details.enumerated
        else f"{number_of(details.relabellings, 'random relabelling')}"
    )
    can = (
        f"it rejects beyond |d| = {effect(details.critical, 3)}: {_words(family.max_t.total)} "
        f"{_sides(family.max_t)}"
        if details.critical is not None
        else "it can reject no word"
    )
    return (
        f"Westfall and Young's maxT compares each word with the most extreme of all words under "
        f"{how}; its smallest p is {p_value(details.min_p)}, and {can}."
    )


def _balanced(family: Family) -> bool:
    return family.design[0] == family.design[1]


def _words(n: int) -> str:
    return number_of(n, "word")


def _have(n: int) -> str:
    return "has" if n == 1 else "have"


def _sides(sides: Sides) -> str:
    return f"(A {count(sides.A)}, B {count(sides.B)})"
