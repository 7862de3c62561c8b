"""Tests of other software as tests of ours: sent-bias, Mind Your Bias, WEFE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eatlas.decoding import json_value
from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.association_test import OPPOSITES, ROLES, identifier
from eatlas.stimuli.kinds import OF_TARGETS, Test
from eatlas.stimuli.records import quoted
from eatlas.stimuli.toml import check_test

KEYS = ("targ1", "targ2", "attr1", "attr2")
"""Keys of the groups in files of sent-bias and Mind Your Bias, in the order of X, Y, A and B."""
SETS = ("target_sets", "attribute_sets")
"""Keys of the groups in queries of WEFE."""
Words = Annotated[list[str], Field(min_length=1)]


class _Object(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class _SeatSet(_Object):
    category: str
    examples: Words


class _SeatFile(_Object):
    targ1: _SeatSet
    targ2: _SeatSet
    attr1: _SeatSet
    attr2: _SeatSet


class _MindSet(_Object):
    singular: Words
    plural: Words | None = None
    concept: str | None = None


class _MindFile(_Object):
    targ1: _MindSet
    targ2: _MindSet
    attr1: _MindSet
    attr2: _MindSet


class _Query(_Object):
    target_sets: dict[str, Words]
    attribute_sets: dict[str, Words]
    query_name: str = ""

    @model_validator(mode="before")
    @classmethod
    def _name_the_sets(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Put lists of sets under their names."""
        named = {}
        for key in SETS:
            sets, names = content.get(key), content.get(f"{key}_names")
            if isinstance(sets, list):
                if not isinstance(names, list) or len(names) != len(sets):
                    raise ValueError(f"{key}_names: does not name every set")
                named[key] = dict(zip(map(str, names), sets, strict=True))
        return {**content, **named}


@dataclass(frozen=True)
class Draft:
    """What a file says, before it is a test."""

    form: str
    """The format that the file turned out to have."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the groups X, Y, A and B; or of ``targets`` and of groups, by themselves."""
    terms: dict[str, list[str]] = field(default_factory=dict)
    """Their terms; some may be there twice."""
    notes: list[str] = field(default_factory=list)
    title: str = ""


def import_test(
    path: str | Path, form: str, *, test_id: str | None = None, plurals: bool = False
) -> Test:
    """Read one test from a file of other software.

    Exact duplicates within a group are taken once, and ``notes`` say so, as they do of anything
    else in the file that was not taken.

    Parameters
    ----------
    path : str or path
        A JSON file (UTF-8).
    form : {"sent-bias", "mind-your-bias", "wefe"}
        ``sent-bias`` recognises the word sets of Mind Your Bias too.
    test_id : str, optional
        The test's id; the file's name without its ending if not given.
    plurals : bool
        Take the plural forms in word sets of Mind Your Bias, after the singulars.

    Returns
    -------
    AssociationTest or GroupsTest
        Of groups for a query of WEFE with one set on one side, whose terms are the targets.

    Raises
    ------
    StimulusError
        If the file cannot be read, is not of that format, is not a test of either kind, or has a
        term on both sides.

    Examples
    --------
    >>> import json, tempfile
    >>> groups = {"targ1": ["rose"], "targ2": ["ant"], "attr1": ["love"], "attr2": ["war"]}
    >>> content = {k: {"category": k, "examples": terms} for k, terms in groups.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.jsonl"
    ...     _ = path.write_text(json.dumps(content))
    ...     import_test(path, "sent-bias").label
    'targ1/targ2, attr1/attr2'
    """
    if form not in FORMATS:
        raise StimulusError(
            f"there is no format {form!r} to import{did_you_mean(form, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    path = Path(path)
    try:
        content = json_value(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except (ValueError, RecursionError) as error:
        raise StimulusError(
            f"{path}: this is not JSON in UTF-8",
            got=str(error)[:200],
            remedy="one file holds one JSON object, as json.dump writes it",
        ) from error
    if not isinstance(content, dict):
        raise StimulusError(
            f"{path}: a JSON object was expected",
            got=f"a value of the type {type(content).__name__}",
            allowed="{ ... }",
        )
    first = content.get(KEYS[0])
    if form == "sent-bias" and isinstance(first, dict) and "singular" in first:
        form = "mind-your-bias"
    if plurals and form != "mind-your-bias":
        raise StimulusError(
            f"{path}: a file of the format {form} has no plural forms",
            allowed="--plurals with word sets of Mind Your Bias",
        )
    return _made(FORMATS[form](content, str(path), plurals), path, test_id)


def _made(draft: Draft, path: Path, test_id: str | None) -> Test:
    """Make a test of a draft: duplicates once, and a note for every change."""
    of_groups = OF_TARGETS in draft.terms
    for left, right in () if of_groups else OPPOSITES:
        if both := [
            term for term in dict.fromkeys(draft.terms[left]) if term in draft.terms[right]
        ]:
            raise StimulusError(
                f"{path}: {quoted(both)} on both sides, in {left} ({draft.names[left]}) and in "
                f"{right} ({draft.names[right]})",
                allowed="a term on one side only; one that is both cannot distinguish the sides",
                remedy="decide where it belongs in a copy of the file",
            )
    concepts = {
        role: {"name": draft.names[role], "terms": list(dict.fromkeys(terms))}
        for role, terms in draft.terms.items()
    }
    raw = {
        "id": test_id if test_id is not None else identifier(path.stem),
        "title": draft.title,
        "notes": [
            f"Imported from {path.name}, format {draft.form}.",
            *draft.notes,
            *(
                f"Given more than once in {role}, taken once: {quoted(twice)}."
                for role, terms in draft.terms.items()
                if (twice := [t for t, n in Counter(terms).items() if n > 1])
            ),
        ],
        **_parts(concepts),
    }
    test, faults = check_test(raw)
    if test is None:
        raise StimulusError(
            "\n".join(f"{path}: the imported test, {fault}" for fault in faults),
            remedy="correct a copy of the file, or choose another id with --id",
        )
    return test


def _parts(concepts: dict[str, Any]) -> dict[str, Any]:
    """Concepts as keys of a test of either kind."""
    if OF_TARGETS not in concepts:
        return concepts
    groups = [one for role, one in concepts.items() if role != OF_TARGETS]
    of_groups = {"kind": "groups", "reference": "uniform", "groups": groups}
    return {**of_groups, OF_TARGETS: concepts[OF_TARGETS]}


File = TypeVar("File", bound=_Object)


def _checked(kind: type[File], content: dict[str, Any], file: str) -> File:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            key = ".".join(map(str, fault["loc"]))
            said = f"{key}: {fault['msg']}" if key else fault["msg"].removeprefix("Value error, ")
            faults.append(f"{file}, key {said}")
        raise StimulusError(
            "\n".join(faults), remedy="check that --format is the format of the file"
        ) from error


def _unused(values: Iterable[str], used: Collection[str], key: str = "the file") -> list[str]:
    """Note the keys that were not taken, if there are any."""
    left = ", ".join(name for name in values if name not in used)
    return [f"Not taken from {key}: {left}."] if left else []


def _sent_bias(content: dict[str, Any], file: str, _plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"category": ..., "examples": [...]}, ...}`` (May et al. 2019, SEAT)."""
    sets = _checked(_SeatFile, content, file)
    draft = Draft("sent-bias", notes=_unused(content, KEYS))
    for role, key in zip(ROLES, KEYS, strict=True):
        group: _SeatSet = getattr(sets, key)
        draft.names[role], draft.terms[role] = group.category, group.examples
        draft.notes.extend(_unused(content[key], ("category", "examples"), key))
    return draft


def _mind_your_bias(content: dict[str, Any], file: str, plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"concept": ..., "singular": [...], "plural": [...]}, ...}`` (Husse and Spitz).

    The singular forms are the stimuli; plurals and adjectives serve templates. In the simplified
    sets, whose plurals are stimuli (he; men, boys), `plurals` takes them too.
    """
    sets = _checked(_MindFile, content, file)
    draft = Draft("mind-your-bias", notes=_unused(content, KEYS))
    for role, key in zip(ROLES, KEYS, strict=True):
        group: _MindSet = getattr(sets, key)
        more = group.plural or [] if plurals else []
        draft.terms[role], draft.names[role] = group.singular + more, group.concept or key
        if group.concept is None:
            draft.notes.append(f"The file gives no name for {role}; {key} is its key.")
        used = ("concept", "singular", *(["plural"] if plurals else []))
        draft.notes.extend(_unused(content[key], used, key))
    return draft


def _wefe(content: dict[str, Any], file: str, _plurals: bool) -> Draft:  # noqa: FBT001
    """A query of WEFE as JSON, for example ``json.dump(vars(query), file)``.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.
    """
    query = _checked(_Query, content, file)
    targets, attributes = list(query.target_sets.items()), list(query.attribute_sets.items())
    fewer, more = sorted((targets, attributes), key=len)
    if len(targets) == len(attributes) == 2:
        sets = dict(zip(ROLES, (*targets, *attributes), strict=True))
    elif len(fewer) == 1 < len(more):
        sets = {OF_TARGETS: fewer[0], **{name: (name, terms) for name, terms in more}}
    else:
        larger = len(fewer) >= 2
        raise StimulusError(
            f"{file}: this query is not an association test",
            got=f"{len(targets)} target sets and {len(attributes)} attribute sets",
            allowed="two target sets and two attribute sets; or one of either, whose terms are the "
            "targets of a test of groups, and two or more of the other",
            remedy="WEFE splits it: query.get_subqueries((2, 2)); import each" if larger else None,
        )
    names = [f"{key}_names" for key in SETS if isinstance(content[key], list)]
    return Draft(
        "wefe",
        {role: name for role, (name, _) in sets.items()},
        {role: terms for role, (_, terms) in sets.items()},
        _unused(content, (*SETS, *names, "template", "query_name")),
        query.query_name,
    )


FORMATS: dict[str, Callable[[dict[str, Any], str, bool], Draft]] = {
    "sent-bias": _sent_bias,
    "mind-your-bias": _mind_your_bias,
    "wefe": _wefe,
}
