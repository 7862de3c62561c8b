"""One line for each result: what it found, in one plain sentence; and the title of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eatlas.present.effects import levels_of, runner_up, shares_of
from eatlas.present.numbers import count, effect, number_of, percent
from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult
from eatlas.results.effects import UNDEFINED
from eatlas.results.settings import Settings

NONE_FOUND = ("Non-Directional", UNDEFINED)
"""Labels of patterns without an association."""
_CLAUSE = re.compile(r"(?<=[^ ]); ")


def headline(result: AssociationResult) -> str:
    """What a result found, in one short sentence without numbers.

    Parameters
    ----------
    result : AssociationResult

    Examples
    --------
    >>> import eatlas
    >>> headline(eatlas.run(tests="weat-6")[0])
    'Female names go with Family; Male names with neither'
    """
    return phrase("sentences", "headline", result).removesuffix(".")


def clauses(text: str) -> tuple[str, str]:
    """A headline in two: what was found, and the rest.

    Examples
    --------
    >>> clauses("Female names go with Family; Male names with neither")
    ('Female names go with Family', '; Male names with neither')
    """
    if found := _CLAUSE.search(text):
        return text[: found.start()], text[found.start() :]
    return text, ""


def found(result: AssociationResult) -> bool | None:
    """Whether a result shows an association; None where its measure does not judge that."""
    if result.pattern is not None:
        return result.primary.label not in NONE_FOUND
    known = [one for one in levels_of(result) if one.p is not None]
    return any(one.significant for one in known) if known else None


def title(results: Sequence[AssociationResult], settings: Settings) -> str:
    """What a page is about: who associates, and in how many tests anything was found.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests=["weat-6", "weat-7"])
    >>> title(results, Settings.among(results))
    'What GloVe 6B (100d) associates: 1 of 2 tests shows an association'
    """
    if len(results) == 1:
        return f"{settings.subject}: {headline(results[0])}"
    verb = "associate" if re.match(r"\d+ (sources|models)$", settings.subject) else "associates"
    about = f"What {settings.subject} {verb}"
    judged = [known for one in results if (known := found(one)) is not None]
    noun = "test" if len({one.test for one in results}) == len(results) else "result"
    if not judged:
        return f"{about}: {number_of(len(results), noun)}"
    many, some = sum(judged), number_of(len(judged), noun)
    if len(judged) == 1:
        return f"{about}: {'an' if many else 'no'} association in the one result judged as a whole"
    of = f"{count(many) if many else 'none'} of {some}"
    whole = " judged as a whole" if len(judged) < len(results) else ""
    return f"{about}: {of}{whole} {'shows' if many == 1 else 'show'} an association"


def other_pattern(result: AssociationResult) -> str:
    """The pattern that other words, or other contexts, show more often than the result's own."""
    shares = shares_of(result)[0]
    more = runner_up(shares, result.primary.label) if shares else None
    if more is None or more[1] <= shares.get(result.primary.label, 0.0):
        return ""
    return f"more often {more[0]} ({percent(more[1])})"


def numbers(result: AssociationResult) -> list[tuple[str, str]]:
    """What a measure without effect sizes d found, each number with what it is called."""
    return [(one.title, effect(one.d, 3)) for one in levels_of(result) if one.symbol != "d"]
