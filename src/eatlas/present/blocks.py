"""Blocks of a page as plain values: headings, notes, tables, lists, folds and figures.

A template writes them as HTML (``blocks.html.j2``). A page of many results holds them as data, and
its script draws them (``blocks.js``) when a reader opens a result. Both know the same few kinds.

A text is a string, a list of texts, or ``{look: text}``, where the look is the name of an element,
with a class after a stop: ``{"small": "p"}``, ``{"span.as": "ebony"}``. Two looks have their own
form: ``signature`` may be broken after commas, and ``image`` is an id with its alternative text.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from eatlas.present.rendering import render
from eatlas.present.text import clean

if TYPE_CHECKING:
    from eatlas.present.columns import Cell, Table

Text = str | Sequence[Any] | Mapping[str, Any]
Block = dict[str, Any]
"""Its kind under ``is``, and what it holds."""
Drawing = Markup | Mapping[str, Any]
"""An SVG, or what the page's script needs to draw it."""
_INDENT = re.compile(r"\n\s+")
_BETWEEN = re.compile(
    r"\n+(?=</?(?:table|thead|tbody|tr|td|th|div|p|h4|ul|li|dl|dt|dd|figure|details|summary)\b)"
    r"|(?<=</td>)\n|(?<=</tr>)\n|(?<=</th>)\n"
)
"""Ends of lines between blocks, which no reader sees."""


def html_of(blocks: Sequence[Block]) -> Markup:
    """Write blocks as HTML."""
    written = render("blocks", blocks=blocks)
    return Markup(_BETWEEN.sub("", _INDENT.sub("\n", written)))  # noqa: S704  (escaped there)


PACK = 48
"""Parts that are packed together: more of them shrink better, and take longer to open."""


def pack(parts: Sequence[object], kinds: Sequence[str]) -> tuple[list[Markup], list[str]]:
    """Parts of a page as data: packs of parts, and where each part is, as ``pack.place``.

    Parts of one kind are alike, so that they shrink most if they are neighbours.
    """
    order = sorted(range(len(parts)), key=kinds.__getitem__)
    groups = [order[i : i + PACK] for i in range(0, len(order), PACK)]
    where = {part: f"{n}.{i}" for n, group in enumerate(groups) for i, part in enumerate(group)}
    packs = [deflate([parts[part] for part in group]) for group in groups]
    return packs, [where[part] for part in range(len(parts))]


def deflate(value: object) -> Markup:
    """A value as Base64 of deflated JSON, fit for a page."""
    text = clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return Markup(b64encode(zlib.compress(text.encode(), level=9)).decode())  # noqa: S704


def heading(text: Text) -> Block:
    """A heading within a result."""
    return {"is": "h4", "text": text}


def paragraph(kind: str, text: Text) -> Block:
    """A paragraph of a class."""
    return {"is": "p", "kind": kind, "text": text}


def definitions(kind: str, items: Iterable[tuple[Text, Text]]) -> Block:
    """A list of terms, each with what it stands for."""
    return {"is": "dl", "kind": kind, "items": list(items)}


def bullets(kind: str, items: Iterable[Text]) -> Block:
    """A list."""
    return {"is": "ul", "kind": kind, "items": list(items)}


def fold(kind: str, summary: Text, blocks: Iterable[Block]) -> Block:
    """Blocks that are closed until they are opened."""
    return {"is": "fold", "kind": kind, "text": summary, "blocks": list(blocks)}


def figure(kind: str, drawing: Drawing, caption: Text = "") -> Block:
    """A drawing with its caption."""
    return {"is": "figure", "kind": kind, "drawing": drawing, "text": caption}


def cell(text: Text, **look: Any) -> dict[str, Any]:
    """A cell with a class (`kind`), attributes of HTML, or a drawing."""
    return {"cell": text, **look}


def table(
    kind: str,
    label: str,
    heads: Sequence[Sequence[Any]],
    rows: Sequence[Sequence[Any]],
    **look: Any,
) -> Block:
    """A table: rows of heads, and rows of cells whose first one is their head.

    `look` may contain the classes of the columns (`kinds`), and whether heads are only for screen
    readers (`hidden`).
    """
    return {"is": "table", "kind": kind, "label": label, "heads": heads, "rows": rows, **look}


def table_of(shown: Table, kind: str, label: str) -> list[Block]:
    """A table of columns and the notes below it."""
    groups, heads = shown.groups(), []
    if len(groups) > 1 or groups[0][0]:
        heads.append(
            [
                cell(name, colspan=n, kind="group first", scope="colgroup")
                if name
                else cell("", colspan=n, blank=True)
                for name, n in groups
            ]
        )
    kinds = ["num" if column.number else "" for column in shown.columns]
    heads.append(
        [
            cell(column.title or column.short, kind=kind_of)
            for column, kind_of in zip(shown.columns, kinds, strict=True)
        ]
    )
    rows = [list(map(text_of_cell, row)) for row in shown.rows]
    return [
        table(kind, label, heads, rows, kinds=kinds),
        *(paragraph("note", note) for note in shown.notes),
    ]


def text_of_cell(shown: Cell) -> Text:
    """The lines of a cell below each other."""
    first, *others = shown.lines
    if not (others or shown.strong or shown.star):
        return first
    head: list[Text] = [{"strong": first} if shown.strong or shown.star else first]
    if shown.star:
        head.append({"span.star": "*"})
    return [*head, *({"small": line} for line in others)]
