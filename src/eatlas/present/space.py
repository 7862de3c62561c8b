"""Whether cosines mean anything among a test's terms, in a sentence."""

from __future__ import annotations

from eatlas.present.numerals import effect, number_of, percent
from eatlas.results.diagnosis import TermsDiagnosis


def about_space(given: TermsDiagnosis | None) -> str:
    """Say what the diagnosis of a test's terms found; nothing where there is none.

    Parameters
    ----------
    given : TermsDiagnosis or None
    """
    if given is None:
        return ""
    mean = (
        f"Over all pairs of a target and an attribute, the mean cosine is "
        f"{effect(given.mean_cosine)} (sd {effect(given.sd_cosine)})"
    )
    share = given.rogue.share
    if share is not None and 0.0 <= share <= 1.0:
        mean += f", to which dimension {given.rogue.dimension} adds most, {percent(share)}"
    if given.iso_score is None:
        return f"{mean}."
    return (
        f"{mean}. By the spread of these {number_of(given.terms, 'term')}, the IsoScore of the "
        f"space is {effect(given.iso_score)}: 1 where all directions vary alike, 0 where one "
        "drowns the others."
    )
