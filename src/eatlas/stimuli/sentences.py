"""Tests of sentences, made of tests of words and templates; the batteries of sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from eatlas.decoding import own_toml
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.notes import Note, warn
from eatlas.paths import is_file
from eatlas.stimuli.concepts import Concept, Sentence, refuse_wildcards
from eatlas.stimuli.kinds import OF_SENTENCES, ROLES, TARGETS, AssociationTest, Battery, Test
from eatlas.stimuli.languages import is_english, primary, with_capital
from eatlas.stimuli.reading import file_bytes, toml_record
from eatlas.stimuli.records import Frozen, quote

PLACES = ("term", "a term", "the term", "terms", "the terms")
"""Names of places in braces: the term as written, and its forms."""
PLACE = re.compile(r"\{([^{}]*)\}")
_ALLOWED = ", ".join(f"{{{place}}}" for place in PLACES)


PUBLISHED = {"husse-spitz": "Husse and Spitz (2022, Mind Your Bias)"}
"""Names of the templates that come with eatlas in addition to SEAT's, and their origin."""
_WORD = '"nurse", or with its forms ["nurse", "a nurse", "nurses"]'


class Forms(NamedTuple):
    """The forms of a term that templates request."""

    one: str
    """The singular with its indefinite article."""
    plural: str


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
    default: str = ""
    """Class of words of which nothing is known; empty where it has to be said."""
    capital: bool = True
    """Whether each sentence begins with a capital."""

    def over(self, other: Templates) -> Templates:
        """Return what `self` says and, where it says nothing, what `other` says."""
        forms = {term: form for term, form in other.forms.items() if term not in self.words}
        return Templates(
            {**other.templates, **self.templates},
            {**other.words, **self.words},
            {**forms, **self.forms},
            self.source,
            self.default or other.default,
            self.capital,
        )


def fault_of(template: str) -> str | None:
    """Say what is wrong with a template."""
    places, fault = PLACE.findall(template), ""
    if not places:
        fault = " has no place for the term"
    elif wrong := [place for place in places if place not in PLACES]:
        fault = f": there is no place {{{wrong[0]}}}"
    elif set("{}") & set(PLACE.sub("", template)):
        fault = " has a brace too many"
    return f"{template!r}{fault} (allowed: {_ALLOWED})" if fault else None


def _template(template: str) -> str:
    if fault := fault_of(template):
        raise ValueError(fault)
    return template


def _word(word: Any) -> tuple[str, ...]:
    """A word alone, or with its article and its plural."""
    match [word] if isinstance(word, str) else word:
        case [str(term)] if term:
            return (term,)
        case [str(term), str(single), str(plural)] if single.startswith(("a ", "an ")):
            return term, single, plural
    raise ValueError(f"{word!r} is not a word (allowed: {_WORD})")


class _File(Frozen):
    """A file of templates by class, of words by class, or of both."""

    templates: dict[
        str,
        Annotated[tuple[Annotated[str, AfterValidator(_template)], ...], Field(min_length=1)],
    ] = Field(default={})
    words: dict[str, tuple[Annotated[tuple[str, ...], BeforeValidator(_word)], ...]] = Field(
        default={}
    )
    capital: bool = True


@cache
def built_in() -> Templates:
    """Return the templates of SEAT and the words of the built-in tests."""
    folder = resources.files("eatlas.stimuli") / "data" / "sentences"
    templates, words = (
        parse_templates((folder / name).read_bytes(), name)
        for name in ("templates.toml", "words.toml")
    )
    return words.over(templates)


@cache
def _other_languages() -> dict[str, Any]:
    """Templates by class, by the tag of a language that is not English."""
    data = resources.files("eatlas.stimuli") / "data" / "sentences" / "other-languages.toml"
    return own_toml(data)


@cache
def templates_in(language: str) -> Templates:
    """Return the templates that come with eatlas for a language; none of a language without."""
    if is_english(language):
        return built_in()
    templates = _other_languages().get(primary(language), {})
    source = f"eatlas in {primary(language)}, which mention the words"
    default = "word" if templates else ""
    lists = {name: tuple(texts) for name, texts in templates.items()}
    return Templates(lists, source=source, default=default)


@cache
def load_published_templates(name: str, language: str = "") -> Templates:
    """Return templates by their name, which know no words, for a test in a language."""
    if name not in PUBLISHED:
        raise StimulusError(
            f"{name}: there is no such file of templates{did_you_mean(name, PUBLISHED)}",
            allowed=f"a TOML file, or {', '.join(PUBLISHED)}",
        )
    if not is_english(language):
        raise StimulusError(
            f"the templates {name} are English, and the test is not",
            got=language,
            allowed="a file of templates in its language",
        )
    data = resources.files("eatlas.stimuli") / "data" / "sentences" / f"{name}.toml"
    return replace(parse_templates(data.read_bytes(), f"{name}.toml"), source=PUBLISHED[name])


def read_templates(path: str | Path, language: str = "") -> Templates:
    """Read a user's templates; what the file does not say is as in :func:`templates_in`.

    A name in :data:`PUBLISHED`, if no file has it, stands for those templates alone.
    """
    path = Path(path)
    if not is_file(path):
        return load_published_templates(str(path), language)
    read = parse_templates(file_bytes(path), str(path))
    templates = read.over(templates_in(language))
    for word, name in read.words.items():
        if name not in templates.templates:
            raise StimulusError(
                f"{path}, key words.{name}: there are no templates of this class"
                f"{did_you_mean(name, templates.templates)}",
                got=word,
                allowed=", ".join(sorted(templates.templates)),
            )
    of_eatlas = templates_in(language)
    mixed = f"{path.name} and of {of_eatlas.source}" if of_eatlas.templates else path.name
    return replace(templates, source=mixed if read.templates else of_eatlas.source)


def parse_templates(data: bytes, where: str) -> Templates:
    """Parse a file of templates, of words, or of both."""
    file = toml_record(_File, data, where)
    words = [(name, word) for name, words in file.words.items() for word in words]
    return Templates(
        file.templates,
        {word[0]: name for name, word in words},
        {word[0]: Forms(word[1], word[2]) for _, word in words if len(word) > 1},
        capital=file.capital,
    )


def _inflect() -> ModuleType:
    """Import inflect without compiling its checks of types, which takes seconds."""
    from unittest.mock import patch  # noqa: PLC0415  (new words alone need it)

    with ExitStack() as unchecked:
        with suppress(ImportError):  # versions of inflect differ in whether they bring it
            unchecked.enter_context(patch("typeguard.typechecked", lambda function: function))
        import inflect  # noqa: PLC0415  (an optional extra)
    return inflect


def forms_of(terms: Iterable[str]) -> dict[str, Forms]:
    """Ask inflect for the article and the plural of singular terms."""
    terms = list(dict.fromkeys(terms))
    if not terms:
        return {}
    try:
        engine = _inflect().engine()
    except ImportError as error:
        raise StimulusError(
            f"the articles and plurals of {quote(terms[:5])} are unknown",
            remedy="pip install 'eatlas[sentences]', or give the forms of each word in a file of "
            'templates: [words], then person = [["nurse", "a nurse", "nurses"]]',
        ) from error
    if plural := [term for term in terms if engine.singular_noun(term) not in {False, term}]:
        warn(Note("stimuli.plurals", values={"terms": quote(plural)}))
    return {term: Forms(engine.a(term), engine.plural_noun(term)) for term in terms}


# --- from tests of words to tests of sentences ----------------------------------------------------


def sentence_tests(
    tests: Iterable[Test],
    templates: str | Path | Templates | None = None,
    classes: str | Mapping[str, str] | None = None,
) -> tuple[AssociationTest, ...]:
    """Make tests of sentences of tests of words.

    Each template of a class takes every term of the class. A sentence knows its stimulus and its
    template; the id gets the prefix ``sent-``.

    Parameters
    ----------
    tests : iterable of AssociationTest
    templates : str, path or Templates, optional
        A TOML file of templates by class and of words with their class and forms; what it does
        not say is as in the templates of May et al. (2019, SEAT). Of tests in German, Spanish,
        French, Italian, Dutch and Portuguese: as in templates that mention a word (class ``word``)
        or a name (``name``). ``"husse-spitz"``: the templates of Husse and Spitz (2022), which
        know no words, so that each role needs a class.
    classes : str or mapping, optional
        Class of the words that no file knows: one for all, or by role (``{"X": "name"}``).

    Raises
    ------
    StimulusError
        If the class of a word is not known, a test is not of words or of another kind, two terms
        make the same sentences, or a file cannot be used.

    Warns
    -----
    StimulusWarning
        If words of the user's own may be plurals, whose article would be wrong.

    Examples
    --------
    >>> from eatlas import load_tests
    >>> test = sentence_tests(load_tests("weat-6"))[0]
    >>> test.id, test.A.terms[:2]
    ('sent-weat-6', ('This is an executive.', 'That is an executive.'))
    >>> test.A.sentences[0].stimulus, test.A.sentences[0].template
    ('executive', 'This is {a term}.')
    """
    made = []
    for test in tests:
        of_test: Any = templates
        if templates is None:
            of_test = templates_in(test.language)
        elif not isinstance(templates, Templates):
            of_test = read_templates(templates, test.language)
        by_role = dict.fromkeys(ROLES, classes) if isinstance(classes, str) else dict(classes or {})
        for role, name in by_role.items():
            if role not in ROLES or (name not in of_test.templates and of_test.templates):
                raise StimulusError(
                    f"there is no class {name!r} of words, or no group {role!r}"
                    f"{did_you_mean(name, of_test.templates)}",
                    allowed=f"{', '.join(of_test.templates)}; for {', '.join(ROLES)}",
                )
        made.append(make_sentences(test, of_test, by_role))
    return tuple(made)


def make_sentences(
    test: Test, templates: Templates, classes: Mapping[str, str] | None = None
) -> AssociationTest:
    """Make one test of sentences; `classes` by role, for words that `templates` do not know."""
    if not isinstance(test, AssociationTest) or any(c.images or c.sentences for _, c in test.parts):
        raise StimulusError(
            f"no sentences can be made of the test {test.id}",
            got=f"a test of the kind {test.kind}, or of images or sentences",
            allowed="tests of the kind association, of words",
        )
    refuse_wildcards(test.concepts, f"test {test.id}, ")
    if not templates.templates:
        raise StimulusError(
            f"test {test.id}: there are no templates of sentences in its language",
            got=test.language,
            allowed=f"{', '.join(('en', *_other_languages()))}; or your own templates",
            remedy="write a file of templates with {term} and name it: --templates FILE.toml, and "
            "--class CLASS for the class of words that they are for",
        )
    chosen = {
        role: {
            term: templates.words.get(term) or (classes or {}).get(role) or templates.default
            for term in concept.terms
        }
        for role, concept in test.parts
    }
    if unknown := [t for words in chosen.values() for t, name in words.items() if not name]:
        raise StimulusError(
            f"test {test.id}: the class of these words is unknown",
            got=listing(map(repr, unknown), 8),
            allowed=", ".join(templates.templates),
            remedy="state it for a group, --class X=name (in Python, classes={'X': 'name'}), or "
            'for single words in a file of templates: [words], then person = ["nurse"]',
        )
    if not is_english(test.language):
        _require_as_written(test, templates, {n for w in chosen.values() for n in w.values()})
    wanting = [
        term
        for words in chosen.values()
        for term, name in words.items()
        if term not in templates.forms
        and any(set(PLACE.findall(text)) - {"term"} for text in templates.templates[name])
    ]
    return _make_sentences(
        test, replace(templates, forms={**templates.forms, **forms_of(wanting)}), chosen
    )


def _make_sentences(
    test: AssociationTest, templates: Templates, classes: Mapping[str, Mapping[str, str]]
) -> AssociationTest:
    """Make the sentences of every group; `classes` has the class of each term, by role."""
    parts = {role: _concept(test, role, words, templates) for role, words in classes.items()}
    note = f"Sentences made of {test.id} with the templates of {templates.source}."
    head = {"id": f"{OF_SENTENCES}{test.id}", "title": f"{test.title or test.label} (sentences)"}
    return test.model_copy(update={**head, "table": "", "notes": (*test.notes, note), **parts})


def _require_as_written(test: Test, templates: Templates, classes: Iterable[str]) -> None:
    """Refuse English articles and plurals in another language."""
    texts = (text for name in classes for text in templates.templates[name])
    if forms := [text for text in texts if set(PLACE.findall(text)) - {"term"}]:
        raise StimulusError(
            f"test {test.id}: eatlas only knows articles and plurals of English, but the test is "
            f"in {test.language}",
            got=forms[0],
            allowed="{term}, the term as written",
            remedy="write templates in the language, in a file for --templates",
        )


def _concept(
    test: AssociationTest, role: str, words: Mapping[str, str], templates: Templates
) -> Concept:
    """Make the sentences of one group; `words` is the class of each of its terms."""
    made: dict[str, Sentence] = {}
    for term, name in words.items():
        forms, capital = templates.forms.get(term), templates.capital
        sentences = [
            make_sentence(text, term, forms, test.language, capital=capital)
            for text in templates.templates[name]
        ]
        if all(sentence.text in made for sentence in sentences):
            others = dict.fromkeys(made[sentence.text].stimulus for sentence in sentences)
            raise StimulusError(
                f"test {test.id}, group {role} ({test.concept(role).name}): {term!r} only forms "
                f"sentences that other words already form: {quote(others)}",
                remedy="remove one of them, or give the word a different class or different forms",
            )
        for sentence in sentences:
            made.setdefault(sentence.text, sentence)
    return concept_of(test.concept(role).name, made.values())


def concept_of(name: str, sentences: Iterable[Sentence]) -> Concept:
    """Make a concept whose terms are sentences."""
    sentences = tuple(sentences)
    return Concept(name=name, terms=tuple(one.term for one in sentences), sentences=sentences)


def make_sentence(
    template: str,
    term: str,
    forms: Forms | None = None,
    language: str = "",
    *,
    capital: bool = True,
) -> Sentence:
    """Put a term into a template; the sentence begins with a capital, or as the template does."""
    text, span = fill(template, term, forms)
    text = with_capital(text, language) if capital else text
    return Sentence(text=text, stimulus=term, template=template, span=span)


def fill(template: str, term: str, forms: Forms | None = None) -> tuple[str, tuple[int, int]]:
    """Put a term into a template, as both are written."""
    words = {"term": ("", term)}
    if forms is not None:
        article, _, singular = forms.one.partition(" ")
        words |= {
            "a term": (f"{article} ", singular),
            "the term": ("the ", singular),
            "terms": ("", forms.plural),
            "the terms": ("the ", forms.plural),
        }
    text = PLACE.sub(lambda place: "".join(words[place[1]]), template)
    place = next(PLACE.finditer(template))
    before, word = words[place[1]]
    start = place.start() + len(before)
    return text, (start, start + len(word))


# --- the sentence batteries, made of word batteries when needed -------------------------------

Read = Callable[[str], Battery]
"""Reads a word battery by its name."""


def sentence_battery(name: str, declared: Mapping[str, Any], read: Read) -> Battery:
    """Make a battery of sentences."""
    batteries = map(read, declared["words"])
    every = (test for battery in batteries for test in battery.tests)
    words = {test.id: test for test in every if isinstance(test, AssociationTest)}
    if "classes" in declared:
        tests = [_of_classes(words[test_id], declared) for test_id in declared["classes"]]
    else:
        tests = [make_sentences(test, built_in()) for test in words.values()]
    tests += [_of_texts(test, declared, words) for test in declared.get("test", [])]
    tables = declared.get("tables", {})
    return Battery(
        id=name,
        title=declared["title"],
        citation=declared["citation"],
        notes=tuple(note.strip() for note in declared["notes"]),
        tests=tuple(
            test.model_copy(update={"table": tables[test.id]}) if test.id in tables else test
            for test in tests
        ),
    )


def _of_classes(words: AssociationTest, declared: Mapping[str, Any]) -> AssociationTest:
    """Put each term into the templates of one class, and its plural, if any, into another's.

    What is declared of the test names both classes for its targets and for its attributes; the
    second is missing where plurals are no stimuli.
    """
    forms = built_in().forms
    chosen: dict[str, dict[str, str]] = {}
    for role, concept in words.parts:
        one, *more = declared["classes"][words.id][role not in TARGETS]
        plurals = [forms[term].plural for term in concept.terms if term in forms]
        chosen[role] = dict.fromkeys(concept.terms, one)
        for name in more:
            chosen[role] |= dict.fromkeys(plurals, name)
    made = _make_sentences(words, load_published_templates(declared["templates"]), chosen)
    return made.model_copy(update={"id": f"{declared['prefix']}{words.id}"})


def _of_texts(
    declared: Mapping[str, Any], battery: Mapping[str, Any], tests: Mapping[str, AssociationTest]
) -> AssociationTest:
    """Put the words of a test into texts that are not bleached."""
    words = tests[declared["words"]]
    parts: dict[str, Concept] = {}
    for role, concept in words.parts:
        texts = declared["targets" if role in TARGETS else "attributes"]
        # two blanks between sentences, as in the published files: tokenizers see them
        template = "  ".join(battery["texts"][name] for name in texts)
        for pronoun, word in battery["fill"].get(role, {}).items():
            template = template.replace(f"{{{pronoun}}}", word)
        parts[role] = concept_of(
            concept.name, [make_sentence(template, term) for term in concept.terms]
        )
    title = f"{words.title} ({declared['form']})"
    return AssociationTest(id=declared["id"], title=title, citation=words.citation, **parts)
