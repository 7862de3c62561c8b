"""An encoder without a model: it counts letters, slowly if asked, and says what it was asked."""

import time

import numpy as np

from eatlas.results.parts import Encoding
from eatlas.sources import Found, Item, Source


class Letters(Source):
    """Counts of letters of the stimulus and of the text; `pause` seconds for a batch of 50."""

    dim = 27
    name = fingerprint = encoding = None

    def __init__(self, name="letters", level="word", pause=0.0, fingerprint="letters:1"):
        self.name, self.pause, self.fingerprint = name, pause, fingerprint
        self.encoding = Encoding(model=name, architecture="counts", level=level)
        self.asked = []

    def encode_batches(self, passages):
        passages = list(passages)
        for i in range(0, len(passages), 50):
            some = passages[i : i + 50]
            self.asked += some
            time.sleep(self.pause)
            yield {one: vector(one, self.encoding.level) for one in some}

    def vectors(self, passages):
        for batch in self.encode_batches(passages):
            yield {one: Found(vector) for one, vector in batch.items()}


def vector(passage, level):
    text = passage.text.lower()
    counts = np.array([text.count(chr(97 + i)) for i in range(26)] + [len(text)], np.float32)
    if level == "word":
        counts[0] += 100 * passage.stimulus.count("a") + (passage.span or (0,))[0]
    return counts / np.float32(3)


def passages(n, about="word"):
    return [Item(f"This is {about} {i}.", (8, 8 + len(about))) for i in range(n)]
