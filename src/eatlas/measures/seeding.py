"""Random numbers of a measure: what a seed and the stimuli of a test decide."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

import numpy as np


def generator_of(
    seed: int, stimuli: Mapping[str, Iterable[str]], purpose: str
) -> np.random.Generator:
    """Return a generator that the seed, the stimuli by role, and a purpose decide.

    The settings of one test (sources, layers, prompts, windows, measures and their parameters)
    have the same stimuli, and therefore the same samples: what differs between them is no
    difference of samples.
    """
    names = {role: sorted(set(stimuli[role])) for role in sorted(stimuli)}
    text = json.dumps([purpose, names], ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, ">u4").tolist()])
