"""Dumps of Wikipedia: articles, and from their markup to plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

_LEFT_OUT = (
    "ref", "math", "chem", "gallery", "timeline", "syntaxhighlight", "source", "score", "imagemap",
    "graph", "hiero", "inputbox", "mapframe", "maplink", "templatedata", "templatestyles",
)  # fmt: skip
"""Tags that are left out with all that is between."""
_TAG = re.compile(
    rf"<!--|<(?P<name>{'|'.join(_LEFT_OUT)})\b(?P<rest>[^<>]*)>", re.IGNORECASE | re.DOTALL
)
_BRACKET = re.compile(r"\{\{+|\}\}+|^[ \t:]*\{\||^[ \t]*\|\}|\[\[|\]\]", re.MULTILINE)
_DEEPEST = 60
"""Brackets within brackets; what is deeper is taken for text, so that nothing takes for ever."""
_WITHOUT_TEXT = frozenset(
    {"file", "image", "media", "category", "datei", "bild", "kategorie", "fichier", "catégorie"}
    | {"archivo", "imagen", "categoría", "immagine", "categoria", "bestand", "categorie"}
    | {"ficheiro", "imagem", "plik", "kategoria", "файл", "изображение", "категория", "категорія"}
    | {"fil", "kategori", "dosya", "tiedosto", "luokka", "soubor", "fájl", "kategória", "αρχείο"}
    | {"κατηγορία", "קובץ", "קטגוריה", "ملف", "تصنيف", "پرونده", "رده", "चित्र", "श्रेणी", "চিত্র"}
    | {"tập tin", "thể loại", "berkas", "ไฟล์", "หมวดหมู่", "ファイル", "파일", "분류", "文件", "檔案"}
    | {"分类", "分類"}
)
"""Namespaces of links to pictures and categories, in the largest Wikipedias."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*$|simple$")
_OUTSIDE = re.compile(r"\[(?:https?:|ftp:|mailto:|//)([^\[\]\n]*)\]", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|p|div|li|tr|td|blockquote)\b[^<>]*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_QUOTES = re.compile(r"'{2,}")
_MAGIC = re.compile(r"__[A-Z]+__")
_LIST = re.compile(r"[*#:;]+[ \t]*")
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{20,}|[xX][0-9a-fA-F]{20,});?")
"""References to characters beyond all that there are, with more digits than Python converts."""
_PAIRS = {"{{": "}}", "{|": "|}", "[[": "]]"}


def plain_text(markup: str) -> str:
    r"""Return the running text of an article, its lines as paragraphs.

    Headings and items of lists are paragraphs of their own, so that no sentence begins in one.
    """
    text = _without_brackets(_without_tags(markup))
    text = _OUTSIDE.sub(lambda link: link[1].partition(" ")[2], text)
    text = _ANY_TAG.sub("", _BREAK.sub(" ", text))
    text = _MAGIC.sub("", _QUOTES.sub("", text))
    text = html.unescape(_NO_CHARACTER.sub("\ufffd", text)).replace("\u00a0", " ")
    return "\n\n".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    """Lines that hold something, without the marks of headings and lists."""
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith("=") and bare.endswith("="):
            bare = bare.strip("=").strip()
        elif (mark := _LIST.match(bare)) is not None:
            bare = bare[mark.end() :]
        if bare and not bare.startswith("----"):
            yield bare


def _without_tags(text: str) -> str:
    """Leave out comments and tags without running text; what is not closed stays."""
    parts, at, unclosed = [], 0, set[str]()
    for tag in _TAG.finditer(text):
        if tag.start() < at:
            continue
        name = (tag["name"] or "").lower()
        end = tag.end()
        if name not in unclosed and not (tag["rest"] or "").endswith("/"):
            # not in text.lower(), where places may be others: İ has two characters there
            closing = re.compile(f"</{re.escape(name)}" if name else "-->", re.IGNORECASE)
            last = closing.search(text, end)
            if last is None:
                unclosed.add(name)
                continue
            end = last.end() if not name else text.find(">", last.end()) + 1 or len(text)
        parts.append(text[at : tag.start()])
        at = end
    return "".join((*parts, text[at:]))


def _without_brackets(text: str) -> str:
    """Leave out templates and tables; put the text of links in their place."""
    parts: list[str] = []
    opened: list[tuple[str, int]] = []
    at = 0
    for match in _BRACKET.finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        bracket = match[0].strip(" \t:")
        for _ in range(len(bracket) // 2):  # }}}} closes two templates
            _meet(bracket[:2], parts, opened)
    return "".join((*parts, text[at:]))


def _meet(bracket: str, parts: list[str], opened: list[tuple[str, int]]) -> None:
    """Take in one bracket: open, or close the nearest of its kind."""
    if bracket in _PAIRS:
        if len(opened) < _DEEPEST:
            opened.append((_PAIRS[bracket], len(parts)))
        return
    kinds = [kind for kind, _ in opened]
    if bracket not in kinds:
        return
    while (last := opened.pop())[0] != bracket:
        pass  # what was opened within and never closed
    inside = "".join(parts[last[1] :])
    del parts[last[1] :]
    if bracket == "]]":
        parts.append(_of_link(inside))


def _of_link(inside: str) -> str:
    """What a reader sees of a link."""
    target, bar, shown = inside.partition("|")
    name, colon, _ = target.partition(":")
    name = name.strip()
    if colon and name.casefold() in _WITHOUT_TEXT:
        return ""
    if colon and not bar and _LANGUAGE.fullmatch(name):
        return ""  # the article in another language
    return shown if bar else target.removeprefix(":")


BEGIN, END = b"<page>", b"</page>"
ROOT = b"<mediawiki"
_NAMESPACE = re.compile(rb"<ns>\s*(-?\d+)\s*</ns>")
_HEAD = 4096
"""Bytes of a page within which title, namespace and redirect are."""
_REDIRECT = re.compile(r"\s*#\s*redirect", re.IGNORECASE)


def is_dump(head: bytes) -> bool:
    """Whether a file begins as a dump of a wiki does, or as a part of one."""
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return begin.startswith((ROOT, BEGIN)) or (begin.startswith(b"<?xml") and ROOT in begin)


def article(page: bytes, tree: Any) -> tuple[str, str]:
    """Return the text of a page of a dump, or why it has none; `tree` parses XML without harm."""
    namespace = _NAMESPACE.search(page, 0, _HEAD)
    if namespace is not None and namespace[1] != b"0":
        return "", "page that is not an article"
    root = tree.fromstring(page, forbid_dtd=True)
    text = root.findtext("revision[last()]/text") or ""
    if root.find("redirect") is not None or _REDIRECT.match(text):
        return "", "redirect"
    return plain_text(text), ""
