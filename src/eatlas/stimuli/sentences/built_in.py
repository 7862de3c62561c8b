"""The sentence batteries that come with eatlas, made of its word batteries when asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from eatlas.stimuli.battery import Battery
from eatlas.stimuli.model import ROLES, AssociationTest, Concept
from eatlas.stimuli.sentences.making import concept_of, make_sentence, make_sentences
from eatlas.stimuli.sentences.templates import built_in

Read = Callable[[str], Battery]
"""Reads a word battery by its name."""


@cache
def declared() -> Mapping[str, Mapping[str, Any]]:
    """Return what is declared of each sentence battery, by its name."""
    data = resources.files("eatlas.stimuli.sentences") / "batteries.toml"
    document = tomllib.loads(data.read_text(encoding="utf-8"))
    return {battery["id"]: battery for battery in document["battery"]}


def sentence_battery(name: str, read: Read) -> Battery:
    """Make a battery of sentences.

    Parameters
    ----------
    name : str
        One of :func:`declared`.
    read : callable
        Returns a word battery by its name.
    """
    given = declared()[name]
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
    concept: Concept = dict(test.parts)[role]
    return concept


def _of_texts(test: Mapping[str, Any], given: Mapping[str, Any], read: Read) -> AssociationTest:
    """Put the words of a test into texts that are not bleached."""
    (words,) = (one for one in read(given["words"]).tests if one.id == test["words"])
    parts: dict[str, Concept] = {}
    for role, concept in words.parts:
        chosen = test["targets" if role in "XY" else "attributes"]
        template = " ".join(given["texts"][name] for name in chosen)
        for pronoun, said in given["fill"].get(role, {}).items():
            template = template.replace(f"{{{pronoun}}}", said)
        parts[role] = concept_of(
            concept.name,
            [make_sentence(template, term) for term in concept.terms],
        )
    title = f"{words.title} ({test['form']})"
    return AssociationTest(id=test["id"], title=title, citation=words.citation, **parts)
