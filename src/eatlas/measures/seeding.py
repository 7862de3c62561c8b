"""Generators of random numbers: the seed and the stimuli decide what is drawn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from eatlas.results.parts import Coverage
    from eatlas.stimuli import Concept, Test


def generator_of(
    seed: int, stimuli: Mapping[str, Iterable[str]], purpose: str
) -> np.random.Generator:
    """Return a generator that the seed, the stimuli by role, and a purpose decide.

    The settings of one test (sources, layers, prompts, windows, measures and their parameters)
    have the same stimuli, and therefore the same draws: what differs between them is no difference
    of draws.
    """
    names = {role: sorted(set(stimuli[role])) for role in sorted(stimuli)}
    text = json.dumps([purpose, names], ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, ">u4").tolist()])


def stimuli_of_test(test: Test) -> dict[str, tuple[str, ...]]:
    """Return the stimuli of each role: words, what sentences are made of, or hashes of images."""
    return {role: _stimuli(concept) for role, concept in test.concepts.items()}


def _stimuli(concept: Concept) -> tuple[str, ...]:
    """Return the stimuli of a concept once each, those without a vector included."""
    if concept.images:
        return tuple(concept.image_of.values())
    of_sentence = concept.stimulus_of  # made anew each time
    known = (of_sentence.get(term, term) for term in concept.terms)
    return tuple(dict.fromkeys([*known, *(term for term, _ in concept.absent)]))


def stimuli_covered(coverage: Coverage) -> dict[str, tuple[str, ...]]:
    """Return the stimuli of each role, those without a vector included, of a result's coverage."""
    return {
        group: tuple(covered.image.values()) or covered.known for group, covered in coverage.items()
    }
