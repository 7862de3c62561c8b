"""Templates as a parameter: a name, a TOML file with #NAME for a list, or texts with ; between."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from eatlas.errors import SignatureError, StimulusError
from eatlas.untrusted import require_trust
from eatlas_models.stimuli.pairs import SEPARATOR, choose

Lists = Mapping[str, Collection[str]]
"""Lists of templates by name."""
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_FILE = re.compile(r"(.*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)


class TemplateFile(NamedTuple):
    """A TOML file, and the name of one of its lists; empty where none is named."""

    path: Path
    name: str

    def chosen(self, lists: Lists) -> str:
        """The templates of the list that is named, which take the place of the file's name."""
        return f"{SEPARATOR} ".join(choose(lists, self.name, str(self.path)))


def is_text(value: object) -> bool:
    """Whether a parameter is a text with more than blanks and ;."""
    return isinstance(value, str) and bool(parts_of(value))


def is_name(text: str) -> bool:
    """Whether a text is the name of templates that come with eatlas."""
    return _NAME.fullmatch(text.strip()) is not None


def file_of(text: str) -> TemplateFile | None:
    """The file that a text names; None where it names none, an error where it is not trusted."""
    match = _FILE.fullmatch(text)
    if match is None:
        return None
    require_trust(f"read templates from {match[1]}, which no signature of a result names")
    return TemplateFile(Path(match[1]), match[2] or "")


def parts_of(text: str) -> tuple[str, ...]:
    """Texts with ; between them."""
    return tuple(part.strip() for part in text.split(SEPARATOR) if part.strip())


def templates_of(measure: str, text: str, built_in: Lists, example: str) -> tuple[str, ...]:
    """Templates that a text names, or has."""
    if not is_name(text):
        return parts_of(text)
    try:
        return choose(built_in, text.strip(), "templates")
    except StimulusError as error:
        raise SignatureError(
            f"{measure}: {error.what.partition(': ')[2]}",
            allowed=f"{error.allowed}, a TOML file, or {example}",
        ) from error
