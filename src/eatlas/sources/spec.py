"""Source strings: path, options after ``?``, member of an archive after ``#``; what was meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ValidationError

from eatlas.decoding import read_toml
from eatlas.errors import SourceError, nearest
from eatlas.paths import is_file, is_there

M = TypeVar("M", bound=BaseModel)
_ESCAPES = {"%": "%25", "?": "%3F", "#": "%23", "&": "%26"}
PROMPT, PROMPTS = "prompt", "prompts"
"""Options of source strings: a prompt for each word, and several that are averaged."""
MEMBER = "member"
"""What formats of other packages get among the options: what follows ``#``, if anything does."""
CONFIG, MODULES, GGUF = "config.json", "modules.json", ".gguf"
SUFFIXES = (
    ".txt", ".vec", ".bin", ".csv", ".tsv", ".kv", ".model", ".npy", ".npz", ".safetensors",
    ".parquet", ".h5", ".hdf5", ".gz", ".bz2", ".xz", ".zst", ".zip",
)  # fmt: skip
"""Of files of vectors, compressed ones included."""


@dataclass(frozen=True)
class FileSpec:
    """What a source string says about a file: where it is, how to read it, which member."""

    path: Path
    options: Mapping[str, str] = field(default_factory=dict)
    member: str | None = None


def parse_file_spec(text: str) -> FileSpec:
    """Split ``PATH?key=value&key=value#MEMBER``.

    An existing path wins: of the ways to cut the text at a ``?`` or ``#``, the longest path that
    exists is taken, and the shortest one if none exists. Keys, values and the member may contain
    percent escapes.
    """
    cuts = [len(text), *(i for i in range(len(text) - 1, 0, -1) if text[i] in "?#")]
    path = next((text[:cut] for cut in cuts if is_there(text[:cut])), text[: cuts[-1]])
    rest = text[len(path) :]
    options, mark, member = rest.removeprefix("?").partition("#")
    return FileSpec(Path(path), parse_options(options, text), unquote(member) if mark else None)


def take_option(text: str, key: str) -> tuple[str, str | None]:
    """Take one option out of a source string."""
    value = parse_file_spec(text).options.get(key)
    option = rf"(?P<before>[?&]){re.escape(key)}=[^?&#]*(?P<after>&?)"
    matches = list(re.finditer(option, text))
    if value is None or not matches:
        return text, None
    last = matches[-1]
    joint = last["before"] if last["after"] else ""
    return text[: last.start()] + joint + text[last.end() :], value


def with_option(text: str, option: str) -> str:
    """Add an option to a source string: after the others, before the member of an archive."""
    if is_there(text):
        return f"{text}?{option}"
    head, mark, member = text.partition("#")
    return f"{head}{'&' if '?' in head else '?'}{option}{mark}{member}"


def with_options(text: str, options: Mapping[str, Any]) -> str:
    """Add options to a source string.

    Parameters
    ----------
    text : str
        Such as ``"hf:bert-base-uncased"``.
    options : mapping

    Returns
    -------
    str

    Examples
    --------
    >>> with_options("glove-sample", {"transform": "center"})
    'glove-sample?transform=center'
    """
    for name, value in options.items():
        text = with_option(text, f"{name}={escape(str(value))}")
    return text


def options_of(text: str) -> dict[str, str]:
    """Return the options of a source string.

    Parameters
    ----------
    text : str

    Returns
    -------
    dict of str

    Examples
    --------
    >>> options_of("hf:bert-base-uncased?layer=3")
    {'layer': '3'}
    """
    return dict(parse_file_spec(text).options)


def parse_options(text: str, label: str) -> dict[str, str]:
    """Read ``key=value`` pairs joined by ``&``; `label` names the source in an error."""
    options: dict[str, str] = {}
    for pair in filter(None, text.split("&")):
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise SourceError(
                f"{label}: cannot parse an option",
                got=pair,
                allowed="key=value, with & between options",
                remedy=None
                if "=" in text
                else "? begins options; for training runs of one source use *: NAME=run-*.txt",
            )
        if unquote(key) in options:
            raise SourceError(f"{label}: an option is given twice", got=unquote(key))
        options[unquote(key)] = unquote(value)
    return options


def check_options(options: Collection[str], allowed: Collection[str], label: str) -> None:
    """Refuse options that are not among `allowed`."""
    if strange := [key for key in options if key not in allowed]:
        near = nearest(strange[0], allowed)
        raise SourceError(
            f"{label}: unknown option",
            got=strange[0],
            allowed=", ".join(sorted(allowed)) or "no options for this kind of source",
            remedy=f"did you mean {near[0]}?" if near else None,
        )


def choice(value: str, allowed: Collection[str], option: str, label: str) -> str:
    """The value of an option, if it is one of those allowed."""
    if value not in allowed:
        raise SourceError(
            f"{label}: the option {option} cannot be {value}",
            got=f"{option}={value}",
            allowed=", ".join(allowed),
        )
    return value


def escape(text: str) -> str:
    """Write a value so that :func:`parse_file_spec` reads it back."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def file_like(path: Path) -> str:
    """Return the path of the file or folder beside a missing one whose name is nearest to its own.

    Empty where there is none, and where the folder is not there either.
    """
    with suppress(OSError):
        names = sorted(p.name for p in path.parent.iterdir() if not p.name.startswith("."))
        if near := nearest(path.name, names):
            return str(path.with_name(near[0]))
    return ""


def model_scheme(path: Path) -> str:
    """The scheme that opens the model in a folder, or a GGUF file; empty where there is none."""
    if path.suffix.lower() == GGUF and is_file(path):
        return "hf"
    names = {MODULES: "st", CONFIG: "hf"}
    return next((scheme for name, scheme in names.items() if is_file(path / name)), "")


def parse_toml(data: bytes, label: str, model: type[M]) -> M:
    """Make a record of a TOML file; every fault is named by its key."""
    try:
        return model.model_validate(read_toml(data, label, SourceError))
    except ValidationError as error:
        faults = []
        for fault in error.errors(include_url=False):
            key = ".".join(map(str, fault["loc"]))
            message = fault["msg"].removeprefix("Value error, ")
            faults.append(f"{label}: key {key}: {message}" if key else f"{label}: key {message}")
        raise SourceError("\n".join(faults)) from error


def load(target: str) -> Any:
    """Import what ``module:name`` names."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
