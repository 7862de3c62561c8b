"""``glove-sample``: real GloVe vectors that come with the package."""

from __future__ import annotations

from functools import cache
from importlib import resources

from eatlas.sources.memory import ArraySource

NAME = "glove-sample"


@cache
def sample_words() -> tuple[str, ...]:
    """Words of the sample, in the order of GloVe 6B."""
    data = resources.files("eatlas.sources") / "data"
    return tuple((data / f"{NAME}.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1])


@cache
def open_sample() -> ArraySource:
    """Open the bundled sample of GloVe 6B, 100 dimensions.

    It has the 10,000 most frequent words and every word of the word lists that the papers print.

    Examples
    --------
    >>> open_sample().dim
    100
    """
    from safetensors.numpy import load  # noqa: PLC0415  (only this source needs it)

    data = resources.files("eatlas.sources") / "data"
    vectors = load((data / f"{NAME}.safetensors").read_bytes())["vectors"]
    return ArraySource(sample_words(), vectors, name=NAME, ordered=True)
