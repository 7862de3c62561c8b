"""Tests of other software as tests of ours: sent-bias, Mind Your Bias, WEFE."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.association_test import ATTRIBUTES, OPPOSITES, ROLES, TARGETS, identifier
from eatlas.stimuli.kinds import OF_TARGETS, Test
from eatlas.stimuli.records import quoted
from eatlas.stimuli.toml import check_test

KEYS = ("targ1", "targ2", "attr1", "attr2")
"""Keys of the groups in files of sent-bias and Mind Your Bias, in the order of X, Y, A and B."""
SETS = {"target_sets": TARGETS, "attribute_sets": ATTRIBUTES}
"""Keys of the groups in queries of WEFE."""
_BESIDE_SETS = ("template", "query_name")


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
    content = _At(_object(path), str(path))
    return _made(FORMATS[form](content, plurals), path, test_id)


def _made(draft: Draft, path: Path, test_id: str | None) -> Test:
    """Make a test of a draft: duplicates once, and a note for every change."""
    of_groups = OF_TARGETS in draft.terms
    for one, other in () if of_groups else OPPOSITES:
        if both := [term for term in dict.fromkeys(draft.terms[one]) if term in draft.terms[other]]:
            raise StimulusError(
                f"{path}: {quoted(both)} on both sides, in {one} ({draft.names[one]}) and in "
                f"{other} ({draft.names[other]})",
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


def _sent_bias(content: _At, plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"category": ..., "examples": [...]}, ...}`` (May et al. 2019, SEAT).

    Word sets of Mind Your Bias, which have ``singular`` in place of ``examples``, are recognised.
    """
    first = content.value.get(KEYS[0])
    if isinstance(first, dict) and "examples" not in first and "singular" in first:
        return _mind_your_bias(content, plurals)
    _refuse_plurals(plurals, content.file, "sent-bias")
    draft = Draft("sent-bias", notes=content.unused(KEYS))
    for role, key in zip(ROLES, KEYS, strict=True):
        group = content[key].table()
        draft.names[role] = group["category"].text()
        draft.terms[role] = group["examples"].words()
        draft.notes.extend(group.unused(("category", "examples")))
    return draft


def _mind_your_bias(content: _At, plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"concept": ..., "singular": [...], "plural": [...]}, ...}`` (Husse and Spitz).

    The singular forms are the stimuli; plurals and adjectives serve templates. In the simplified
    sets, whose plurals are stimuli (he; men, boys), `plurals` takes them too.
    """
    draft = Draft("mind-your-bias", notes=content.unused(KEYS))
    for role, key in zip(ROLES, KEYS, strict=True):
        group = content[key].table()
        lists = ["singular", "plural"] if plurals and "plural" in group.value else ["singular"]
        draft.terms[role] = [word for name in lists for word in group[name].words()]
        draft.names[role] = group["concept"].text() if "concept" in group.value else key
        if "concept" not in group.value:
            draft.notes.append(f"The file gives no name for {role}; {key} is its key.")
        draft.notes.extend(group.unused(("concept", *lists)))
    return draft


def _wefe(content: _At, plurals: bool) -> Draft:  # noqa: FBT001
    """A query of WEFE as JSON, for example ``json.dump(vars(query), file)``.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.
    """
    _refuse_plurals(plurals, content.file, "wefe")
    targets, attributes = (_named_sets(content, key) for key in SETS)
    fewer, more = sorted((targets, attributes), key=len)
    if len(targets) == len(attributes) == 2:
        sets = dict(zip(ROLES, (*targets, *attributes), strict=True))
    elif len(fewer) == 1 < len(more):
        sets = {OF_TARGETS: fewer[0], **{name: (name, terms) for name, terms in more}}
    else:
        larger = len(fewer) >= 2
        raise StimulusError(
            f"{content.file}: this query is not an association test",
            got=f"{len(targets)} target sets and {len(attributes)} attribute sets",
            allowed="two target sets and two attribute sets; or one of either, whose terms are the "
            "targets of a test of groups, and two or more of the other",
            remedy="WEFE splits it: query.get_subqueries((2, 2)); import each" if larger else None,
        )
    names = (f"{key}_names" for key in SETS if isinstance(content.value[key], list))
    return Draft(
        "wefe",
        {role: name for role, (name, _) in sets.items()},
        {role: terms for role, (_, terms) in sets.items()},
        content.unused([*SETS, *names, *_BESIDE_SETS]),
        content["query_name"].text() if "query_name" in content.value else "",
    )


def _named_sets(content: _At, key: str) -> list[tuple[str, list[str]]]:
    """Names and terms of the targets, or of the attributes, of a query."""
    sets = content[key]
    if not isinstance(sets.value, list):
        return [(name, sets[name].words()) for name in sets.table().value]
    names = content[f"{key}_names"].words()
    if len(names) != len(sets.value):
        raise StimulusError(
            f"{content.file}, key {key}_names: does not name every set",
            got=f"{len(names)} names for {len(sets.value)} sets",
            allowed="one name for each set",
        )
    return [(name, one.words()) for name, one in zip(names, sets.items(), strict=True)]


FORMATS: dict[str, Callable[[_At, bool], Draft]] = {
    "sent-bias": _sent_bias,
    "mind-your-bias": _mind_your_bias,
    "wefe": _wefe,
}


def _refuse_plurals(plurals: bool, where: str, form: str) -> None:  # noqa: FBT001
    if plurals:
        raise StimulusError(
            f"{where}: a file of the format {form} has no plural forms",
            allowed="--plurals with word sets of Mind Your Bias",
        )


def _object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        content = json.loads(text)
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except UnicodeDecodeError as error:
        raise StimulusError(
            f"{path}: the file is not UTF-8",
            got=f"byte 0x{error.object[error.start]:02x} at position {error.start}",
            remedy="save it as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        python = text.lstrip().startswith("{'")
        raise StimulusError(
            f"{path}, line {error.lineno}, column {error.colno}: this is not JSON",
            got=error.msg,
            remedy="this looks like Python; write it with json.dump"
            if python
            else "one file holds one JSON object",
        ) from error
    except (ValueError, RecursionError) as error:
        # numbers of thousands of digits, or brackets nested thousands deep
        raise StimulusError(f"{path}: this JSON cannot be read", got=str(error)) from error
    if not isinstance(content, dict):
        raise StimulusError(
            f"{path}: a JSON object was expected", got=_type(content), allowed="{ ... }"
        )
    return content


@dataclass(frozen=True)
class _At:
    """A value of a JSON file, with the file and the key for messages."""

    value: Any
    file: str
    key: str = ""

    def _within(self, key: object, value: Any) -> _At:
        return _At(value, self.file, f"{self.key}.{key}" if self.key else str(key))

    def __getitem__(self, key: str) -> _At:
        """The value of a key of this object, which must have it."""
        if key not in self.value:
            raise StimulusError(
                f"{self.file}, key {self._within(key, None).key}: is missing",
                got=f"the keys {', '.join(self.value)}" if self.value else "no keys",
                remedy="check that --format is the format of the file",
            )
        return self._within(key, self.value[key])

    def items(self) -> list[_At]:
        """The values of this list."""
        return [self._within(number, value) for number, value in enumerate(self.value)]

    def table(self) -> _At:
        """The value, which must be an object."""
        return self if isinstance(self.value, dict) else self._refuse("is not an object", "{ ... }")

    def text(self) -> str:
        """The value, which must be text."""
        if not isinstance(self.value, str):
            self._refuse("is not text", "a quoted string")
        return str(self.value)

    def words(self) -> list[str]:
        """The value, which must be a list of texts, one at least."""
        if not isinstance(self.value, list) or not self.value:
            self._refuse("is not a list of words", '["one", "two"]')
        return [one.text() for one in self.items()]

    def unused(self, used: Iterable[str]) -> list[str]:
        """Note the keys that were not taken, if there are any."""
        left = ", ".join(key for key in self.value if key not in set(used))
        return [f"Not taken from {self.key or 'the file'}: {left}."] if left else []

    def _refuse(self, fault: str, allowed: str) -> NoReturn:
        got = "an empty list" if self.value == [] else _type(self.value)
        raise StimulusError(f"{self.file}, key {self.key}: {fault}", got=got, allowed=allowed)


def _type(value: Any) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "a number")
