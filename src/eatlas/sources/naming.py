"""Sources that a run calls by a name: ``NAME=SOURCE``, or a mapping from names to sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.errors import SourceError, described
from eatlas.paths import is_there
from eatlas.results.settings import known_sources
from eatlas.sources.interface import VectorSource
from eatlas.sources.opening import is_pair, named_sources, open_sources, open_vectors
from eatlas.sources.spec import parse_file_spec

LONGEST = 40
"""Characters of a name, which is the head of a column in tables."""
_NO_NAME = re.compile(r"[/\\:?#]")
"""What a text before the first equals sign holds that is part of a source string, not a name."""
_NAME = re.compile(r"[^\W_][\w .,+()-]*")
ALLOWED = (
    f"1 to {LONGEST} characters: letters, digits, blanks and . , - _ + ( ), the first of them a "
    "letter or a digit"
)


class NamedSpec(NamedTuple):
    """What is opened, and what results call it."""

    spec: Any
    """What :func:`eatlas.open_vectors` takes."""
    name: str = ""
    """Empty where the run gives it no name."""


def named_spec(text: str) -> NamedSpec:
    """Take a name off a source string.

    The text before the first equals sign is a name unless it holds a slash, a backslash or one of
    ``: ? #``, which belong to source strings, or the whole is a path that exists.
    """
    name, equals, source = text.partition("=")
    if not equals or _NO_NAME.search(name) or is_there(parse_file_spec(text).path):
        return NamedSpec(text)
    if not source.strip():
        raise SourceError(
            f"--vectors: nothing is named {name.strip()!r}", got=text, allowed="NAME=SOURCE"
        )
    return NamedSpec(source, required_name(name, source))


def required_name(name: object, source: Any) -> str:
    """Return a name without blanks around it."""
    if not isinstance(name, str):
        raise SourceError("the name of a source is not text", got=described(name), allowed=ALLOWED)
    plain = name.strip()
    if not plain:
        raise SourceError("the name of a source is empty", got=f"{name}={source}", allowed=ALLOWED)
    if len(plain) > LONGEST or not _NAME.fullmatch(plain):
        what = "too long" if len(plain) > LONGEST else "not usable"
        raise SourceError(
            f"the name of a source is {what}",
            got=f"{plain[: 2 * LONGEST]!r}, {len(plain)} characters",
            allowed=ALLOWED,
            remedy="a source string without a name needs none: a path with an equals sign is read "
            "as it is where it exists, and where a folder comes before it (./a=b.txt)",
        )
    taken = plain in known_sources() or plain in named_sources()
    if taken and str(source).partition("?")[0] != plain:
        raise SourceError(
            f"{plain!r} is the name of other vectors",
            got=f"{plain}={described(source) if not isinstance(source, str | Path) else source}",
            remedy="take another name",
        )
    return plain


def is_row(value: object) -> bool:
    """Whether this is one vector of numbers, and no source."""
    if isinstance(value, list | tuple):
        return all(isinstance(one, int | float) for one in value)
    return getattr(value, "ndim", 0) == 1


def is_by_name(given: object) -> bool:
    """Whether this is a mapping from names to sources, rather than from words to vectors."""
    if not isinstance(given, Mapping) or not given:
        return False
    sources = [key for key, value in given.items() if _is_source(value)]
    if not sources:
        return False
    vectors = [key for key, value in given.items() if is_row(value)]
    if vectors:
        raise SourceError(
            "a mapping holds sources by name or vectors by word, not both",
            got=f"a source as {sources[0]!r}, a vector as {vectors[0]!r}",
            allowed='{"50d": "glove.50d.txt", "mine": {"up": [1.0, 0.0], ...}}',
        )
    return True


def _is_source(value: object) -> bool:
    """Whether a value of a mapping can be opened as vectors by itself."""
    if isinstance(value, Mapping):  # numbers by group are a row of a table of counts
        return not all(isinstance(one, int | float) for one in value.values())
    if isinstance(value, str | Path):
        return True
    if is_row(value) or value is None or isinstance(value, int | float):
        return False
    known = ("lookup", "columns", "index_to_key", "wv")
    return is_pair(value) or callable(value) or any(hasattr(value, name) for name in known)


def specs_of(given: Any, default: str) -> list[NamedSpec]:
    """List what is opened: of a string with its name, of a mapping by its keys, of a list each."""
    if is_by_name(given):
        found = [NamedSpec(spec, required_name(name, spec)) for name, spec in given.items()]
    else:
        several = isinstance(given, list | tuple) and not is_pair(given)
        found = [one for spec in (given if several else [given]) for one in _each(spec, default)]
    counts = Counter(one.name for one in dict.fromkeys(map(_comparable, found)) if one.name)
    twice = [name for name, times in counts.items() if times > 1]
    if twice:
        raise SourceError(
            f"two sources have the name {twice[0]!r}, so their results could not be distinguished",
            got=" and ".join(
                f"{one.name}={one.spec}" if isinstance(one.spec, str | Path) else one.name
                for one in found
                if one.name == twice[0]
            ),
            remedy="give each a name of its own",
        )
    return found


def _each(spec: Any, default: str) -> list[NamedSpec]:
    """One entry of a list of sources; a mapping in a list may hold several by name."""
    if spec is None:
        return [NamedSpec(default)]
    if isinstance(spec, str):
        return [named_spec(spec)]
    if is_by_name(spec):
        return [NamedSpec(one, required_name(name, one)) for name, one in spec.items()]
    return [NamedSpec(spec)]


def _comparable(one: NamedSpec) -> NamedSpec:
    """The same with something hashable for an object."""
    return one if isinstance(one.spec, str | Path) else NamedSpec(id(one.spec), one.name)


def names_under(name: str, sources: Sequence[str]) -> list[str]:
    """What results call each of the sources that were opened under one name."""
    if not name:
        return [""] * len(sources)
    options = [_options(one) for one in sources]
    shared = set.intersection(*map(set, options)) if options else set()
    own = [[one for one in some if one not in shared] for some in options]
    return [f"{name}?{'&'.join(some)}" if some else name for some in own]


def _options(source: str) -> list[str]:
    """Options of a source string, as they are written."""
    _, _, tail = source.partition("?")
    return [one for one in tail.partition("#")[0].split("&") if one]


def distinct(specs: Iterable[NamedSpec]) -> list[NamedSpec]:
    """Each thing to open once under each name: texts first, then objects."""
    texts = {(one.name, str(one.spec)): one for one in specs if isinstance(one.spec, str | Path)}
    objects = {
        (one.name, id(one.spec)): one for one in specs if not isinstance(one.spec, str | Path)
    }
    return [*texts.values(), *objects.values()]


class Opened(NamedTuple):
    """An open source, and what results call it."""

    source: VectorSource
    name: str
    """Empty where results call it by its source string."""
    spec: NamedSpec
    """What it was opened from."""

    @property
    def called(self) -> str:
        """What results call it."""
        return self.name or self.source.name

    @property
    def source_from(self) -> str:
        """Its source string, where results know it by a name."""
        return self.source.name if self.name else ""


def open_named(given: Any, default: str = "") -> list[Opened]:
    """Open sources that may have names; a model of several layers gives one for each."""
    found = []
    for spec in distinct(specs_of(given, default)):
        sources = open_sources(spec.spec)
        under = names_under(spec.name, [one.name for one in sources])
        found += [Opened(*one, spec) for one in zip(sources, under, strict=True)]
    return found


def open_one_named(given: Any, what: str) -> Opened:
    """Open a source that may have a name: ``NAME=SOURCE``, or a mapping from its name to it."""
    if not isinstance(given, str) and not is_by_name(given):
        source = open_vectors(given)
        return Opened(source, "", NamedSpec(given))
    specs = specs_of(given, "")
    if len(specs) > 1:
        raise SourceError(
            f"{what} is of one source",
            got=", ".join(one.name for one in specs),
            allowed="one source, or NAME=SOURCE",
        )
    return Opened(open_vectors(specs[0].spec), specs[0].name, specs[0])
