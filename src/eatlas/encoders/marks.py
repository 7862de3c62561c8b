"""What a cache keeps beside a vector: what there is to tell of its text."""

from __future__ import annotations

from eatlas.sources.passages import Unknown

_CUT = "cut"
_UNKNOWN: dict[Unknown, str] = {"": "", "part": "unknown in part", "all": "unknown"}


def marked(*, cut: bool, unknown: Unknown) -> str:
    """Write a mark.

    Examples
    --------
    >>> marked(cut=True, unknown="part"), marked(cut=False, unknown="")
    ('cut;unknown in part', '')
    """
    return ";".join(filter(None, [_CUT * cut, _UNKNOWN[unknown]]))


def was_cut(mark: str) -> bool:
    """Whether the text was cut.

    Examples
    --------
    >>> was_cut("cut;unknown"), was_cut("unknown")
    (True, False)
    """
    return _CUT in mark.split(";")


def unknown_in(mark: str) -> Unknown:
    """How much of the stimulus the tokenizer does not know.

    Examples
    --------
    >>> unknown_in("cut;unknown"), unknown_in("cut")
    ('all', '')
    """
    said = mark.split(";")
    return next((how for how, text in _UNKNOWN.items() if text and text in said), "")
