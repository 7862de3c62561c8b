"""From what a file says to a test: duplicates once, and a note for every change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from eatlas.errors import StimulusError
from eatlas.stimuli.faults import quoted
from eatlas.stimuli.model import ROLES, AssociationTest, identifier
from eatlas.stimuli.toml import check_test


@dataclass(frozen=True)
class Group:
    """A group as the file has it: terms may stand in it twice."""

    name: str
    terms: list[str]


@dataclass(frozen=True)
class Draft:
    """What a file says, before it is a test."""

    form: str
    """The format that the file turned out to have."""
    groups: dict[str, Group]
    """By role: X, Y, A, B."""
    notes: list[str]
    title: str = ""


def make_test(draft: Draft, path: Path, test_id: str | None) -> AssociationTest:
    """Make a test of a draft.

    Raises
    ------
    StimulusError
        If a term stands on both sides, or something in the draft cannot be part of a test.
    """
    _refuse_both_sides(draft, path)
    notes = [f"Imported from {path.name}, format {draft.form}.", *draft.notes, *_repeats(draft)]
    raw = {
        "id": test_id if test_id is not None else identifier(path.stem),
        "title": draft.title,
        "notes": notes,
        **{
            role: {"name": group.name, "terms": list(dict.fromkeys(group.terms))}
            for role, group in draft.groups.items()
        },
    }
    test, faults = check_test(raw)
    if not isinstance(test, AssociationTest):
        raise StimulusError(
            "\n".join(f"{path}: the imported test, {fault}" for fault in faults),
            remedy="mend a copy of the file, or give another id with --id",
        )
    return test


def _repeats(draft: Draft) -> list[str]:
    notes = []
    for role in ROLES:
        counts = Counter(draft.groups[role].terms)
        twice = [term for term, count in counts.items() if count > 1]
        if twice:
            notes.append(f"Given more than once in {role}, taken once: {quoted(twice)}.")
    return notes


def _refuse_both_sides(draft: Draft, path: Path) -> None:
    for one, other in (("X", "Y"), ("A", "B")):
        left, right = draft.groups[one], draft.groups[other]
        both = [term for term in dict.fromkeys(left.terms) if term in right.terms]
        if both:
            raise StimulusError(
                f"{path}: {quoted(both)} on both sides, in {one} ({left.name}) and in "
                f"{other} ({right.name})",
                allowed="a term on one side only; one that is both cannot tell the sides apart",
                remedy="decide where it belongs in a copy of the file",
            )
