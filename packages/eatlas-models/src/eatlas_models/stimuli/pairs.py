"""Sentences with a target and an attribute, and the questions for a language model."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.languages import with_capital
from eatlas.stimuli.reading import file_bytes, toml_record
from eatlas.stimuli.records import Frozen, Text, without_fault

EXAMPLE = "{target:It|They} [is|are] {attribute}."
SEPARATOR = ";"
"""Between templates in one text."""
_PLACE = re.compile(r"\{(target|attribute)(?::([^{}|]*)(?:\|([^{}|]*))?)?\}")
_PART = r"((?:[^\[\]{}|]|\{[^{}]*\})*)"
_NUMBER = re.compile(rf"\[{_PART}\|{_PART}\]")
"""``[is|are]``: the singular and the plural of what agrees with the target."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """A sentence with a target and an attribute, and the same sentence without the target."""

    text: str
    target: Span
    """Characters of the target, first and behind the last."""
    attribute: Span
    neutral: str
    """With what the template has for the target, or with nothing, in its place."""
    neutral_attribute: Span


def pair(template: str, target: str, attribute: str, *, plural: bool) -> Pair:
    """Put a target and an attribute into a template; the sentence begins with a capital."""
    agreed = _NUMBER.sub(lambda match: match[2 if plural else 1], template)
    words = {"target": target, "attribute": attribute}
    text, spans = _fill_places(agreed, words)
    (place,) = (match for match in _PLACE.finditer(agreed) if match[1] == "target")
    without = (place[3] if plural and place[3] is not None else place[2] or "").strip()
    if not without:  # nothing takes the place of the target, nor of the space behind it
        agreed = re.sub(r"(\{target[^{}]*\}) +", r"\1", agreed)
    neutral, neutral_spans = _fill_places(agreed, {**words, "target": without})
    return Pair(text, spans["target"], spans["attribute"], neutral, neutral_spans["attribute"])


def fault_of_pair(template: str) -> str | None:
    """Say what is wrong with a template; None where nothing is.

    >>> fault_of_pair("This is {attribute}.")
    "'This is {attribute}.' does not have one place {target}"
    """
    for number in (1, 2):  # the singular, the plural
        agreed = _NUMBER.sub(lambda match, number=number: match[number], template)  # type: ignore[misc]
        places = [(match[1], match[2]) for match in _PLACE.finditer(agreed)]
        for name in ("target", "attribute"):
            if [place for place, _ in places].count(name) != 1:
                return f"{template!r} does not have one place {{{name}}}"
        if dict(places)["attribute"] is not None:
            return f"{template!r}: only {{target:...}} can say what takes its place"
        if set("{}[]|;") & set(_PLACE.sub("", agreed)):
            return f"{template!r} has a bracket, a bar or a semicolon that belongs to no place"
    return None


class _Words(Frozen):
    plural: tuple[Text, ...] = ()


class PairTemplates(Frozen):
    """A file of templates with two places: by name, and the targets that take the plural."""

    templates: dict[str, tuple[Annotated[str, without_fault(fault_of_pair, EXAMPLE)], ...]] = Field(
        min_length=1
    )
    words: _Words = _Words()


@cache
def built_in_pairs() -> PairTemplates:
    """Return the templates of Husse and Spitz (2022), and the built-in targets that are plurals."""
    data = resources.files("eatlas.stimuli") / "data" / "sentences" / "pairs.toml"
    return toml_record(PairTemplates, data.read_bytes(), "pairs.toml")


def read_pairs(path: Path) -> PairTemplates:
    """Read a user's file of templates with two places."""
    return toml_record(PairTemplates, file_bytes(path), str(path))


def choose(sets: Mapping[str, Collection[str]], name: str, where: str) -> tuple[str, ...]:
    """Return the templates of one name, or all if there is only one name."""
    if not name and len(sets) == 1:
        return tuple(next(iter(sets.values())))
    if name in sets:
        return tuple(sets[name])
    raise StimulusError(
        f"{where}: there are no templates called {name!r}{did_you_mean(name, sets)}"
        if name
        else f"{where}: no templates are named",
        allowed=", ".join(sets),
        remedy=None if name else f"name them: {where}#{next(iter(sets), 'basic')}",
    )


def _fill_places(text: str, words: Mapping[str, str]) -> tuple[str, dict[str, Span]]:
    """Fill in all places, and give the spans of what was filled in."""
    parts: list[str] = []
    spans: dict[str, Span] = {}
    length = end = 0
    for place in _PLACE.finditer(text):
        before, word = text[end : place.start()], words[place[1]]
        start = length + len(before)
        spans[place[1]] = (start, start + len(word))
        parts += [before, word]
        length, end = start + len(word), place.end()
    return with_capital("".join([*parts, text[end:]])), spans


How = Literal["joint", "pll", "averaged", "product", "next", "shown", "attention", "changed"]
"""How the log-probabilities of pieces combine into the log-probability of a stimulus.

``joint``: all pieces are masked and filled in from left to right, the chain rule. ``pll``: one
piece is masked at a time while the others are shown, the pseudo-log-likelihood of Salazar et al.
(2020). ``averaged``: one mask stands for all of them, and the stimulus for a piece whose embedding
is the mean of theirs (Bao 2024). ``product``: one mask stands for all of them, and the
probabilities of the pieces at that mask are multiplied (code of Husse and Spitz 2022). ``next``:
each piece after all that precede it, for causal models.
``changed``: as joint, of the pieces that the other of two texts lacks. ``shown``: nothing is
masked. ``attention``: as shown, each piece with the mean attention that it gets as its weight.
"""
Kind = Literal["masked", "causal"]


@dataclass(frozen=True, order=True)
class Question:
    """A question: how probable is a stimulus at its place in a text.

    Examples
    --------
    >>> asked = Question("Ivy is nice.", (0, 3), (7, 11), hidden=True)
    >>> asked.stimulus, asked.other_stimulus
    ('Ivy', 'nice')
    """

    text: str
    asked: Span
    """Characters of the stimulus that is scored, first and behind the last."""
    other: Span | None = None
    """Characters of the other stimulus; None where the text has none."""
    hidden: bool = False
    """Whether the other stimulus is masked too, one mask for each of its pieces; one for all of
    them where `how` is ``product``."""
    how: How = "joint"
    shared: tuple[str, str] | None = None
    """Two texts, of which this is one: only the pieces that both have are scored, as difflib
    matches the second with the first; with ``changed`` only the others. None where all are."""

    @property
    def stimulus(self) -> str:
        """What is scored."""
        return self.text[slice(*self.asked)]

    @property
    def other_stimulus(self) -> str:
        """The text at the other place; empty where there is none."""
        return "" if self.other is None else self.text[slice(*self.other)]


@dataclass(frozen=True)
class Answer:
    """The log-probability of a stimulus, or why there is none."""

    log_probability: float | None
    """Natural logarithm, at most 0, finite; summed over pieces."""
    pieces: int = 0
    """Pieces of the stimulus that was scored."""
    other_pieces: int = 0
    """Pieces of the other stimulus; 0 where there is none."""
    fault: str = ""
    """Why there is no log-probability."""
    at: Literal["asked", "other", "text", ""] = ""
    """The stimulus that is at fault, or the text, which is too long."""

    @property
    def nats(self) -> float:
        """The log-probability; NaN where there is none."""
        return math.nan if self.log_probability is None else self.log_probability
