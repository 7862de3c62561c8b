"""Tests as TOML, in the form that :mod:`eatlas.stimuli.toml` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable

from eatlas.stimuli.battery import Test
from eatlas.stimuli.groups import GroupsTest
from eatlas.stimuli.model import Concept, Sentence

WIDTH = 100
_TEXTS = ("title", "citation", "table", "sentences_from")


def to_toml(tests: Iterable[Test]) -> str:
    """A whole test file.

    Examples
    --------
    >>> from eatlas.stimuli import load_tests
    >>> print(to_toml(load_tests("weat-6")).splitlines()[3])
    id = "weat-6"
    """
    return "\n\n".join(["schema = 1", *map(table, tests)]) + "\n"


def table(test: Test) -> str:
    """One test as a ``[[test]]`` table."""
    lines = ["[[test]]", f"id = {_quote(test.id)}"]
    if isinstance(test, GroupsTest):
        lines.append(f"kind = {_quote(test.kind)}")
    texts = {key: getattr(test, key) for key in _TEXTS}
    lines += [f"{key} = {_quote(text)}" for key, text in texts.items() if text]
    if test.contexts is not None:
        said = test.contexts.model_dump(exclude_none=True)
        pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in said.items())
        lines.append(f"contexts = {{ {pairs} }}")
    if test.notes:
        lines += ["notes = [", *(f"  {_quote(note)}," for note in test.notes), "]"]
    if isinstance(test, GroupsTest):
        return "\n".join([*lines, *_groups(test)])
    return "\n".join([*lines, *(f"{role} = {_concept(concept)}" for role, concept in test.parts)])


def _groups(test: GroupsTest) -> list[str]:
    groups = [f"  {_concept(group)}," for group in test.groups]
    lines = [f"targets = {_concept(test.targets)}", "groups = [", *groups, "]"]
    if test.reference == "uniform":
        return [*lines, f"reference = {_quote(test.reference)}"]
    weights = ", ".join(f"{_quote(name)} = {weight!r}" for name, weight in test.reference)
    return [*lines, f"reference = {{ {weights} }}"]


def _concept(concept: Concept) -> str:
    """A concept as an inline table; a list too long for one line is broken between terms."""
    if concept.sentences:
        spans = concept.span_of
        lines = [
            f"  {_sentence(sentence, spans.get(sentence.term))}," for sentence in concept.sentences
        ]
        absent = f", absent = {json.dumps(concept.absent)}" if concept.absent else ""
        head = f"{{ name = {_quote(concept.name)}{absent}, sentences = ["
        return "\n".join([head, *lines, "] }"])
    words = [_quote(term) for term in concept.terms]
    clusters = ", ".join(f"[{', '.join(map(_quote, one))}]" for one in concept.clusters)
    together = f" clusters = [{clusters}]," if clusters else ""
    head = f"{{ name = {_quote(concept.name)},{together} terms = ["
    line = head + ", ".join(words) + "] }"
    if len(line) + len("targets = ") <= WIDTH:
        return line
    lines, current = [head], "  "
    for word in words:
        if len(current) > 2 and len(current) + len(word) + 2 > WIDTH:
            lines.append(current.rstrip())
            current = "  "
        current += f"{word}, "
    return "\n".join([*lines, current.rstrip(), "] }"])


def _sentence(sentence: Sentence, span: tuple[int, int] | None) -> str:
    keys = ("text", "stimulus", "template", "key")
    given = ((key, getattr(sentence, key)) for key in keys)
    pairs = [f"{key} = {_quote(text)}" for key, text in given if text]
    if span is not None:
        pairs.append(f"span = {list(span)}")
    return f"{{ {', '.join(pairs)} }}"


def _quote(text: str) -> str:
    # a JSON string is a TOML basic string, but for DEL, which TOML wants escaped
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
