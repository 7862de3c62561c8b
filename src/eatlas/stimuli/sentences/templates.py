"""Templates by class of term; the class, forms and adjectives of words; files of both."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from eatlas.decoding import own_toml, read_toml, toml_bytes
from eatlas.errors import StimulusError, StimulusWarning, did_you_mean
from eatlas.stimuli.records import quoted

SCHEMA = 1
PLACES = ("term", "a term", "the term", "terms", "the terms")
"""Names of places in braces: the term as written, and its forms."""
PLACE = re.compile(r"\{([^{}]*)\}")
_TOP_KEYS = ("schema", "templates", "words")
NO_FORM = "no adjective is known for it"
"""Why a word is left out where adjectives are needed."""


@dataclass(frozen=True)
class Forms:
    """The forms of a term that templates request."""

    one: str
    """The singular with its indefinite article."""
    plural: str

    @property
    def singular(self) -> str:
        """The singular alone."""
        return self.one.split(" ", 1)[1]


@dataclass(frozen=True)
class Templates:
    """How sentences are made: templates by class of term, and what is known of single words."""

    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    """The class of each word."""
    forms: Mapping[str, Forms] = field(default_factory=dict)
    """Article and plural of each word of which they are known."""
    source: str = "May et al. (2019, SEAT)"
    """Where the templates come from."""

    def over(self, other: Templates) -> Templates:
        """Return what `self` says and, where it says nothing, what `other` says."""
        forms = {term: known for term, known in other.forms.items() if term not in self.words}
        return Templates(
            {**other.templates, **self.templates},
            {**other.words, **self.words},
            {**forms, **self.forms},
            self.source,
        )


@cache
def built_in() -> Templates:
    """Return the templates of SEAT and the words of the built-in tests."""
    folder = resources.files("eatlas.stimuli.sentences")
    templates, words = (
        parse_templates((folder / name).read_bytes(), name, known=())
        for name in ("templates.toml", "words.toml")
    )
    return words.over(templates)


def read_templates(path: str | Path) -> Templates:
    """Read a user's templates; what the file does not say is as in :func:`built_in`."""
    path = Path(path)
    read = parse_templates(bytes_of(path), str(path), known=built_in().templates)
    source = f"{path.name} and of {read.source}"
    return replace(read.over(built_in()), source=source if read.templates else read.source)


def parse_templates(data: bytes, where: str, *, known: Any) -> Templates:
    """Parse a file of templates, of words, or of both."""
    document = read_toml(data, where, StimulusError)
    templates, words = document.get("templates", {}), document.get("words", {})
    classes = {*known, *templates} if known and isinstance(templates, dict) else None
    faults = [*faults_of_the_top(document), *_of_templates(templates), *_of_words(words, classes)]
    if faults:
        raise StimulusError("\n".join(f"{where}: {fault}" for fault in faults))
    return Templates(
        {name: tuple(given) for name, given in templates.items()},
        {_term(word): name for name, given in words.items() for word in given},
        {
            word[0]: Forms(word[1], word[2])
            for given in words.values()
            for word in given
            if isinstance(word, list)
        },
    )


def fault_of(template: object) -> str | None:
    """Say what is wrong with a template."""
    if not isinstance(template, str):
        return f"{template!r} is not text (allowed: a quoted string)"
    places = PLACE.findall(template)
    if not places:
        return f"{template!r} has no place for the term (allowed: {_allowed()})"
    if wrong := [place for place in places if place not in PLACES]:
        return f"{template!r}: there is no place {{{wrong[0]}}} (allowed: {_allowed()})"
    if set("{}") & set(PLACE.sub("", template)):
        return f"{template!r} has a brace too many (allowed: {_allowed()})"
    return None


def bytes_of(path: Path) -> bytes:
    """Content of a user's file of templates."""
    try:
        return toml_bytes(path, StimulusError)
    except OSError as error:
        raise StimulusError(
            f"{path}: the file of templates cannot be read", got=error.strerror or str(error)
        ) from error


def faults_of_the_top(document: Mapping[str, Any]) -> Iterator[str]:
    """Say what is wrong with the version and the keys of a file of templates."""
    if document.get("schema") != SCHEMA or isinstance(document["schema"], bool):
        yield f"key schema: is {document.get('schema')!r} (allowed: schema = {SCHEMA})"
    for key in document:
        if key not in _TOP_KEYS:
            yield (
                f"key {key}: is not a key of a file of templates{did_you_mean(key, _TOP_KEYS)} "
                f"(allowed: {', '.join(_TOP_KEYS)})"
            )


def faults_of_lists(
    templates: Mapping[str, Any], example: str, fault: Callable[[object], str | None]
) -> Iterator[str]:
    """Say what is wrong with lists of templates by name; `fault` does so of one template."""
    for name, given in templates.items():
        if not isinstance(given, list) or not given:
            yield f'key templates.{name}: is not a list of templates (allowed: ["{example}"])'
            continue
        for number, template in enumerate(given, start=1):
            if found := fault(template):
                yield f"key templates.{name}, template {number}: {found}"


def _of_templates(templates: object) -> Iterator[str]:
    if isinstance(templates, dict):
        yield from faults_of_lists(templates, "This is {term}.", fault_of)
    else:
        yield 'key templates: is not a table (allowed: [templates], then name = ["..."])'


def _of_words(words: object, classes: set[str] | None) -> Iterator[str]:
    """Say what is wrong with words, their classes and forms."""
    if not isinstance(words, dict):
        yield 'key words: is not a table (allowed: [words], then person = ["nurse"])'
        return
    seen: dict[str, str] = {}
    for name, given in words.items():
        if classes is not None and name not in classes:
            yield (
                f"key words.{name}: there are no templates of this class"
                f"{did_you_mean(name, classes)} (allowed: {', '.join(sorted(classes))})"
            )
        for word in given if isinstance(given, list) else [None]:
            if not _is_word(word):
                yield (
                    f"key words.{name}: {word!r} is not a word "
                    '(allowed: "nurse", or with its forms ["nurse", "a nurse", "nurses"])'
                )
            elif seen.setdefault(_term(word), name) != name:
                yield f"key words.{name}: {_term(word)!r} is of the class {seen[_term(word)]} too"


def _is_word(word: object) -> bool:
    if isinstance(word, str):
        return bool(word)
    return (
        isinstance(word, list)
        and len(word) == 3
        and all(isinstance(form, str) and form for form in word)
        and word[1].split(" ")[0] in {"a", "an"}
        and len(word[1].split(" ")) > 1
    )


def _term(word: Any) -> str:
    return str(word if isinstance(word, str) else word[0])


def _allowed() -> str:
    return ", ".join(f"{{{place}}}" for place in PLACES)


def forms_of(terms: Iterable[str]) -> dict[str, Forms]:
    """Ask inflect for the article and the plural of singular terms."""
    terms = list(dict.fromkeys(terms))
    if not terms:
        return {}
    try:
        import inflect  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise StimulusError(
            f"articles and plurals of {quoted(terms[:5])} are not known",
            remedy="pip install 'eatlas[sentences]', or give the forms of each word in a file of "
            'templates: [words], then person = [["nurse", "a nurse", "nurses"]]',
        ) from error
    engine = inflect.engine()
    if plural := [term for term in terms if engine.singular_noun(term) not in {False, term}]:
        warnings.warn(
            f"taken for singulars, but they may be plurals: {quoted(plural)}; give the forms of "
            'those that are in a file of templates, as in thing = [["ants", "an ant", "ants"]]',
            StimulusWarning,
            stacklevel=2,
        )
    return {term: Forms(engine.a(term), engine.plural_noun(term)) for term in terms}


def adjectives_of(words: Iterable[str]) -> dict[str, str]:
    """Adjectives of those words that have one."""
    known, classes = _known(), built_in().words
    found = {
        word: known.get(word, word if classes.get(word) == "adjective" else None) for word in words
    }
    return {word: form for word, form in found.items() if form is not None}


@cache
def _known() -> dict[str, str]:
    data = resources.files("eatlas.stimuli.sentences") / "adjectives.toml"
    document = own_toml(data)
    return dict(document["adjectives"])
