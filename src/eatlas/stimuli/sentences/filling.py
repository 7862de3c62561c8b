"""From a test of words to the same test of sentences, and the batteries of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.association_test import OF_SENTENCES, ROLES, TARGETS, AssociationTest
from eatlas.stimuli.concepts import Concept, Sentence
from eatlas.stimuli.kinds import Battery, Test
from eatlas.stimuli.records import quoted
from eatlas.stimuli.sentences.pairs import with_capital
from eatlas.stimuli.sentences.templates import (
    PLACE,
    Forms,
    Templates,
    built_in,
    forms_of,
    read_templates,
)

_SHOWN = 8


def sentence_tests(
    tests: Iterable[Test],
    templates: str | Path | Templates | None = None,
    classes: str | Mapping[str, str] | None = None,
) -> tuple[AssociationTest, ...]:
    """Make tests of sentences of tests of words.

    Every term is put into each template of its class. A sentence knows its stimulus and its
    template; the id gets the prefix ``sent-``.

    Parameters
    ----------
    tests : iterable of AssociationTest
    templates : str, path or Templates, optional
        A TOML file of templates by class and of words with their class and forms; what it does
        not say is as in the templates of May et al. (2019, SEAT).
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
    if not isinstance(templates, Templates):
        templates = built_in() if templates is None else read_templates(templates)
    return tuple(make_sentences(test, templates, _by_role(classes, templates)) for test in tests)


def make_sentences(
    test: Test, templates: Templates, classes: Mapping[str, str] | None = None
) -> AssociationTest:
    """Make one test of sentences; `classes` by role, for words that `templates` do not know."""
    if not isinstance(test, AssociationTest):
        raise StimulusError(
            f"no sentences can be made of the test {test.id}",
            got=f"a test of the kind {test.kind}",
            allowed="tests of the kind association",
        )
    if pictures := [role for role, concept in test.parts if concept.images]:
        raise StimulusError(
            f"no sentences can be made of the test {test.id}",
            got=f"images, in {', '.join(pictures)}",
            allowed="a test of words",
        )
    if done := [role for role, concept in test.parts if concept.sentences]:
        raise StimulusError(
            f"no sentences can be made of the test {test.id}",
            got=f"terms that are already sentences, in {', '.join(done)}",
            allowed="a test of words",
        )
    chosen = {
        role: {term: _class_of(term, role, templates, classes or {}) for term in concept.terms}
        for role, concept in test.parts
    }
    _require_classes(test, chosen, templates)
    templates = _with_forms(chosen, templates)
    parts = {role: _concept(test, role, words, templates) for role, words in chosen.items()}
    note = f"Sentences made of {test.id} with the templates of {templates.source}."
    head = {"id": f"{OF_SENTENCES}{test.id}", "title": f"{test.title or test.label} (sentences)"}
    return test.model_copy(update={**head, "table": "", "notes": (*test.notes, note), **parts})


def _class_of(term: str, role: str, templates: Templates, classes: Mapping[str, str]) -> str:
    return templates.words.get(term) or classes.get(role, "")


def _concept(
    test: AssociationTest, role: str, words: Mapping[str, str], templates: Templates
) -> Concept:
    """Make the sentences of one group; `words` is the class of each of its terms."""
    made: dict[str, Sentence] = {}
    for term, name in words.items():
        sentences = [
            make_sentence(one, term, templates.forms.get(term)) for one in templates.templates[name]
        ]
        if all(sentence.text in made for sentence in sentences):
            others = dict.fromkeys(made[sentence.text].stimulus for sentence in sentences)
            raise StimulusError(
                f"test {test.id}, group {role} ({test.concept(role).name}): {term!r} makes only "
                f"sentences that are there already, of {quoted(others)}",
                allowed="terms that make sentences of their own",
                remedy="leave one of them out, or give the word another class or other forms",
            )
        for sentence in sentences:
            made.setdefault(sentence.text, sentence)
    return concept_of(test.concept(role).name, made.values())


def concept_of(name: str, sentences: Iterable[Sentence]) -> Concept:
    """Make a concept whose terms are sentences."""
    sentences = tuple(sentences)
    return Concept(name=name, terms=tuple(one.text for one in sentences), sentences=sentences)


def make_sentence(template: str, term: str, forms: Forms | None = None) -> Sentence:
    """Put a term into a template; the sentence begins with a capital."""
    text, span = fill(template, term, forms)
    return Sentence(text=with_capital(text), stimulus=term, template=template, span=span)


def fill(template: str, term: str, forms: Forms | None = None) -> tuple[str, tuple[int, int]]:
    """Put a term into a template, as both are written."""
    said = {"term": ("", term)}
    if forms is not None:
        article = forms.one.removesuffix(forms.singular)
        said |= {
            "a term": (article, forms.singular),
            "the term": ("the ", forms.singular),
            "terms": ("", forms.plural),
            "the terms": ("the ", forms.plural),
        }
    text = PLACE.sub(lambda place: "".join(said[place[1]]), template)
    place = next(PLACE.finditer(template))
    before, word = said[place[1]]
    start = place.start() + len(before)
    return text, (start, start + len(word))


def _with_forms(chosen: Mapping[str, Mapping[str, str]], templates: Templates) -> Templates:
    """Add the missing forms that the words' templates request."""
    wanting = [
        term
        for words in chosen.values()
        for term, name in words.items()
        if term not in templates.forms
        and any(set(PLACE.findall(one)) - {"term"} for one in templates.templates[name])
    ]
    if not wanting:
        return templates
    return replace(templates, forms={**templates.forms, **forms_of(wanting)})


def _require_classes(
    test: AssociationTest, chosen: Mapping[str, Mapping[str, str]], templates: Templates
) -> None:
    """Refuse words of unknown class."""
    unknown = [term for words in chosen.values() for term, name in words.items() if not name]
    if not unknown:
        return
    more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    raise StimulusError(
        f"test {test.id}: it is not known of which class these words are",
        got=f"{quoted(unknown[:_SHOWN])}{more}",
        allowed=", ".join(templates.templates),
        remedy="say it for a whole group, --class X=name (in Python, classes={'X': 'name'}), or "
        'for single words in a file of templates: [words], then person = ["nurse"]',
    )


def _by_role(classes: str | Mapping[str, str] | None, templates: Templates) -> dict[str, str]:
    """Classes of words by role, checked."""
    given = dict.fromkeys(ROLES, classes) if isinstance(classes, str) else dict(classes or {})
    for role, name in given.items():
        if role not in ROLES:
            raise StimulusError(
                f"there is no group {role!r} whose class could be given", allowed=", ".join(ROLES)
            )
        if name not in templates.templates:
            raise StimulusError(
                f"there is no class of words {name!r}{did_you_mean(name, templates.templates)}",
                allowed=", ".join(templates.templates),
            )
    return {str(role): name for role, name in given.items()}


# --- the sentence batteries, made of word batteries when needed -------------------------------

Read = Callable[[str], Battery]
"""Reads a word battery by its name."""


def sentence_battery(name: str, given: Mapping[str, Any], read: Read) -> Battery:
    """Make a battery of sentences."""
    tests = [*_of_words(given, read), *_of_texts_and_groups(given, read)]
    tables = given.get("tables", {})
    return Battery(
        id=name,
        title=given["title"],
        citation=given["citation"],
        notes=tuple(note.strip() for note in given["notes"]),
        tests=tuple(
            test.model_copy(update={"table": tables[test.id]}) if test.id in tables else test
            for test in tests
        ),
    )


def _of_words(given: Mapping[str, Any], read: Read) -> Iterator[AssociationTest]:
    for test in read(given["words"]).tests:
        yield make_sentences(test, built_in())


def _of_texts_and_groups(given: Mapping[str, Any], read: Read) -> Iterator[AssociationTest]:
    for test in given.get("test", []):
        if "words" in test:
            yield _of_texts(test, given, read)
        else:
            words = {role: _group(test[role], read) for role in ROLES}
            head = {key: test[key] for key in ("title", "citation")}
            made = make_sentences(AssociationTest(id="alternate", **words), built_in())
            yield made.model_copy(update={"id": test["id"], "notes": (), **head})


def _group(place: str, read: Read) -> Concept:
    """Find a group of a word battery by ``battery/test/role``."""
    battery, test_id, role = place.split("/")
    (test,) = (test for test in read(battery).tests if test.id == test_id)
    return test.concept(role)


def _of_texts(test: Mapping[str, Any], given: Mapping[str, Any], read: Read) -> AssociationTest:
    """Put the words of a test into texts that are not bleached."""
    (words,) = (one for one in read(given["words"]).tests if one.id == test["words"])
    parts: dict[str, Concept] = {}
    for role, concept in words.parts:
        chosen = test["targets" if role in TARGETS else "attributes"]
        # two blanks between sentences, as in the published files: tokenizers see them
        template = "  ".join(given["texts"][name] for name in chosen)
        for pronoun, said in given["fill"].get(role, {}).items():
            template = template.replace(f"{{{pronoun}}}", said)
        parts[role] = concept_of(
            concept.name, [make_sentence(template, term) for term in concept.terms]
        )
    title = f"{words.title} ({test['form']})"
    return AssociationTest(id=test["id"], title=title, citation=words.citation, **parts)
