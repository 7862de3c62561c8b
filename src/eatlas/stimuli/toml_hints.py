"""What somebody who does not write TOML every day probably did, where it cannot be read."""

from __future__ import annotations

import re

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
# strings and comments as a whole, so that brackets within them do not count
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""'
    r"|'''.*?'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[{}\[\]]",
    re.DOTALL,
)
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_CURLY = "“”„‟‘’‚«»"
ONE_LINE = (
    "a table in braces stands on one line: { name = ..., terms = [...] }; "
    "only the list of terms, between [ and ], may go over several lines"
)
_BY_MESSAGE = {
    "Cannot overwrite": "each key stands once; a second test begins with [[test]]",
    "Unclosed array": "terms have commas between them, and a ] behind the last",
    "Expected '='": "a key and its value are joined by =",
    "at end of document": "a quotation mark or a bracket is opened and never closed",
    "Expected newline": "a word that holds ' stands in double quotation marks",
    "Illegal character '\\n'": "a quotation mark is opened and not closed on the same line",
}


def hint(text: str, message: str) -> str | None:
    """Guess what to do about a message of the TOML parser.

    Parameters
    ----------
    text : str
        The whole file.
    message : str
        As the parser gave it, with line and column.

    Examples
    --------
    >>> hint("words = [aster]", "Invalid value (at line 1, column 10)")
    'words stand in quotation marks: "aster"'
    """
    if "twice" in message and "'test'" in message:
        return "each test begins with [[test]], in double brackets"
    if text.lstrip().startswith("{"):
        return "this looks like JSON; eatlas tests import reads the JSON of other tools"
    place = _PLACE.search(message)
    if place is not None:
        line, column = int(place[1]), int(place[2])
        before = sum(len(one) + 1 for one in text.split("\n")[: line - 1])
        if said := _hint_at(text, before + column - 1, message):
            return said
    return next((said for part, said in _BY_MESSAGE.items() if part in message), None)


def _hint_at(text: str, offset: int, message: str) -> str | None:
    """Guess from what stands where the parser stopped."""
    rest = text[offset:]
    if rest.startswith("\r") and not rest.startswith("\r\n"):
        return "save the file with the line ends of Unix (LF) or Windows (CRLF)"
    if rest[:1] and rest[0] in _CURLY:
        return f'quotation marks are straight in TOML: " and not {rest[0]}'
    if _LINE_END.match(rest) and _in_braces(text, offset):
        return ONE_LINE
    if rest.startswith("}") and text[:offset].rstrip().endswith(","):
        return "no comma stands before a closing brace"
    if "Invalid value" in message and (word := re.match(r"[^\W\d][^,\]}\n]*", rest)):
        return f'words stand in quotation marks: "{word[0].strip()}"'
    return None


def _in_braces(text: str, offset: int) -> bool:
    """Whether the last bracket that is open is a brace."""
    opened: list[str] = []
    for token in _TOKEN.finditer(text, 0, offset):
        if token[0] in "{[":
            opened.append(token[0])
        elif token[0] in "}]" and opened:
            opened.pop()
    return opened[-1:] == ["{"]
