"""Which tests can be explored on which sources, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterable

from eatlas.errors import EatlasError
from eatlas.explorer.lists import MOST_WORDS, stimuli_of
from eatlas.explorer.named_sources import NamedSource
from eatlas.sources import is_contextual
from eatlas.stimuli import AssociationTest


def unfit(test: object) -> str:
    """Why a test cannot be explored; empty for one that can."""
    if not isinstance(test, AssociationTest):
        return "it is a test of targets and several groups"
    if test.contexts is not None:
        return "its stimuli are in contexts of a corpus"
    if any(one.images or one.images_from for one in test.concepts.values()):
        return "its stimuli are images"
    for one in test.concepts.values():
        if (n := len(stimuli_of(one))) > MOST_WORDS:
            return f"{one.name} has {n:,} words, more than {MOST_WORDS}"
    return ""


def _in_sentences(test: AssociationTest) -> bool:
    """Whether stimuli of a test are words in sentences."""
    return any(one.sentences for one in test.concepts.values())


def lacks_sentences(test: AssociationTest, sources: Iterable[NamedSource]) -> bool:
    """Whether no source encodes sentences, or has any of a test."""
    return _in_sentences(test) and not any(
        is_contextual(one.source) or _has_any(one, test) for one in sources
    )


def _has_any(source: NamedSource, test: AssociationTest) -> bool:
    found = source.embedded_concepts(test.concepts).coverage
    return any(group.used for group in found.values())


def none_of(left_out: Iterable[str]) -> EatlasError:
    """Say why no test can be explored."""
    return EatlasError(
        "none of the tests can be explored",
        got="; ".join(left_out),
        allowed="tests of four lists of words; of sentences with a source that encodes them",
        remedy="eatlas tests list shows the tests; --vectors hf:MODEL encodes sentences; eatlas "
        "run takes every test",
    )
