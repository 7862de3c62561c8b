"""Tests in many languages, from files of published collections: nothing of these is bundled.

``data/collections.toml`` says which columns the files have: of WEATHub (Mukherjee et al. 2023),
XWEAT (Lauscher and Glavaš 2019) and CA-WEAT (España-Bonet and Barrón-Cedeño 2022).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from eatlas.decoding import (
    MAX_IMPORT,
    check_parquet,
    file_bytes,
    json_value,
    own_toml,
    require_file,
    require_size,
)
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.notes import Note, warn
from eatlas.stimuli.batteries import read_battery
from eatlas.stimuli.importers import Lists, faults_in, make_test
from eatlas.stimuli.kinds import OPPOSITES, ROLES, AssociationTest, identifier
from eatlas.stimuli.records import quote

COLLECTIONS: dict[str, dict[str, Any]] = own_toml(
    files("eatlas_vocabulary.stimuli") / "data" / "collections.toml"
)
_BETWEEN = re.compile(r"[,，、،;；]")
"""Between the terms of a cell."""


@dataclass
class Imported:
    """What a file says of one test."""

    name: str
    """What the file calls it, such as WEAT6."""
    called: str
    """What the file calls the language or the list of words, such as de_AT1; empty if nothing."""
    language: str
    lists: Lists
    notes: list[str]
    title: str
    """A template of the title."""
    citation: str

    @property
    def number(self) -> str:
        """The part of the name that numbers it: 6 of WEAT6."""
        return re.sub(r"^weat\W*", "", self.name.lower())


def import_tests(
    path: str | Path,
    form: str,
    languages: str | Iterable[str] = (),
    tests: str | Iterable[str] = (),
    test_id: str | None = None,
) -> tuple[AssociationTest, ...]:
    """Read tests from a file of a published collection of many languages.

    Exact duplicates within a group are taken once, and words that are on both sides of a test, such
    as a pronoun without gender, are on neither; ``notes`` say so. The citation names the licence.

    Parameters
    ----------
    path : str or path
        A file of the collection, as it is published.
    form : {"weathub", "xweat", "ca-weat"}
    languages : str or list of str, optional
        Tests in these languages, by default in all (``de`` takes ``de-AT`` too); of a file that
        names no language, its language.
    tests : str or list of str, optional
        Tests of these names, such as ``WEAT6``; by default all.
    test_id : str, optional
        The id of the only test; by default ids are made of the collection, test and language.

    Returns
    -------
    tuple of AssociationTest

    Raises
    ------
    StimulusError
        If the file cannot be read, is not of that format, or has no such test.

    Warns
    -----
    StimulusWarning
        If tests are left out, with the reasons.

    Examples
    --------
    >>> import json, tempfile
    >>> lists = {"targ1": ["Rose"], "targ2": ["Floh"], "attr1": ["Liebe"], "attr2": ["Krieg"]}
    >>> row = {"language": "de", "weat": "WEAT1"}
    >>> row |= {key: {"category": key, "examples": words} for key, words in lists.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "weathub.json"
    ...     _ = path.write_text(json.dumps([row]))
    ...     (test,) = import_tests(path, "weathub", languages="de")
    >>> test.id, test.language
    ('weathub-1-de', 'de')
    """
    if form not in COLLECTIONS:
        raise StimulusError(
            f"there is no collection {form!r} to import{did_you_mean(form, COLLECTIONS)}",
            allowed=", ".join(COLLECTIONS),
        )
    path, collection = Path(path), COLLECTIONS[form]
    wanted = [languages] if isinstance(languages, str) else list(languages)
    names = [tests] if isinstance(tests, str) else list(tests)
    with faults_in(path, collection["files"], collection["remedy"]):
        if "translates" in collection and path.suffix.lower() not in {".tsv", ".json"}:
            every = list(_translations(path, collection))
        else:
            columns = COLLECTIONS[collection.get("tables", form)] | collection
            every = [test for row in _rows(path, columns) for test in _tests_of(row, path, columns)]
        return _make_tests(_chosen(every, wanted, names), path, form, test_id)


# --- tables ---------------------------------------------------------------------------------------


def _rows(path: Path, columns: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Rows of a table in Parquet, TSV, JSON lines or JSON, where one object is a row.

    Where lists have names, a JSON object has a row for each name.
    """
    if path.suffix.lower() == ".parquet":
        return _rows_of_parquet(path)
    text = file_bytes(path, StimulusError, MAX_IMPORT).decode("utf-8-sig")
    if columns["text"] == "tsv" and path.suffix.lower() != ".json":
        return list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    try:
        rows: Any = json_value(text)
    except ValueError:
        rows = [json_value(line) for line in text.split("\n") if line.strip()]
    if isinstance(rows, Mapping) and columns["text"] == "tsv":
        rows = [{columns["language"]: n} | r if isinstance(r, dict) else r for n, r in rows.items()]
    rows = [rows] if isinstance(rows, Mapping) else rows
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise StimulusError(
            "the content is not rows of tests",
            allowed="an object for each test, or for each name of a list",
            remedy=columns["remedy"],
        )
    return rows


def _rows_of_parquet(path: Path) -> list[Mapping[str, Any]]:
    require_file(path, StimulusError)
    require_size(path.stat().st_size, str(path), StimulusError, MAX_IMPORT)
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise StimulusError(
            "Parquet needs pyarrow",
            remedy="pip install pyarrow, or save the data set as JSON lines: "
            "dataset.to_json('weathub.jsonl')",
        ) from error
    check_parquet(path, parquet)
    rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def _tests_of(row: Mapping[str, Any], path: Path, columns: Mapping[str, Any]) -> Iterator[Imported]:
    """The tests of a row of a table."""
    called = str(row.get(columns["language"]) or "").strip()
    found = re.search(columns.get("path", "$^"), path.absolute().as_posix())
    about = [str(row.get(name) or "").strip() for name in columns.get("about", ())]
    citations = {
        begin: COLLECTIONS[other]["citation"]
        for begin, other in columns.get("references", {}).items()
        if any(text.startswith(begin) for text in about)
    }
    for test in columns["tests"]:
        notes = [f"List {called}: {', '.join(filter(None, about))}."] if about else []
        lists = {role: _words(row, test[role], notes, columns["remedy"]) for role in ROLES}
        yield Imported(
            name=test.get("name") or str(row.get(columns["name"]) or path.stem).upper(),
            called=called,
            language=_tag(called) or (found[1] if found else ""),
            lists=lists,
            notes=notes,
            title=columns["title"],
            citation=next(iter(citations.values()), columns["citation"]),
        )


def _words(
    row: Mapping[str, Any], column: str, notes: list[str], remedy: str
) -> tuple[str, list[str]]:
    """Name and terms of a group: a text, or a category with a list, in a cell or in two."""
    cell = row.get(column)
    nested = cell if isinstance(cell, Mapping) else {}
    category = nested.get("category", row.get(f"{column}.category")) or column.capitalize()
    words = nested.get("examples", row.get(f"{column}.examples"))
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(category))
    if isinstance(words, list):
        terms = ["" if word is None else str(word).strip() for word in words]
        notes += [] if all(terms) else [f"Empty cells of {column} are left out."]
    elif column in row and not nested and isinstance(cell, str | None):
        # the full stop behind the last term is none of it
        terms = [term.strip() for term in _BETWEEN.split((cell or "").strip().rstrip("."))]
    else:
        raise StimulusError(
            f"there is no list of words in the column {column}",
            got=listing(map(str, row), 20) or "no column",
            remedy=remedy,
        )
    return name, [term for term in terms if term]


def _tag(name: str) -> str:
    """Make a language tag of a name such as de_AT1 or zh_HK_Hant1: the script is before the region.

    >>> _tag("zh_HK_Hant1"), _tag("it12")
    ('zh-Hant-HK', 'it')
    """
    language, *more = name.rstrip("0123456789").split("_")
    return "-".join([language, *sorted(more, key=len, reverse=True)])


# --- a battery that a dictionary translates -------------------------------------------------------


def _translations(path: Path, collection: Mapping[str, Any]) -> Iterator[Imported]:
    """The tests of a battery, translated by a dictionary: a word, then its forms.

    As the authors of XWEAT do, a word with a feminine form is both; names stay as they are.
    """
    text = file_bytes(path, StimulusError, MAX_IMPORT).decode("utf-8-sig")
    forms = {
        _bare(row[0]): list(dict.fromkeys(cell.strip() for cell in row[1:] if cell.strip()))
        for row in csv.reader(io.StringIO(text))
        if len(row) > 1 and row[0] == row[0].lower() and any(map(str.strip, row[1:]))
    }
    found = re.search(collection["path"], path.as_posix())
    for test in read_battery(collection["translates"]).tests:
        lists, left = {}, []
        for role, concept in test.concepts.items():
            translated = {term: forms.get(_bare(term), []) for term in concept.terms}
            left += [term for term, words in translated.items() if not words]
            terms = [word for term, words in translated.items() for word in words or [term]]
            # of names alone nothing is translated
            lists[role] = concept.name, terms if any(translated.values()) else []
        notes = [f"Translations of the stimuli of {test.id} by {path.name}."]
        notes += [f"Not translated: {', '.join(left)}."] if left else []
        yield Imported(
            name=test.id.replace("-", "").upper(),
            called="",
            language=found[1] if found else "",
            lists=lists,
            notes=notes,
            title=f"{test.title} ({collection['files']}), {{language}}",
            citation=collection["citation"],
        )


def _bare(word: str) -> str:
    """A word without what dictionaries write differently: bluebell and blue-bell."""
    return re.sub(r"[\W_]+", "", word.lower())


# --- what is chosen and made of it ----------------------------------------------------------------


def _chosen(every: list[Imported], languages: list[str], names: list[str]) -> list[Imported]:
    """Tests in some languages, of some names; all of both where none are named."""
    if len(languages) == 1 and not any(test.language for test in every):
        for test in every:
            test.language = languages[0]
    if not all(test.language for test in every):
        raise StimulusError(
            "the file does not state the language of its words",
            remedy="name it: --language de (in Python, languages='de')",
        )
    for language in languages:
        if not any(_is_of_language(test.language, language) for test in every):
            raise StimulusError(
                f"there is no test in {language!r}",
                allowed=", ".join(sorted({test.language for test in every})) or "none: it is empty",
                remedy="choose one of these, or omit --language for all",
            )
    in_file = {name.lower(): name for test in every for name in (test.name, test.number)}
    wanted = {re.sub(r"[\W_]", "", name.lower()) for name in names}
    for name in wanted - in_file.keys():
        raise StimulusError(
            f"there is no test {name!r}{did_you_mean(name, in_file.values())}",
            allowed=", ".join(dict.fromkeys(test.name for test in every)),
            remedy="choose one of these, or omit --test for all",
        )
    return [
        test
        for test in every
        if not languages or any(_is_of_language(test.language, language) for language in languages)
        if not wanted or wanted & {test.name.lower(), test.number}
    ]


def _is_of_language(tag: str, language: str) -> bool:
    """Whether a tag denotes a language, or its use in a region or script."""
    return tag == language or tag.startswith(f"{language}-")


def _make_tests(
    every: list[Imported], path: Path, form: str, test_id: str | None
) -> tuple[AssociationTest, ...]:
    """Make the tests of a collection that can be made; warn of the others."""
    made: dict[str, AssociationTest] = {}
    left: dict[str, str] = {}
    for test in every:
        name = f"{form}-{test.number}-{test.called or test.language}"
        name = test_id if test_id and len(every) == 1 else identifier(name)
        notes = [f"Imported from {path.name}, format {form}.", *test.notes]
        title = test.title.format(name=test.name, language=test.language, list=test.called)
        head = {"id": name, "title": title, "citation": test.citation}
        try:
            lists = _apart(test.lists, notes)
            if empty := [role for role, (_, terms) in lists.items() if not terms]:
                raise StimulusError(f"no terms are left of {', '.join(empty)}")
            if name in made:
                raise StimulusError("the file has it twice")
            made[name] = make_test(lists, notes, language=test.language, **head)  # type: ignore[assignment]
        except StimulusError as error:
            left[name] = error.what
    if not made or (test_id and len(every) > 1):
        reasons = listing((f"{name} ({why})" for name, why in left.items()), 5)
        raise StimulusError(
            "an id is for one test" if made else "no test can be made of it",
            got=f"{len(made)} tests" if made else reasons or "an empty table",
            remedy="choose one: --language de --test WEAT6" if made else None,
        )
    if left:
        tests = [f"{name} ({why})" for name, why in left.items()]
        warn(Note("stimuli.not-imported", values={"tests": tests}), stacklevel=4)
    return tuple(made.values())


def _apart(lists: Lists, notes: list[str]) -> Lists:
    """Leave out what is on both sides, which cannot distinguish them."""
    lists = dict(lists)
    for pair in OPPOSITES:
        (_, left), (_, right) = (lists[role] for role in pair)
        if both := [term for term in dict.fromkeys(left) if term in right]:
            notes.append(f"In both {' and '.join(pair)}, left out of both: {quote(both)}.")
            for role in pair:
                name, terms = lists[role]
                lists[role] = name, [term for term in terms if term not in both]
    return lists
