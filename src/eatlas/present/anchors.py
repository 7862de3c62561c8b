"""Where a link to a result leads: the id of its test, made fit for an address."""

from __future__ import annotations

import re
from collections.abc import Iterable

PAGE = frozenset(
    {
        "main",
        "in-brief",
        "over-time",
        "summary",
        "sources",
        "prompts",
        "layers",
        "levels",
        "weights",
        "windows",
        "distances",
        "reading",
        "details",
        "not-measured",
        "unreadable",
        "paper",
        "glossary",
        "methods-text",
        "bibtex-text",
        "search",
        "pattern-filter",
        "source-filter",
        "test-filter",
        "shown",
        "theme",
    }
)
"""Ids that the page itself needs."""
SYMBOL, SERIES, TITLE = "eat-", "series-", "-title"
"""How the ids of the page's symbols and of its series begin, and those of its headings end."""
_UNFIT = re.compile(r"[^\w.-]+")
LONGEST = 80


def anchors(tests: Iterable[str]) -> list[str]:
    """One id for each result, in their order; no two alike.

    Parameters
    ----------
    tests : iterable of str
        Ids of the tests; one that comes again gets a number.

    Examples
    --------
    >>> anchors(["weat-6", "weat-6", "my test: 1", "summary"])
    ['weat-6', 'weat-6-2', 'my-test-1', 'summary-2']
    """
    taken = set(PAGE)
    found = []
    for test in tests:
        name = _fit(test)
        chosen, number = name, 1
        while chosen in taken:
            number += 1
            chosen = f"{name}-{number}"
        taken.add(chosen)
        found.append(chosen)
    return found


def _fit(test: str) -> str:
    name = _UNFIT.sub("-", test).strip("-")[:LONGEST] or "test"
    ours = name.startswith((SYMBOL, SERIES)) or name.endswith(TITLE)
    return f"test-{name}." if ours else name
