"""A model with three views of one association, and views of another one."""

from __future__ import annotations

import math
import re
import zlib

from tests.inputs import make_test

from eatlas_models.encoders.language import Answer
from eatlas_models.results.language_model import LanguageModelRecord

X, Y = (tuple(f"{letter}{i}" for i in range(8)) for letter in "xy")
TEST = make_test("planted", X=X, Y=Y)
QUESTION = "Which word goes better with {target}: {first} or {second}?"
ASK = f'ask(opponents=6,templates="{QUESTION}")'
STRENGTH = {word: 0.9 - i / 20 for i, word in enumerate((*X, *Y))}
"""Association of each target with A less B: it falls from the first of X to the last of Y."""
_ASKED = re.compile(r"with (\w+): (\w+) or (\w+)\?")


def noise(*parts: object) -> float:
    """A number from 0 to 1 that depends on names alone."""
    return zlib.crc32(repr(parts).encode()) / 2**32


def vectors(strength=STRENGTH):
    """Vectors whose cosines with A fall as the strength does."""
    rows = {}
    for word, s in strength.items():
        angle = (1 - s) * math.pi / 2
        rows[word] = [math.cos(angle), math.sin(angle), 0.1]
    for i, word in enumerate((*TEST.A.terms, *TEST.B.terms)):
        rows[word] = [1.0, 0.1 * i, 0.0] if i < 4 else [0.1 * (i - 4), 1.0, 0.0]
    return rows


def answers(prompts, strength=STRENGTH):
    """Answer as the strength of the target and the attributes say."""
    chosen = []
    for prompt in prompts:
        target, *options = _ASKED.search(prompt).groups()
        toward = strength[target] - 0.55
        values = [
            (toward if option in TEST.A.terms else -toward) + 0.5 * noise(target, option)
            for option in options
        ]
        chosen.append(options[values[1] > values[0]])
    return chosen


def unrelated(prompts):
    """Answer by the letters of what is asked."""
    asked = (_ASKED.search(prompt).groups() for prompt in prompts)
    return [max(options, key=lambda o, t=target: noise(t, o)) for target, *options in asked]


class Model:
    """A masked language model with the planted association."""

    name, fingerprint, notes, kind = "hf:planted", "sha256:0", (), "masked"
    about = LanguageModelRecord(
        model="planted", architecture="BertForMaskedLM", kind="masked", vocabulary=9
    )

    def score(self, questions, tell=None):
        return {question: self._answer(question) for question in questions}

    def _answer(self, question):
        toward = STRENGTH[question.stimulus.lower()] - 0.55
        other = 0.0
        if not question.hidden:
            other = toward if question.other_stimulus in TEST.A.terms else -toward
        return Answer(-9.0 + other + 0.01 * noise(question.stimulus, question.hidden), 1, 1)
