"""Read tables back: LaTeX by a strict reader of the little that we write, Markdown as GitHub does."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

_LATEX = {
    r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#",
    r"\%": "%", r"\_": "_", r"\textasciitilde{}": "~", r"\textdagger{}": "†", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"{\char34}": '"',
    r"{\char96}": "`", r"\textendash{}": "–", r"\ldots{}": "…", "{[}": "[", "{]}": "]", "{*}": "*", "$-$": "−",
    r"\textquotedblleft{}": "“", r"\textquotedblright{}": "”", r"\textquoteleft{}": "‘",
    r"\textquoteright{}": "’", r"$\times$": "×", r"$\leq$": "≤",
}  # fmt: skip
_LETTER = re.compile(r"\\eatlasletter\{([0-9A-F]+)\}\{(.)\}", re.DOTALL)
_PLAIN = re.compile(r"[^\\{}$&#%_^~<>|\"`\[\]*]")
_LIGATURE = re.compile("---|--|,,|''|``|`'|[!?]`")


def latex_text(written: str) -> str:
    """What LaTeX prints for an escaped text; anything that it could stumble over is refused."""
    found, at = "", 0
    while at < len(written):
        rest = written[at:]
        known = next((k for k in sorted(_LATEX, key=len, reverse=True) if rest.startswith(k)), None)
        letter = _LETTER.match(rest)
        if known:
            found, at = found + _LATEX[known], at + len(known)
        elif letter:
            assert ord(letter[2]) == int(letter[1], 16)
            found, at = found + letter[2], at + letter.end()
        elif rest.startswith("{}"):
            at += 2
        elif rest.startswith("~"):
            found, at = found + " ", at + 1
        else:
            assert _PLAIN.match(rest), f"LaTeX may stumble over {rest[:20]!r}"
            assert not _LIGATURE.match(rest), f"LaTeX joins {rest[:3]!r}"
            found, at = found + rest[0], at + 1
    return found


def markdown_tables(text: str) -> list[list[list[str]]]:
    """Tables, rows and cells that GitHub sees, breaks as line ends; emphasis is dropped."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    tables: list[list[list[str]]] = []
    inside = False
    for token in tokens:
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in {"th_open", "td_open"}:
            inside = True
        elif token.type in {"th_close", "td_close"}:
            inside = False
        elif token.type == "inline" and inside:
            tables[-1][-1].append(_inline(token))
    return tables


def _inline(token) -> str:
    parts = []
    for child in token.children:
        if child.type == "html_inline":
            assert child.content in {"<br>", "<span>", "</span>"}
            parts.append("\n" if child.content == "<br>" else "")
        else:
            assert child.type in {"text", "strong_open", "strong_close", "text_special"}, child.type
            parts.append(child.content)
    return "".join(parts)
