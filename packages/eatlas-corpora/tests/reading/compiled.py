"""What the compiled loops say of one text."""

import re
from itertools import pairwise

import numpy as np

from eatlas_corpora.reading import kernels
from eatlas_corpora.reading.files import batch_texts
from eatlas_corpora.reading.matching import Matcher, abbreviations, character_table


def find_in(matcher: Matcher, text: str) -> list[tuple[str, str]]:
    """The matches in a text, each with its stimulus."""
    data = np.frombuffer(text.encode(), np.uint8)
    places = zip(*matcher.matches(data, 0), strict=True)
    return [(data[a:b].tobytes().decode(), matcher.stimuli[number]) for a, b, number in places]


def sentences(text: str, language: str = "") -> list[str]:
    """Part a text into sentences."""
    data = np.frombuffer(text.encode(), np.uint8)
    tables = character_table(), abbreviations(language)
    words = (match.start() for match in re.finditer(rb"(?<=\s)\S", data.tobytes()))
    cuts = [0, *(k for k in words if kernels.begins(data, k, -1, tables)), len(data)]
    parts = (data[a:b].tobytes().decode().strip() for a, b in pairwise(cuts))
    return [part for part in parts if part]


def batches_of(texts):
    """Texts as a collector is given them."""
    for data, separator, _ in batch_texts((text, ()) for text in texts):
        yield np.frombuffer(data, np.uint8), separator
