"""Which field of an object, or column of a table, holds the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from eatlas.errors import SourceError
from eatlas.nearest import did_you_mean

USUAL = ("text", "body")
"""Where corpora, and Reddit's comments, keep the text."""
GONE = ("[deleted]", "[removed]")
"""What Reddit puts in the place of a comment that is no longer there."""


def choose(columns: Collection[str], field: str | None, label: str) -> str:
    """Return the column that holds the text.

    Raises
    ------
    SourceError
        If there is none of that name.
    """
    wanted = USUAL if field is None else (field,)
    for name in wanted:
        if name in columns:
            return name
    raise no_field(columns, field, label, "column")


def no_field(
    there: Collection[str], field: str | None, label: str, what: str, where: str = ""
) -> SourceError:
    """Say that a file holds no text where it was looked for."""
    names = sorted(there)
    wanted = " or ".join(repr(name) for name in (USUAL if field is None else (field,)))
    near = did_you_mean(field, names) if field is not None else ""
    return SourceError(
        f"{label}: {where}there is no {what} {wanted}{near}",
        got=", ".join(names) or f"no {what}",
        remedy=f"name the {what} that holds the text: --field NAME (in Python, field='NAME')",
    )


def usable(text: str, skipped: Counter[str], *, reddit: bool) -> str | None:
    """Return a text, None where there is none; `reddit` undoes how Reddit writes <, > and &."""
    if not text or text.isspace():
        skipped["empty"] += 1
        return None
    if reddit:
        if text in GONE:
            skipped[text] += 1
            return None
        if "&" in text:
            return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text
