"""Tests of other software as tests of ours: sent-bias, WEFE, CrowS-Pairs; lists of words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from eatlas.decoding import MAX_IMPORT, decode_utf8, file_bytes, json_value
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.plugins import absent, call_point, points
from eatlas.stimuli.concepts import find_duplicates
from eatlas.stimuli.kinds import (
    OF_TARGETS,
    OPPOSITES,
    ROLES,
    AssociationTest,
    GroupsTest,
    SentencePairsTest,
    Test,
    identifier,
)
from eatlas.stimuli.records import fault_at, faults_of, quote

Words = Annotated[list[str], Field(min_length=1)]
Lists = dict[str, tuple[str, list[str]]]
"""Name and terms by role; or of ``targets`` and of groups. Some terms may be there twice."""
FORMATS = ("sent-bias", "wefe", "crows-pairs")
ENTRY_POINTS = "eatlas.importers"
COLLECTIONS = "eatlas.collections"
"""Entry points of collections of tests in many languages, by format: a function of the path of a
file, the format, tags of languages, names of tests and an id to a tuple of tests."""
_LISTS = "eatlas tests import FILE --format FORMAT alone lists the categories"


class WordLists(NamedTuple):
    """Named lists of words in a file, such as the categories of a dictionary.

    A function of an entry point of ``eatlas.importers`` takes the path of a file and returns them;
    ``--category`` makes groups of a test of some.
    """

    lists: dict[str, list[str]]
    """The words of each list by its name."""
    notes: list[str]
    """What was not taken from the file, for the notes of a test; empty if all was."""


class _Object(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class _Set(_Object):
    """A set of sent-bias, or one of Mind Your Bias, whose singular forms are the stimuli."""

    examples: Words = Field(validation_alias=AliasChoices("examples", "singular"))
    category: str = Field(default="", validation_alias=AliasChoices("category", "concept"))


class _File(_Object):
    targ1: _Set
    targ2: _Set
    attr1: _Set
    attr2: _Set


class _Query(_Object):
    target_sets: dict[str, Words] | list[Words]
    attribute_sets: dict[str, Words] | list[Words]
    target_sets_names: list[str] = Field(default=[])
    attribute_sets_names: list[str] = Field(default=[])
    query_name: str = ""
    template: object = None


def import_test(
    path: str | Path,
    form: str,
    *,
    test_id: str | None = None,
    categories: Mapping[str, str] | None = None,
    language: str = "",
) -> Test:
    """Read one test from a file of other software.

    Exact duplicates within a group are taken once, and ``notes`` say so, as they do of anything
    else in the file that was not taken.

    Parameters
    ----------
    path : str or path
        A file in UTF-8.
    form : {"sent-bias", "wefe", "crows-pairs"} or str
        ``sent-bias`` also reads the word sets of Mind Your Bias. ``crows-pairs`` reads pairs of
        sentences, a CSV file with its columns. Packages add formats of named lists of words, such
        as dictionaries, whose terms may have wildcards, as ``nurs*``.
    test_id : str, optional
        The test's id; the file's name without its ending if not given.
    categories : mapping, optional
        Of lists of words, the name of the list for each group: for X, Y, A and B, or for
        ``targets`` and for groups of any names.
    language : str
        Language tag of the words, such as ``de``.

    Returns
    -------
    AssociationTest, GroupsTest or SentencePairsTest
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
    path, of_lists = Path(path), form not in FORMATS
    if of_lists:
        require_list_format(form)
    head: dict[str, Any] = {"id": identifier(path.stem) if test_id is None else test_id}
    head["language"] = language
    imported = f"Imported from {path.name}, format {form}."
    read = ("JSON in UTF-8", "one file holds one JSON object, as json.dump writes it")
    if form == "crows-pairs":
        read = ("CSV in UTF-8", "save the table as CSV, with quotation marks in pairs")
    with faults_in(path, *read):
        if form == "crows-pairs":
            pairs, notes = _crows_pairs(path)
            return SentencePairsTest(**head, pairs=pairs, notes=[imported, *notes])
        if of_lists:
            lists, notes = _groups_of(read_lists(path, form), categories or {})
            title = ""
        else:
            content = json_value(file_bytes(path, StimulusError, MAX_IMPORT))
            lists, notes, title = (_wefe if form == "wefe" else _sent_bias)(content)
        return make_test(lists, **head, title=title, notes=[imported, *notes])


def list_formats() -> tuple[str, ...]:
    """Formats of named lists of words, which packages add."""
    return tuple(points(ENTRY_POINTS, own=FORMATS))


def require_list_format(form: str) -> None:
    """Refuse a format of lists of words that no package adds."""
    if form in list_formats():
        return
    allowed = (*FORMATS, *points(COLLECTIONS), *list_formats())
    raise (
        absent("importers", form)
        or absent("collections", form)
        or StimulusError(
            f"there is no format {form!r} to import{did_you_mean(form, allowed)}",
            allowed=", ".join(allowed),
        )
    )


def read_lists(path: str | Path, form: str) -> WordLists:
    """Read the named lists of words of a file, in a format that a package adds."""
    words: WordLists = call_point(points(ENTRY_POINTS, own=FORMATS)[form], WordLists, Path(path))
    return words


def _groups_of(words: WordLists, chosen: Mapping[str, str]) -> tuple[Lists, list[str]]:
    """Name and terms of each group; terms of two opposed categories are in neither."""
    categories = words.lists
    groups = [group for group in chosen if group != OF_TARGETS]
    of_groups = OF_TARGETS in chosen and len(groups) > 1
    if not of_groups and set(chosen) != set(ROLES):
        raise StimulusError(
            "these groups do not form a test",
            got=", ".join(f"{group}={name}" for group, name in chosen.items()) or "no category",
            allowed="a category for each of X, Y, A and B; or for targets and two groups or more, "
            "such as --category targets=work --category Female=female --category Male=male",
            remedy=_LISTS,
        )
    for name in chosen.values():
        if name not in categories:
            raise StimulusError(
                f"there is no category {name!r}{did_you_mean(name, categories)}",
                allowed=listing(categories, 40),
                remedy=_LISTS,
            )
    lists, notes = {}, list(words.notes)
    for side in (groups, [OF_TARGETS]) if of_groups else OPPOSITES:
        for group in side:
            others = {t for other in side if other != group for t in categories[chosen[other]]}
            own = categories[chosen[group]]
            lists[group] = (
                group if of_groups and group != OF_TARGETS else chosen[group],
                [term for term in own if term not in others],
            )
            if both := [term for term in own if term in others]:
                notes.append(f"Left out of {group}, also in an opposed category: {quote(both)}.")
    return lists, notes


@contextmanager
def faults_in(path: Path, form: str, remedy: str) -> Iterator[None]:
    """Say what is wrong with a file that should be of a form, whatever finds it."""
    try:
        yield
    except OSError as error:
        raise StimulusError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except ValidationError as error:
        faults = (fault_at(*fault) if fault[0] else fault[1] for fault in faults_of(error, ()))
        raise StimulusError(
            "\n".join(f"{path}, key {fault}" for fault in faults),
            remedy="check that --format matches the file",
        ) from error
    except StimulusError as error:
        raise StimulusError(
            error.what if error.what.startswith(str(path)) else f"{path}: {error.what}",
            got=error.got,
            allowed=error.allowed,
            remedy=error.remedy or "correct a copy of the file, or choose another id with --id",
        ) from None
    except (ValueError, csv.Error) as error:
        raise StimulusError(
            f"{path}: this is not {form}", got=str(error)[:200], remedy=remedy
        ) from error


COLUMNS = ("sent_more", "sent_less", "bias_type")
"""Of CrowS-Pairs; what else a file has is not taken."""


def _crows_pairs(path: Path) -> tuple[list[dict[str, str]], list[str]]:
    """Rows of a table; in either ``stereo_antistereo`` the first is the more stereotyping.

    The revised and the French set (Névéol et al. 2022) have tabs between columns.
    """
    text = decode_utf8(file_bytes(path, StimulusError, MAX_IMPORT), str(path), StimulusError)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if lacking := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
        raise StimulusError(
            f"the column {lacking[0]!r} is missing",
            got=", ".join(filter(None, rows.fieldnames or ())) or "an empty file",
            allowed=", ".join(COLUMNS),
            remedy="write the columns of CrowS-Pairs in the first line of the CSV file",
        )
    pairs: dict[tuple[str, ...], None] = {}
    left_out: dict[str, list[str]] = {}
    count = 0
    for row in rows:
        more, less, kind = cells = tuple((row[name] or "").strip() for name in COLUMNS)
        if not kind:
            raise StimulusError(
                f"line {rows.line_num}: the type of the pair is missing",
                got=", ".join(map(repr, cells)),
            )
        if more == less or not more or not less:
            why = "both sentences are the same" if more and less else "a sentence is missing"
            left_out.setdefault(why, []).append(str(rows.line_num))
            continue
        count += 1
        pairs[cells] = None
    notes = [
        f"Left out, because {why}: {'line' if len(lines) == 1 else 'lines'} {listing(lines, 8)}."
        for why, lines in left_out.items()
    ]
    if not pairs:
        raise StimulusError(
            "there are no pairs",
            got=" ".join(notes) or "a table without rows",
            allowed="a pair of different sentences on each line",
        )
    if twice := count - len(pairs):
        notes.append(f"Pairs given more than once, taken once: {twice}.")
    return [{"more": m, "less": less, "type": of} for m, less, of in pairs], notes


def make_test(lists: Lists, notes: list[str], **head: str) -> Test:
    """Make a test: duplicates once, and a note of every change."""
    for role, (_, terms) in lists.items():
        if twice := find_duplicates(terms):
            notes.append(f"Given more than once in {role}, taken once: {quote(twice)}.")
    parts = {
        role: {"name": name, "terms": list(dict.fromkeys(terms))}
        for role, (name, terms) in lists.items()
    }
    fields: dict[str, Any] = {**head, "notes": notes}
    if OF_TARGETS not in parts:
        return AssociationTest(**fields, **parts)
    targets = parts.pop(OF_TARGETS)
    return GroupsTest(**fields, targets=targets, groups=tuple(parts.values()), reference="uniform")


def _note_unused_keys(record: _Object, key: str) -> list[str]:
    """Note the keys that were not taken, if there are any."""
    names = ", ".join(record.model_extra or {})
    return [f"Not taken from {key}: {names}."] if names else []


def _sent_bias(content: object) -> tuple[Lists, list[str], str]:
    """``{"targ1": {"category": ..., "examples": [...]}, ...}`` (May et al. 2019, SEAT).

    Mind Your Bias (Husse and Spitz 2022) has ``concept`` and ``singular`` instead; plurals and
    adjectives serve its templates.
    """
    file = _File.model_validate(content)
    lists, notes = {}, _note_unused_keys(file, "the file")
    sets = {key: words for key, words in file if key in _File.model_fields}
    for role, (key, words) in zip(ROLES, sets.items(), strict=True):
        lists[role] = words.category or key, words.examples
        if not words.category:
            notes.append(f"The file gives no name for {role}; {key} is its key.")
        notes += _note_unused_keys(words, key)
    return lists, notes, ""


def _wefe(content: object) -> tuple[Lists, list[str], str]:
    """A query of WEFE as JSON, for example ``json.dump(vars(query), file)``.

    Sets are lists, with their names in ``target_sets_names`` and ``attribute_sets_names``; or an
    object, ``{"Flowers": ["aster", ...], "Insects": [...]}``, whose keys are the names.
    """
    query = _Query.model_validate(content)
    targets = _name_sets(query.target_sets, query.target_sets_names)
    attributes = _name_sets(query.attribute_sets, query.attribute_sets_names)
    fewer, more = sorted((targets, attributes), key=len)
    if len(targets) == len(attributes) == 2:
        lists = dict(zip(ROLES, (*targets, *attributes), strict=True))
    elif len(fewer) == 1 < len(more):
        lists = {OF_TARGETS: fewer[0], **{name: (name, terms) for name, terms in more}}
    else:
        raise StimulusError(
            "this query is not an association test",
            got=f"{len(targets)} target sets and {len(attributes)} attribute sets",
            allowed="two target sets and two attribute sets; or one of either, whose terms are the "
            "targets of a test of groups, and two or more of the other",
            remedy="split larger queries in WEFE: query.get_subqueries((2, 2)); import each",
        )
    return lists, _note_unused_keys(query, "the file"), query.query_name


def _name_sets(
    sets: Mapping[str, Words] | list[Words], names: list[str]
) -> list[tuple[str, Words]]:
    """Sets with their names, which follow in a list of their own where the sets are a list."""
    if isinstance(sets, Mapping):
        return list(sets.items())
    if len(names) != len(sets):
        raise StimulusError(
            "target_sets_names and attribute_sets_names do not match the number of sets",
            got=f"{len(names)} names for {len(sets)} sets",
        )
    return list(zip(names, sets, strict=True))
