"""Articles of Wikipedia's dumps: pages of XML, one after the other, redirects left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from eatlas.corpora.reading import LONGEST_LINE, Account, Rows
from eatlas.corpora.wikitext import plain_text
from eatlas.sources.files.on_disk import library

BEGIN, END = b"<page>", b"</page>"
ROOT = b"<mediawiki"
_READ = 1 << 20
_NAMESPACE = re.compile(rb"<ns>\s*(-?\d+)\s*</ns>")
_HEAD = 4096
"""Bytes of a page within which title, namespace and redirect are."""
_REDIRECT = re.compile(r"\s*#\s*redirect", re.IGNORECASE)
_OF_OLD_DUMPS = re.compile(
    r"(?:(?:user|wikipedia|image|file|mediawiki|template|help|category|portal|book|draft|module)"
    r"(?: talk)?|talk|special|media):",
    re.IGNORECASE,
)
"""Titles beyond the articles, in dumps that name no namespace (before 2012)."""


def is_dump(head: bytes) -> bool:
    """Whether a file begins as a dump of a wiki does, or as a part of one."""
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return begin.startswith((ROOT, BEGIN)) or (begin.startswith(b"<?xml") and ROOT in begin)


def wikipedia_rows(file: BinaryIO, account: Account) -> Rows:
    """Read the articles of a dump; a page that is no sound XML is damaged.

    Pages of other namespaces than that of articles, and redirects, are skipped and counted.
    """
    tree: Any = library(
        "defusedxml.ElementTree", account.file, "Wikipedia dumps", "pip install 'eatlas[text]'"
    )
    for line, page in _pages(file, account):
        found = _NAMESPACE.search(page, 0, _HEAD)
        if found is not None and found[1] != b"0":
            account.skipped["page that is not an article"] += 1
            continue
        try:
            root = tree.fromstring(page, forbid_dtd=True)
        except (tree.ParseError, ValueError) as error:
            account.damage(line, f"no sound XML: {error}")
            continue
        title, text = root.findtext("title") or "", _latest(root)
        if found is None and _OF_OLD_DUMPS.match(title):
            account.skipped["page that is not an article"] += 1
        elif root.find("redirect") is not None or _REDIRECT.match(text):
            account.skipped["redirect"] += 1
        else:
            yield "text", plain_text(text)


def _latest(page: Any) -> str:
    """Text of the last revision of a page."""
    texts = [one.findtext("text") or "" for one in page.findall("revision")]
    return texts[-1] if texts else ""


def _pages(file: BinaryIO, account: Account) -> Iterator[tuple[int, bytes]]:
    """Yield each page with the number of the line in which it begins."""
    data, line = b"", 1
    while True:
        more = file.read(_READ)
        data += more
        at = 0
        while (end := data.find(END, at)) >= 0:
            begin = data.find(BEGIN, at, end)
            stop = end + len(END)
            if begin < 0:
                account.damage(line, "the end of a page that never began")
            else:
                line += data.count(b"\n", at, begin)
                yield line, data[begin:stop]
                at = begin
            line += data.count(b"\n", at, stop)
            at = stop
        data = data[at:]
        if not more:
            if (begin := data.find(BEGIN)) >= 0:
                account.damage(line + data.count(b"\n", 0, begin), "a page that never ends")
            return
        if len(data) > LONGEST_LINE:
            account.damage(line, f"a page of more than {LONGEST_LINE:,} bytes")
            line += data.count(b"\n")
            data = b""
