"""Sources that a run calls by a name: ``NAME=SOURCE``, or a mapping from names to sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.errors import SourceError, described
from eatlas.paths import is_there
from eatlas.results.settings import known_sources
from eatlas.sources.opening import is_pair, named_sources, open_sources, open_vectors
from eatlas.sources.source import Source, is_source
from eatlas.sources.spec import parse_file_spec

LONGEST = 40
"""Characters of a name, which is the head of a column in tables."""
_NO_NAME = re.compile(r"[/\\:?#]")
"""What a text before the first equals sign holds that is part of a source string, not a name."""
_NAME = re.compile(rf"(?=.{{1,{LONGEST}}}$)[^\W_][\w .,+()-]*")
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

    @property
    def key(self) -> tuple[str, object]:
        """Equal for two that open the same under one name."""
        text = isinstance(self.spec, str | Path)
        return self.name, str(self.spec) if text else id(self.spec)


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
    plain = name.strip() if isinstance(name, str) else ""
    if not _NAME.fullmatch(plain):
        raise SourceError(
            "the name of a source is not usable",
            got=described(name if not isinstance(name, str) else name[: 2 * LONGEST]),
            allowed=ALLOWED,
            remedy="a path with an equals sign is read as it is where it exists, and where a "
            "folder comes before it (./a=b.txt)",
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
        return all(isinstance(number, int | float) for number in value)
    return getattr(value, "ndim", 0) == 1


def is_by_name(given: object) -> bool:
    """Whether this is a mapping from names to sources, rather than from words to vectors."""
    if not isinstance(given, Mapping):
        return False
    sources = [key for key, value in given.items() if _opens_alone(value)]
    vectors = [key for key, value in given.items() if is_row(value)]
    if sources and vectors:
        raise SourceError(
            "a mapping holds sources by name or vectors by word, not both",
            got=f"a source as {sources[0]!r}, a vector as {vectors[0]!r}",
            allowed='{"50d": "glove.50d.txt", "mine": {"up": [1.0, 0.0], ...}}',
        )
    return bool(sources)


def _opens_alone(value: object) -> bool:
    """Whether a value of a mapping can be opened as vectors by itself."""
    if isinstance(value, Mapping):  # numbers by group are a row of a table of counts
        return not all(isinstance(number, int | float) for number in value.values())
    if is_row(value) or value is None or isinstance(value, int | float):
        return False
    marks = ("columns", "index_to_key", "wv")
    openable = isinstance(value, str | Path) or is_source(value) or callable(value)
    return openable or is_pair(value) or any(hasattr(value, mark) for mark in marks)


def specs_of(given: Any, default: str) -> list[NamedSpec]:
    """List what is opened: of a string with its name, of a mapping by its keys, of a list each."""
    several = isinstance(given, list | tuple) and not is_pair(given)
    specs: list[NamedSpec] = []
    for spec in given if several else [given]:
        if is_by_name(spec):
            specs += [NamedSpec(one, required_name(name, one)) for name, one in spec.items()]
        elif isinstance(spec, str):
            specs.append(named_spec(spec))
        else:
            specs.append(NamedSpec(default if spec is None else spec))
    by_name: dict[str, NamedSpec] = {}
    for spec in specs:
        first = by_name.setdefault(spec.name, spec)
        if spec.name and first.key != spec.key:
            raise SourceError(
                f"two sources have the name {spec.name!r}, so their results could not be "
                "distinguished",
                got=" and ".join(
                    f"{spec.name}={one.spec}" if isinstance(one.spec, str | Path) else spec.name
                    for one in (first, spec)
                ),
                remedy="give each a name of its own",
            )
    return specs


def distinct(specs: Iterable[NamedSpec]) -> list[NamedSpec]:
    """Each thing to open once under each name: texts first, then objects."""
    once = {spec.key: spec for spec in specs}.values()
    return sorted(once, key=lambda spec: not isinstance(spec.spec, str | Path))


def names_under(name: str, sources: Sequence[str]) -> list[str]:
    """What results call each of the sources that were opened under one name."""
    if not name:
        return [""] * len(sources)
    tails = (source.partition("?")[2].partition("#")[0] for source in sources)
    options = [[option for option in tail.split("&") if option] for tail in tails]
    shared = set.intersection(*map(set, options)) if options else set()
    own = [[option for option in some if option not in shared] for some in options]
    return [f"{name}?{'&'.join(some)}" if some else name for some in own]


class Opened(NamedTuple):
    """An open source, and what results call it."""

    source: Source
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
    """Open sources that may have names; a model of several layers gives one for each.

    Parameters
    ----------
    given : what :func:`eatlas.run` takes as vectors
        A source, ``"NAME=SOURCE"``, a mapping from names to sources, or several of them.
    default : str
        Taken in place of None.

    Returns
    -------
    list of Opened
        Each with its source, the name that results call it by, and what it was opened from.
    """
    opened = []
    for spec in distinct(specs_of(given, default)):
        sources = open_sources(spec.spec)
        names = names_under(spec.name, [source.name for source in sources])
        opened += [Opened(*pair, spec) for pair in zip(sources, names, strict=True)]
    return opened


def open_one_named(given: Any, what: str) -> Opened:
    """Open a source that may have a name: ``NAME=SOURCE``, or a mapping from its name to it."""
    specs = specs_of([given] if isinstance(given, list | tuple) else given, "")
    if len(specs) > 1:
        raise SourceError(
            f"{what} is of one source",
            got=", ".join(spec.name for spec in specs),
            allowed="one source, or NAME=SOURCE",
        )
    return Opened(open_vectors(specs[0].spec), specs[0].name, specs[0])
