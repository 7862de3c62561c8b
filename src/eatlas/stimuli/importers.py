"""Tests of other software as tests of ours: sent-bias, Mind Your Bias, WEFE."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eatlas.decoding import json_value
from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.association_test import ROLES, AssociationTest, identifier
from eatlas.stimuli.concepts import repeated
from eatlas.stimuli.kinds import OF_TARGETS, GroupsTest, Test
from eatlas.stimuli.records import fault_at, faults_of, quoted

Words = Annotated[list[str], Field(min_length=1)]
Concepts = dict[str, tuple[str, list[str]]]
"""Name and terms by role; or of ``targets`` and of groups. Some terms may be there twice."""


class _Object(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    def unused(self, key: str = "the file") -> list[str]:
        """Note the keys that were not taken, if there are any."""
        names = ", ".join(self.model_extra or {})
        return [f"Not taken from {key}: {names}."] if names else []


class _SeatSet(_Object):
    category: str
    examples: Words


class _MindSet(_Object):
    singular: Words
    plural: Words | None = None
    concept: str | None = None


Group = TypeVar("Group", bound=_Object)


class _File(_Object, Generic[Group]):
    targ1: Group
    targ2: Group
    attr1: Group
    attr2: Group

    @property
    def groups(self) -> dict[str, tuple[str, Group]]:
        """Key and group of each role."""
        keys = ("targ1", "targ2", "attr1", "attr2")
        return {role: (key, getattr(self, key)) for role, key in zip(ROLES, keys, strict=True)}


class _Query(_Object):
    target_sets: dict[str, Words] | list[Words]
    attribute_sets: dict[str, Words] | list[Words]
    target_sets_names: list[str] = Field(default=[])
    attribute_sets_names: list[str] = Field(default=[])
    query_name: str = ""
    template: object = None


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
        content = json_value(path.read_bytes())
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except ValueError as error:
        raise StimulusError(
            f"{path}: this is not JSON in UTF-8",
            got=str(error)[:200],
            remedy="one file holds one JSON object, as json.dump writes it",
        ) from error
    try:
        if form == "sent-bias" and "singular" in content["targ1"]:
            form = "mind-your-bias"
    except (TypeError, KeyError):
        pass  # of another form, which is said below
    if plurals and form != "mind-your-bias":
        raise StimulusError(
            f"{path}: a file of the format {form} has no plural forms",
            allowed="--plurals with word sets of Mind Your Bias",
        )
    try:
        concepts, notes, title = FORMATS[form](content, plurals)
        return _made(
            concepts,
            title,
            [f"Imported from {path.name}, format {form}.", *notes],
            identifier(path.stem) if test_id is None else test_id,
        )
    except ValidationError as error:
        faults = (fault_at(*fault) if fault[0] else fault[1] for fault in faults_of(error, ()))
        raise StimulusError(
            "\n".join(f"{path}, key {fault}" for fault in faults),
            remedy="check that --format is the format of the file",
        ) from error
    except StimulusError as error:
        raise StimulusError(
            f"{path}: {error.what}",
            got=error.got,
            allowed=error.allowed,
            remedy=error.remedy or "correct a copy of the file, or choose another id with --id",
        ) from None


def _made(concepts: Concepts, title: str, notes: Iterable[str], test_id: str) -> Test:
    """Make a test: duplicates once, and a note of every change."""
    twice = {role: repeated(terms) for role, (_, terms) in concepts.items()}
    notes = [
        *notes,
        *(
            f"Given more than once in {role}, taken once: {quoted(terms)}."
            for role, terms in twice.items()
            if terms
        ),
    ]
    parts = {
        role: {"name": name, "terms": list(dict.fromkeys(terms))}
        for role, (name, terms) in concepts.items()
    }
    head = {"id": test_id, "title": title, "notes": notes}
    if OF_TARGETS not in parts:
        return AssociationTest(**head, **parts)
    targets = parts.pop(OF_TARGETS)
    return GroupsTest(**head, targets=targets, groups=tuple(parts.values()), reference="uniform")


def _sent_bias(content: object, _plurals: bool) -> tuple[Concepts, list[str], str]:  # noqa: FBT001
    """``{"targ1": {"category": ..., "examples": [...]}, ...}`` (May et al. 2019, SEAT)."""
    file = _File[_SeatSet].model_validate(content)
    concepts = {role: (one.category, one.examples) for role, (_, one) in file.groups.items()}
    notes = [note for key, group in file.groups.values() for note in group.unused(key)]
    return concepts, [*file.unused(), *notes], ""


def _mind_your_bias(content: object, plurals: bool) -> tuple[Concepts, list[str], str]:  # noqa: FBT001
    """``{"targ1": {"concept": ..., "singular": [...], "plural": [...]}, ...}`` (Husse and Spitz).

    The singular forms are the stimuli; plurals and adjectives serve templates. In the simplified
    sets, whose plurals are stimuli (he; men, boys), `plurals` takes them too.
    """
    file = _File[_MindSet].model_validate(content)
    concepts, notes = {}, file.unused()
    for role, (key, group) in file.groups.items():
        forms = group.plural or []
        concepts[role] = (group.concept or key, group.singular + (forms if plurals else []))
        if group.concept is None:
            notes.append(f"The file gives no name for {role}; {key} is its key.")
        if forms and not plurals:
            notes.append(f"Not taken from {key}: plural.")
        notes += group.unused(key)
    return concepts, notes, ""


def _wefe(content: object, _plurals: bool) -> tuple[Concepts, list[str], str]:  # noqa: FBT001
    """A query of WEFE as JSON, for example ``json.dump(vars(query), file)``.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.
    """
    query = _Query.model_validate(content)
    targets = _named(query.target_sets, query.target_sets_names)
    attributes = _named(query.attribute_sets, query.attribute_sets_names)
    fewer, more = sorted((targets, attributes), key=len)
    if len(targets) == len(attributes) == 2:
        concepts = dict(zip(ROLES, (*targets, *attributes), strict=True))
    elif len(fewer) == 1 < len(more):
        concepts = {OF_TARGETS: fewer[0], **{name: (name, terms) for name, terms in more}}
    else:
        raise StimulusError(
            "this query is not an association test",
            got=f"{len(targets)} target sets and {len(attributes)} attribute sets",
            allowed="two target sets and two attribute sets; or one of either, whose terms are the "
            "targets of a test of groups, and two or more of the other",
            remedy="WEFE splits larger ones: query.get_subqueries((2, 2)); import each",
        )
    return concepts, query.unused(), query.query_name


def _named(sets: dict[str, Words] | list[Words], names: list[str]) -> list[tuple[str, Words]]:
    """Sets with their names, which follow in a list of their own where the sets are a list."""
    if isinstance(sets, dict):
        return list(sets.items())
    if len(names) != len(sets):
        raise StimulusError(
            "target_sets_names and attribute_sets_names do not name every set",
            got=f"{len(names)} names for {len(sets)} sets",
        )
    return list(zip(names, sets, strict=True))


FORMATS: dict[str, Callable[[object, bool], tuple[Concepts, list[str], str]]] = {
    "sent-bias": _sent_bias,
    "mind-your-bias": _mind_your_bias,
    "wefe": _wefe,
}
