"""Tests of other software as tests of ours: sent-bias, Mind Your Bias, WEFE."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError, did_you_mean
from eatlas.stimuli.model import ATTRIBUTES, OPPOSITES, ROLES, TARGETS, AssociationTest, identifier
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
    """Names of the groups X, Y, A and B."""
    terms: dict[str, list[str]] = field(default_factory=dict)
    """Their terms; some may be there twice."""
    notes: list[str] = field(default_factory=list)
    title: str = ""


def import_test(
    path: str | Path, form: str, *, test_id: str | None = None, plurals: bool = False
) -> AssociationTest:
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

    Raises
    ------
    StimulusError
        If the file cannot be read, is not of that format, is no test of two targets and two
        attributes, or has a term on both sides.

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
    content = _object(path)
    return _made(FORMATS[form](content, str(path), plurals), path, test_id)


def _made(draft: Draft, path: Path, test_id: str | None) -> AssociationTest:
    """Make a test of a draft: duplicates once, and a note for every change."""
    for one, other in OPPOSITES:
        if both := [term for term in dict.fromkeys(draft.terms[one]) if term in draft.terms[other]]:
            raise StimulusError(
                f"{path}: {quoted(both)} on both sides, in {one} ({draft.names[one]}) and in "
                f"{other} ({draft.names[other]})",
                allowed="a term on one side only; one that is both cannot tell the sides apart",
                remedy="decide where it belongs in a copy of the file",
            )
    raw = {
        "id": test_id if test_id is not None else identifier(path.stem),
        "title": draft.title,
        "notes": [
            f"Imported from {path.name}, format {draft.form}.",
            *draft.notes,
            *_repeats(draft),
        ],
        **{
            role: {"name": draft.names[role], "terms": list(dict.fromkeys(terms))}
            for role, terms in draft.terms.items()
        },
    }
    test, faults = check_test(raw)
    if not isinstance(test, AssociationTest):
        raise StimulusError(
            "\n".join(f"{path}: the imported test, {fault}" for fault in faults),
            remedy="mend a copy of the file, or give another id with --id",
        )
    return test


def _repeats(draft: Draft) -> Iterator[str]:
    for role in ROLES:
        if twice := [term for term, count in Counter(draft.terms[role]).items() if count > 1]:
            yield f"Given more than once in {role}, taken once: {quoted(twice)}."


def _sent_bias(content: Mapping[str, Any], where: str, plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"category": ..., "examples": [...]}, ...}`` (May et al. 2019, SEAT).

    Word sets of Mind Your Bias, which have ``singular`` in place of ``examples``, are recognised.
    """
    first = content.get(KEYS[0])
    if isinstance(first, dict) and "examples" not in first and "singular" in first:
        return _mind_your_bias(content, where, plurals)
    _refuse_plurals(plurals, where, "sent-bias")
    draft = Draft("sent-bias", notes=_unused(content, KEYS))
    for role, key, given in _groups(content, where):
        draft.names[role] = _text(_require(given, "category", where, key), where, f"{key}.category")
        examples = _require(given, "examples", where, key)
        draft.terms[role] = _words(examples, where, f"{key}.examples")
        draft.notes.extend(_unused(given, ("category", "examples"), key))
    return draft


def _mind_your_bias(content: Mapping[str, Any], where: str, plurals: bool) -> Draft:  # noqa: FBT001
    """``{"targ1": {"concept": ..., "singular": [...], "plural": [...]}, ...}`` (Husse and Spitz).

    The singular forms are the stimuli; plurals and adjectives serve templates. In the simplified
    sets, whose plurals are stimuli (he; men, boys), `plurals` takes them too.
    """
    draft = Draft("mind-your-bias", notes=_unused(content, KEYS))
    for role, key, given in _groups(content, where):
        terms = _words(_require(given, "singular", where, key), where, f"{key}.singular")
        used = ["concept", "singular"]
        if plurals and "plural" in given:
            terms = terms + _words(given["plural"], where, f"{key}.plural")
            used.append("plural")
        draft.names[role] = _text(given.get("concept", key), where, f"{key}.concept")
        if "concept" not in given:
            draft.notes.append(f"The file gives no name for {role}; {key} is its key.")
        draft.terms[role] = terms
        draft.notes.extend(_unused(given, used, key))
    return draft


def _wefe(content: Mapping[str, Any], where: str, plurals: bool) -> Draft:  # noqa: FBT001
    """A query of WEFE as JSON, for example ``json.dump(vars(query), file)``.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.
    """
    _refuse_plurals(plurals, where, "wefe")
    named = {key: _named_sets(content, key, where) for key in SETS}
    targets, attributes = map(len, named.values())
    if (targets, attributes) != (2, 2):
        larger = min(targets, attributes) >= 2
        raise StimulusError(
            f"{where}: this query is no association test",
            got=f"{targets} target sets and {attributes} attribute sets",
            allowed="two target sets and two attribute sets",
            remedy="WEFE splits it: query.get_subqueries((2, 2)); import each" if larger else None,
        )
    by_role = {
        role: one
        for key, roles in SETS.items()
        for role, one in zip(roles, named[key], strict=True)
    }
    names = (f"{key}_names" for key in SETS if isinstance(content[key], list))
    return Draft(
        "wefe",
        {role: name for role, (name, _) in by_role.items()},
        {role: terms for role, (_, terms) in by_role.items()},
        _unused(content, [*SETS, *names, *_BESIDE_SETS]),
        _text(content.get("query_name", ""), where, "query_name"),
    )


FORMATS: dict[str, Callable[[Mapping[str, Any], str, bool], Draft]] = {
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


def _groups(content: Mapping[str, Any], where: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Role, key and table of each group."""
    for role, key in zip(ROLES, KEYS, strict=True):
        yield role, key, _table(_require(content, key, where), where, key)


def _named_sets(content: Mapping[str, Any], key: str, where: str) -> list[tuple[str, list[str]]]:
    """Names and terms of the targets, or of the attributes, of a query."""
    sets = _require(content, key, where)
    if isinstance(sets, list):
        named = [(f"{key}.{number}", given) for number, given in enumerate(sets)]
        names = _words(_require(content, f"{key}_names", where), where, f"{key}_names")
        if len(names) != len(sets):
            raise StimulusError(
                f"{where}, key {key}_names: does not name every set",
                got=f"{len(names)} names for {len(sets)} sets",
                allowed="one name for each set",
            )
    else:
        names = list(_table(sets, where, key))
        named = [(f"{key}.{name}", sets[name]) for name in names]
    return [
        (name, _words(given, where, place))
        for name, (place, given) in zip(names, named, strict=True)
    ]


# --- JSON, and what is expected in it; every fault names the file and the key -----------------


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


def _require(given: Mapping[str, Any], key: str, where: str, inside: str = "") -> Any:
    """Return the value of a key that must be there; `inside` is the key of its table."""
    if key not in given:
        prefix = f"{inside}." if inside else ""
        raise StimulusError(
            f"{where}, key {prefix}{key}: is missing",
            got=f"the keys {', '.join(given)}" if given else "no keys",
            remedy="check that --format is the format of the file",
        )
    return given[key]


def _table(given: Any, where: str, key: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _other(_type(given), where, key, "is no object", "{ ... }")
    return given


def _text(given: Any, where: str, key: str) -> str:
    if not isinstance(given, str):
        raise _other(_type(given), where, key, "is not text", "a quoted string")
    return given


def _words(given: Any, where: str, key: str) -> list[str]:
    if not isinstance(given, list) or not given:
        got = "an empty list" if given == [] else _type(given)
        raise _other(got, where, key, "is no list of words", '["one", "two"]')
    return [_text(word, where, f"{key}.{number}") for number, word in enumerate(given)]


def _other(got: str, where: str, key: str, fault: str, allowed: str) -> StimulusError:
    return StimulusError(f"{where}, key {key}: {fault}", got=got, allowed=allowed)


def _unused(given: Mapping[str, Any], used: Iterable[str], inside: str = "") -> list[str]:
    """Note the keys that were not taken, if there are any."""
    known = set(used)
    left = ", ".join(key for key in given if key not in known)
    return [f"Not taken from {inside or 'the file'}: {left}."] if left else []


def _type(value: Any) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "a number")
