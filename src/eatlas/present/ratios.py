"""What the log-ratios of an LPBS are, in words."""

from __future__ import annotations

from eatlas.present.numerals import number_of
from eatlas.results import AssociationResult, LogRatioResult

MEANINGS = {
    "target given attribute": "log P(target | attribute) − log P(target), in nats: how much more "
    "probable {model} finds a target behind a mask in a sentence with the attribute than in the "
    "same sentence with the attribute masked too",
    "attribute given target": "log P(attribute | target) − log P(attribute), in nats: how much "
    "more probable {model} finds an attribute after the target than after a neutral word in its "
    "place",
}


def about_ratios(result: AssociationResult) -> str:
    """Say what was asked of which model in which sentences; nothing of other measures."""
    if not isinstance(result, LogRatioResult):
        return ""
    said = MEANINGS[result.direction].format(model=result.language_model.architecture)
    if result.templates:
        where = f"Sentences: {'; '.join(result.templates)}"
    else:
        count = sum(n for row in result.sentences or () for n in row)
        where = f"{number_of(count, 'sentence')} of a corpus that hold a target and an attribute."
    return f"A log-ratio is {said}. {where}"
