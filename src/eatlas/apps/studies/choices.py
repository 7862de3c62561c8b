"""The choices that a study can vary: what each one changes, and where it means anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from eatlas.encoders.options import OPTIONS as OF_ENCODERS
from eatlas.measures import Measure

NONE = "none"
"""An alternative that leaves things as they are: no prompt, no transform, no contexts."""
TEMPLATES = "templates"
"""An alternative of `contexts`: sentences of the templates of SEAT, or ``templates:FILE``."""
Part = Literal["source", "wrapper", "texts", "measure", "run"]
"""What a choice changes: an option of an encoder, something around any source, the texts that are
encoded, a parameter of a measure, or how a job is done."""
DIMENSIONS = ("test", "stimuli", "vectors", "measure")
"""Choices that the plan declares outside ``[choices]``."""
_NOT_VARIED = {"seed", "device", "truncate", "trust_remote_code", "revision"}
"""Options of encoders that belong to a source, not to a study."""


@dataclass(frozen=True)
class Known:
    """A choice that studies know."""

    part: Part
    words: str
    """What it decides, for messages and documentation."""


KNOWN: Mapping[str, Known] = {
    **{
        name: Known("source", words)
        for name, words in OF_ENCODERS.items()
        if name not in _NOT_VARIED
    },
    "transform": Known("wrapper", "what is done with all vectors, such as center"),
    "prompt": Known("wrapper", "text that words are put into, such as 'This is {}'"),
    "contexts": Known(
        "texts", "none, templates, templates:FILE.toml, or a file of eatlas contexts"
    ),
    "window": Known("texts", "words on either side to which contexts of a corpus are cut"),
    "distance": Known("texts", "most words between the two stimuli of a pair"),
    "per_term": Known("texts", "contexts of each stimulus that are taken of a corpus"),
    "case": Known("run", "auto or exact: how terms are looked up"),
    "seed": Known("run", "of all random draws"),
}
"""Choices by name, besides the parameters of measures."""


def part_of(name: str, measures: Iterable[Measure]) -> Part | None:
    """What a choice changes; None for one that neither studies nor these measures know."""
    if name in KNOWN:
        return KNOWN[name].part
    return "measure" if name in parameters_of(measures) else None


def parameters_of(measures: Iterable[Measure]) -> list[str]:
    """Names of the parameters of measures, in their order."""
    names = (one.name for measure in measures for one in fields(measure) if one.init)
    return list(dict.fromkeys(names))


def label_of(value: object) -> str:
    """How an alternative without a name of its own is called."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
