"""What a page calls that which associates: vectors, language models, or both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eatlas.results import AssociationResult, LogRatioResult

_RULE = (
    "d above the threshold (0.2 by default) with a p-value below alpha; and with B the other way "
    "round."
)
_RATIOS = (
    "Log-ratios have no upper end, so it is their differences that tell: that a model finds all "
    "pairs less probable than single words moves all four means alike."
)


@dataclass(frozen=True)
class Wording:
    """Phrases of a page about its results as a whole."""

    heading: str
    one: str
    """Who associates X and Y with A and B, if there is one source, with the verb."""
    several: str
    """If there are several."""
    associate: str
    """Who associates them in a cell of an EAT-Map."""
    described: str
    """What the numbers describe."""
    built_on: str
    """What a system would be built on."""
    association: str
    level1: str
    level3: str
    moved: str
    """Whose labels move, of targets and attributes."""
    beyond: str
    """What a bootstrap over words says nothing of."""
    complete: str
    """That no term is missing."""
    lacking: str
    """What the terms that are missing have not."""


VECTORS = Wording(
    heading="Embedding association tests",
    one="a set of vectors associates",
    several="sets of vectors associate",
    associate="the vectors associate",
    described="these vectors and these terms",
    built_on="the vectors",
    association="Closeness of vectors, measured by their cosine. A target is associated with A "
    f"when its cosines with A are larger than those with B: {_RULE}",
    level1=" The same as a WEAT.",
    level3="The cosines themselves: mean and standard deviation for each pair of a target and an "
    "attribute. Means close to 1 everywhere warn that cosines tell little in this space.",
    moved="At level 1 the target terms are relabelled, at level 2 the attribute terms.",
    beyond="other vectors or corpora",
    complete="has a vector",
    lacking="had no vector",
)
MODELS = Wording(
    heading="Association tests of language models",
    one="a language model associates",
    several="language models associate",
    associate="the model's predictions associate",
    described="what a model predicts in these sentences and of these terms",
    built_on="the model",
    association="How much more probable a language model finds a word beside another than without "
    "it, as a log-ratio. A target is associated with A when its log-ratios with A are larger than "
    f"those with B: {_RULE}",
    level1="",
    level3="The log-ratios themselves, in nats: mean and standard deviation for each pair of a "
    f"target and an attribute. {_RATIOS}",
    moved="At level 1 the target terms are relabelled, at level 2 and over attributes the "
    "attribute terms.",
    beyond="other models or sentences",
    complete="could be asked for",
    lacking="could not be asked for",
)
BOTH = Wording(
    heading="Association tests of vectors and language models",
    one="vectors and language models associate",
    several="vectors and language models associate",
    associate="the vectors, or the model's predictions, associate",
    described="these vectors, what these models predict, and these terms",
    built_on="them",
    association="Closeness of vectors, measured by their cosine, or for LPBS the log-ratio of "
    "probabilities. A target is associated with A when its cosines, or log-ratios, with A are "
    f"larger than those with B: {_RULE}",
    level1=" Of vectors, the same as a WEAT.",
    level3="The cosines or, in nats, the log-ratios themselves: mean and standard deviation for "
    "each pair of a target and an attribute. Mean cosines close to 1 everywhere warn that they "
    f"tell little in that space. {_RATIOS}",
    moved=MODELS.moved,
    beyond="other vectors, models or corpora",
    complete="could be used",
    lacking="could not be used",
)


def wording(results: Iterable[AssociationResult]) -> Wording:
    """Return the phrases that fit some results; those of vectors where there are none.

    >>> wording([]).heading
    'Embedding association tests'
    """
    of_models = {isinstance(result, LogRatioResult) for result in results}
    if of_models == {True}:
        return MODELS
    return BOTH if True in of_models else VECTORS
