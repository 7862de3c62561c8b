"""What the first lines of a corpus show before it is read: pages of HTML, and wrapped lines."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from eatlas.corpora.files import Reading, format_of
from eatlas.errors import SourceError, SourceWarning
from eatlas.sources.archives import locate

BEGINNING = 1_024
"""Bytes that show whether a file is a page of HTML."""
SAMPLE = 65_536
"""Bytes of a text whose lines are looked at."""
LOOKED_AT = 20
"""Texts of a corpus whose lines are looked at; one that is wrapped speaks for others."""
LINES = 20
"""Fewer different lines say nothing."""
WIDEST = 120
"""Characters; who wraps lines wraps them before."""
FULL = 0.7
"""Share of full lines in a text that is wrapped; of one sentence a line some tenth are full."""
LOWER = 0.3
"""Share of its lines that begin in lower case."""
_MARKUP_SUFFIXES = {".html", ".htm", ".xhtml", ".mhtml", ".xml"}
_MARKUP = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(\?xml|!doctype\s|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)


def look_at(files: Sequence[Path], reading: Reading) -> None:
    """Refuse pages of HTML, and say where lines are parts of sentences, before anything is read.

    Parameters
    ----------
    files : sequence of Path
    reading : Reading
        With a format other than ``auto``, files are taken for what they are said to be.

    Raises
    ------
    SourceError
        If files are pages of HTML or XML, whose tags would be read as words.

    Warns
    -----
    SourceWarning
        If texts are read line by line and their lines are wrapped.
    """
    if reading.format == "auto" and (pages := list(_pages(files))):
        first, got = pages[0]
        more = f", and so are {len(pages) - 1:,} more of {len(files):,} files"
        raise SourceError(
            f"{first}: this is a page of HTML or XML{more if len(pages) > 1 else ''}; its tags "
            "would be read as words",
            got=got,
            allowed="text, JSON Lines, CSV, TSV or Parquet",
            remedy="take the text out first, such as with: pandoc --to plain PAGE.html -o PAGE.txt"
            " (in Python: trafilatura, BeautifulSoup); the format text reads a page as it is",
        )
    if reading.unit == "line" and (wrapped := _first_wrapped(files, reading)):
        warnings.warn(
            f"{wrapped}: its lines look wrapped, as if sentences went on in the next line, and "
            "each line is taken for a text of its own, so that contexts end with it; --unit "
            "paragraph (unit='paragraph') takes what stands between blank lines",
            SourceWarning,
            stacklevel=4,
        )


def _pages(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for path in files:
        content = locate(path, long_windows=True)
        suffixes = {suffix.lower() for suffix in content.path.suffixes}
        if suffixes & _MARKUP_SUFFIXES:
            yield path, f"the name {content.path.name}"
        elif format_of(content, Reading()) == "text" and (begins := _tag(content.head(BEGINNING))):
            yield path, f"it begins with {begins}"


def _tag(beginning: bytes) -> str:
    """The tag that a page of HTML or XML begins with; empty for other texts."""
    found = _MARKUP.match(beginning)
    if found is None:
        return ""
    return f"<{found[0].split(b'<')[-1].decode(errors='replace').strip()}"


def _first_wrapped(files: Sequence[Path], reading: Reading) -> Path | None:
    """Return the first text, of some, whose lines are wrapped."""
    looked = 0
    for path in files:
        content = locate(path, long_windows=True)
        if format_of(content, reading) != "text":
            continue
        if is_wrapped(content.head(SAMPLE).decode(errors="replace")):
            return path
        looked += 1
        if looked == LOOKED_AT:
            break
    return None


def is_wrapped(text: str) -> bool:
    r"""Whether sentences of a text go on in the next line.

    Lines are then full: the first word of the next would not have fitted, within the width that
    most lines keep. And many begin in lower case, unlike verses and lists.

    Examples
    --------
    >>> from textwrap import fill
    >>> text = "".join(f"The ivy grows over {n} walls. Nobody cuts it. " for n in range(99))
    >>> is_wrapped(fill(text)), is_wrapped(text.replace(". ", ".\n"))
    (True, False)
    """
    lines = [line.strip() for line in text.splitlines()[:-1]]  # the last may be cut
    pairs = {(line, after) for line, after in pairwise(lines) if line and after}
    if len(pairs) < LINES:
        return False
    width = sorted(len(line) for line, _ in pairs)[int(0.95 * len(pairs))]
    full = [len(line) + 1 + len(after.split()[0]) > width for line, after in pairs]
    lower = [after[0].islower() for _, after in pairs]
    return width <= WIDEST and sum(full) > FULL * len(full) and sum(lower) > LOWER * len(lower)
