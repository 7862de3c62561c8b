"""Questions in other languages: each word is in a table of grammar, and agrees with its noun."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import eatlas
from eatlas.errors import StimulusError
from eatlas.stimuli import AssociationTest
from eatlas_models.stimuli.asking import fault_of_questions
from eatlas_models.stimuli.choosing import choice_of
from eatlas_models.stimuli.questions import built_in_questions, languages_of_questions, questions_in

TABLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("grammar.toml").read_text(encoding="utf-8")
)
KINDS = tuple(built_in_questions().questions)
LANGUAGES = ("de", "es", "fr", "it", "nl", "pt")
SLOT = "\0"
TOKEN = re.compile(r"\0\w+|[^\W\d_]+(?:-[^\W\d_]+)*’?|[^\s\w]|_+")
VOWELS = "aeiouéèêàâîôûhœ"


def tokens(question: str, table: Any) -> list[str]:
    """Words in lower case, punctuation, and slots; quotation marks are left with their slots."""
    opening, closing = table["quotes"]
    plain = re.sub(rf"{opening}\s*\{{(\w+)\}}\s*{closing}", rf" {SLOT}quoted ", question)
    plain = re.sub(r"\{(\w+)\}", rf" {SLOT}bare ", plain)
    plain = plain.lower()
    for word in table.get("joined", ()):
        plain = plain.replace(word, word.replace("’", ""))
    return TOKEN.findall(plain)


def agree(first: set[str], second: set[str]) -> set[str]:
    """Features that both may have: gender, number and case, where - is any."""
    return {
        "".join(b if a == "-" else a for a, b in zip(one, other, strict=True))
        for one in first
        for other in second
        if all(a == b or "-" in (a, b) for a, b in zip(one, other, strict=True))
    }


def faults(question: str, table: Any) -> Iterator[str]:
    """Each break of a rule of the table."""
    words = tokens(question, table)
    features = {
        kind: {word: set(text.split()) for word, text in table.get(kind, {}).items()}
        for kind in ("determiners", "nouns", "modifiers", "after")
    }
    determiners, nouns, modifiers = (features[k] for k in ("determiners", "nouns", "modifiers"))
    known = {*determiners, *nouns, *modifiers, *features["after"], *table["free"].split()}
    known |= table.get("governs", {}).keys()
    yield from (f"{w} is not in the table" for w in words if w[0].isalpha() and w not in known)
    yield from (f"{a} {b}" for a, b in pairwise(words) if f"{a} {b}" in table.get("never", ()))
    for at, word in enumerate(words):
        before = words[at - 1] if at else "."
        if word.startswith(SLOT):
            if word == f"{SLOT}bare" and before not in table["bare_after"]:
                yield f"a bare slot after {before}"
            if before in table.get("not_before_slot", ()):
                yield f"{before} before a slot"
            continue
        following = words[at + 1] if at + 1 < len(words) else "."
        if word in table.get("elided", ()) and following[0] in VOWELS and following != "ou":
            yield f"{word} {following} without elision"
        if word in features["after"]:
            noun = next(w for w in reversed(words[:at]) if w in nouns)
            if not agree(features["after"][word], nouns[noun]):
                yield f"{noun} ... {word}"
        if word not in determiners:
            continue
        own = determiners[word]
        if before in table.get("governs", {}):
            own = {f for f in own if f[2] in table["governs"][before]}
        yield from noun_phrase_faults(words, at, own, features, table)


def noun_phrase_faults(
    words: list[str], at: int, own: set[str], features: Any, table: Any
) -> Iterator[str]:
    """Whether the determiner at a place agrees with its modifiers and its noun."""
    nouns, position = features["nouns"], at + 1
    while position < len(words) and words[position] in features["modifiers"]:
        own = agree(own, features["modifiers"][words[position]])
        position += 1
    next_word = words[position] if position < len(words) else "."
    phrase = " ".join(words[at : position + 1])
    if next_word in nouns:
        if not agree(own, nouns[next_word]):
            yield phrase
    elif next_word in {"de", "di", "van", "von", *features["determiners"]}:  # one of several
        noun = next(word for word in words[position:] if word in nouns)
        genders = ({feature[0] for feature in some} for some in (own, nouns[noun]))
        if not agree(*genders):
            yield f"{phrase} ... {noun}"
    elif next_word in {*table.get("adverbs", ()), *table.get("superlatives", ())}:
        return  # le mieux, het eerst
    else:  # a relative pronoun, of the noun before it
        noun = next((word for word in reversed(words[:at]) if word in nouns), None)
        if noun is None or not {f[:2] for f in agree(own, nouns[noun])} & {
            f[:2] for f in nouns[noun]
        }:
            yield f"{noun} ... {phrase}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_question_agrees_with_its_nouns(language: str, kind: str) -> None:
    questions = questions_in(language)[kind]
    found = {q: list(faults(q, TABLES[language])) for q in questions}
    assert not {question: why for question, why in found.items() if why}


BROKEN = [
    ("de", "Welcher Wort passt besser zum Wort „{target}“: „{first}“ oder „{second}“?"),
    ("de", "Welches Wort passt besser zu einen Person namens {target}: „{first}“ oder „{second}“?"),
    ("de", "Welches Wort passt besser zur Beruf „{target}“: „{first}“ oder „{second}“?"),
    ("de", "Antworte nur mit einem der beiden Wort: {first} oder {second}?"),
    ("de", "Du denkst an der Gruppe „{target}“."),
    ("de", "Du liest über {target}."),
    ("de", "Wähle das Wort, der besser passt."),
    ("es", "Elige el palabra «{target}»."),
    ("es", "¿«{first}» o «{second}»?"),
    ("es", "una de los dos nombres"),
    ("es", "La respuesta entero."),
    ("fr", "Tu vois la mot « {target} »."),
    ("fr", "le nom de une personne"),
    ("fr", "la parle de {target}"),
    ("fr", "Écris le mot de le roman."),
    ("it", "Leggi un testo sul professione «{target}»."),
    ("it", "una dei due nomi"),
    ("nl", "Je ziet de woord ‘{target}’."),
    ("nl", "Kies het woord die beter past."),
    ("pt", "Um texto tem o palavra “{target}”."),
    ("pt", "uma destes dois nomes"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question"), BROKEN)
def test_a_question_that_breaks_a_rule_is_found(language: str, question: str) -> None:
    assert list(faults(question, TABLES[language]))


def test_every_language_has_eight_questions_of_every_kind() -> None:
    assert languages_of_questions() == ("en", *LANGUAGES)
    for language in LANGUAGES:
        sets = questions_in(language)
        assert tuple(sets) == KINDS
        for kind, questions in sets.items():
            assert len(questions) == len(set(questions)) == 8, (language, kind)
            assert fault_of_questions(questions) is None
            subject = "attribute" if kind == "persons" else "target"
            assert all(f"{{{subject}}}" in question for question in questions)


REFUSED = [
    "Das kann ich nicht sagen.", "Tut mir leid, Amt.", "Keines von beiden.", "Lo siento.",
    "No puedo elegir entre Amt y Heim.", "Ninguna de las dos palabras.", "Désolé, je ne peux pas.",
    "Je refuse de choisir.", "Aucun des deux.", "Mi dispiace, ma Amt no.", "Non posso scegliere.",
    "Nessuna delle due parole.", "Het spijt me.", "Ik kan niet kiezen.", "Geen van beide.",
    "Desculpe.", "Não posso escolher.", "Nenhuma das duas palavras.", "Nenhuma destas palavras.",
    "Ich kann diese Frage nicht beantworten.", "Keins von beiden.", "Weder noch.", "Keine.",
    "Weder „Amt“ noch „Heim“.", "Geen van beiden.", "Ninguna.", "Ni l’un ni l’autre.",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_are_refusals_in_every_language(text: str) -> None:
    assert choice_of(text, ("Amt", "Heim")) == "refused"


DENIED = [
    ("de", "Weder Amt."), ("es", "Ni Amt."), ("es", "Nunca Amt."), ("es", "Ningún Amt."),
    ("fr", "Pas Amt."), ("fr", "Tout sauf Amt."), ("it", "Non Amt."), ("it", "Né Amt."),
    ("it", "Nessuna Amt."), ("it", "Tutto tranne Amt."), ("it", "Meno Amt."), ("nl", "Niet Amt."),
    ("pt", "Nem Amt."), ("pt", "Nunca Amt."), ("pt", "Nenhum Amt."),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text"), DENIED)
def test_a_denied_option_is_not_chosen(language: str, text: str) -> None:
    assert choice_of(text, ("Amt", "Heim")) == "neither", language


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_option_in_the_marks_of_its_language_is_chosen(language: str) -> None:
    opening, closing = TABLES[language]["quotes"]
    for text in (f"{opening}Amt{closing}", f"{opening} Amt {closing}.", "Amt."):
        assert choice_of(text, ("Amt", "Heim")) == 0


TEST = {"X": ["Anna", "Eva"], "Y": ["Max", "Uwe"], "A": ["Büro", "Amt"], "B": ["Heim", "Kind"]}


def answer(prompts: list[str]) -> list[str]:
    """The first of the options that a prompt names."""
    options = TEST["A"] + TEST["B"]
    return [min((o for o in options if o in p), key=p.index) for p in prompts]


@pytest.mark.parametrize(("language", "templates"), [("de-AT", "auto"), ("fr", "names")])
def test_a_test_is_prompted_in_its_language(language: str, templates: str) -> None:
    test = AssociationTest(id="t", language=language, **TEST)
    result = eatlas.run(test, answer, f"ask(templates={templates})")[0]
    kind = "words" if templates == "auto" else templates
    assert result.templates == questions_in(language)[kind]
    assert result.to_test() == test
    (verdict,) = eatlas.verify([result], vectors={"answer": answer})
    assert verdict.status == "same", verdict.details


def test_a_language_without_questions_needs_ones_own() -> None:
    test = AssociationTest(id="t", language="tr", **TEST)
    with pytest.raises(StimulusError, match="no questions in its language") as raised:
        eatlas.run(test, answer, "ask")
    assert "en, de, es, fr, it, nl, pt" in str(raised.value)
