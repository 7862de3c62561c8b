"""Published collections of tests in many languages, as their files hold them: nothing is bundled.

WEATHub (Mukherjee et al. 2023), XWEAT (Lauscher and Glavaš 2019) and CA-WEAT (España-Bonet and
Barrón-Cedeño 2022).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from eatlas.decoding import (
    MAX_IMPORT,
    check_parquet,
    file_bytes,
    json_value,
    require_file,
    require_size,
)
from eatlas.errors import StimulusError, did_you_mean, listed
from eatlas.notes import Note, warn
from eatlas.stimuli.batteries import read_battery
from eatlas.stimuli.importers import Lists, faults_in, made_of
from eatlas.stimuli.kinds import OPPOSITES, ROLES, AssociationTest, identifier
from eatlas.stimuli.records import quoted

WEATHUB, XWEAT, CA_WEAT = "weathub", "xweat", "ca-weat"
CITATIONS = {
    WEATHUB: "Mukherjee, Raj, Zhu and Anastasopoulos (2023), Global Voices, Local Biases: "
    "Socio-Cultural Prejudices across Languages, EMNLP 2023. Data: WEATHub, licence CC BY 4.0",
    XWEAT: "Lauscher and Glavaš (2019), Are We Consistently Biased? Multidimensional Analysis of "
    "Biases in Distributional Word Vectors, *SEM 2019. Data: XWEAT, which states no licence",
    CA_WEAT: "España-Bonet and Barrón-Cedeño (2022), The (Undesired) Attenuation of Human Biases "
    "by Multilinguality, EMNLP 2022. Data: CA-WEAT, which states no licence",
}


@dataclass
class Imported:
    """What a file says of one test."""

    name: str
    """What the file calls it, such as WEAT6."""
    lists: Lists
    language: str = ""
    notes: list[str] = field(default_factory=list)
    title: str = ""
    variant: str = ""
    """What tells it from the same test in the same language, such as de_AT1."""
    citation: str = ""

    @property
    def number(self) -> str:
        """The part of the name that numbers it: 6 of WEAT6."""
        return re.sub(r"^weat\W*", "", self.name.lower())


# --- WEATHub --------------------------------------------------------------------------------------

_FOLDER = re.compile(r"([a-z]{2,3})_\w+")


def _weathub(path: Path) -> Iterator[Imported]:
    """Rows of the data set on the Hub (Parquet, JSON or JSON lines); or one test of the repository.

    The folder of a test in the repository names its language, as in ``data/de_all/weat6.json``.
    """
    for row in _rows(path):
        lists, notes = {}, []
        for role, key in zip(ROLES, ("targ1", "targ2", "attr1", "attr2"), strict=True):
            nested = row[key] if isinstance(row.get(key), Mapping) else {}
            category, words = (
                nested.get(part, row.get(f"{key}.{part}")) for part in ("category", "examples")
            )
            if not isinstance(words, list):
                raise StimulusError(
                    f"there is no list {key}.examples", got=", ".join(map(str, row)) or "nothing"
                )
            terms = ["" if word is None else str(word).strip() for word in words]
            notes += [] if all(terms) else [f"Empty cells of {key} are left out."]
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(category or key))
            lists[role] = name, [term for term in terms if term]
        folder = _FOLDER.fullmatch(path.absolute().parent.name)
        name = str(row.get("weat") or path.stem).upper()
        language = str(row.get("language") or (folder[1] if folder else ""))
        yield Imported(name, lists, language, notes, f"{name} of WEATHub")


def _rows(path: Path) -> list[Mapping[str, Any]]:
    """Rows of a table in Parquet, JSON lines or JSON; one object is a row."""
    if path.suffix.lower() == ".parquet":
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
        rows: Any = parquet.read_table(path).to_pylist()
    else:
        text = file_bytes(path, StimulusError, MAX_IMPORT).decode("utf-8-sig")
        try:
            rows = json_value(text)
        except ValueError:
            rows = [json_value(line) for line in text.split("\n") if line.strip()]
    rows = [rows] if isinstance(rows, Mapping) else rows
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise StimulusError("these are not rows of tests", allowed="an object for each test")
    return rows


# --- CA-WEAT, and the translations beside it ------------------------------------------------------

_COLUMNS = {
    "WEAT1": ("FLOWERS", "INSECTS", "PLEASANT", "UNPLEASANT"),
    "WEAT2": ("INSTRUMENTS", "WEAPONS", "PLEASANT", "UNPLEASANT"),
}
_BETWEEN = re.compile(r"[,，、،;；]")


def _ca_weat(path: Path) -> Iterator[Imported]:
    """Two tests of each row of a table (TSV), or of each object of a JSON file."""
    if path.suffix.lower() == ".json":
        content = json_value(file_bytes(path, StimulusError, MAX_IMPORT))
        if not isinstance(content, Mapping) or not all(
            isinstance(row, Mapping) for row in content.values()
        ):
            raise StimulusError(
                "this is not an object of lists by language", remedy=FORMS[CA_WEAT][1]
            )
        rows = [{"LANG": key, **value} for key, value in content.items()]
    else:
        text = file_bytes(path, StimulusError, MAX_IMPORT).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    columns = {column for of_test in _COLUMNS.values() for column in of_test}
    if missing := sorted({"LANG", *columns}.difference(*rows[:1])):
        raise StimulusError(
            "columns are missing", got=f"no {', '.join(missing)}", remedy=FORMS[CA_WEAT][1]
        )
    for row in rows:
        variant = str(row["LANG"]).strip()
        keys = ("TYPE", "REFERENCE", "BIRTH PLACE", "BORN PLACE")  # the last in the JSON file
        about = [str(row.get(key) or "").strip() for key in keys]
        origin = ", ".join(filter(None, about))
        for name, of_test in _COLUMNS.items():
            lists = {
                role: (column.capitalize(), _terms(str(row[column] or "")))
                for role, column in zip(ROLES, of_test, strict=True)
            }
            notes = [f"List {variant}: {origin}."]
            title = f"{name}, list {variant}"
            # the table of translations has those of XWEAT and some of the authors of CA-WEAT
            citation = CITATIONS[CA_WEAT] if about[1].startswith("España-Bonet") else ""
            yield Imported(name, lists, _tag(variant), notes, title, variant, citation)


def _terms(cell: str) -> list[str]:
    """Terms of a cell; the full stop behind the last is none of it."""
    terms = (term.strip() for term in _BETWEEN.split(cell.strip().rstrip(".")))
    return [term for term in terms if term]


def _tag(name: str) -> str:
    """Make a language tag of a name such as de_AT1 or zh_HK_Hant1: the script is before the region.

    >>> _tag("zh_HK_Hant1"), _tag("it12")
    ('zh-Hant-HK', 'it')
    """
    language, *more = name.rstrip("0123456789").split("_")
    return "-".join([language, *sorted(more, key=len, reverse=True)])


# --- XWEAT ----------------------------------------------------------------------------------------

_DICTIONARY = re.compile(r"vocab_en_([a-z]{2,3})")


def _xweat(path: Path) -> Iterator[Imported]:
    """The tests of Caliskan et al. (2017), translated by a dictionary ``vocab_en_de.csv``.

    As its authors do, a word with a feminine form is both; names stay as they are. A table of
    translated lists (``X-WEATv1.tsv``) is read as that of CA-WEAT.
    """
    if path.suffix.lower() in {".tsv", ".json"}:
        yield from _ca_weat(path)
        return
    text = file_bytes(path, StimulusError, MAX_IMPORT).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    forms = {
        _bare(row[0]): list(dict.fromkeys(cell.strip() for cell in row[1:] if cell.strip()))
        for row in rows
        if len(row) > 1 and row[0] == row[0].lower() and any(map(str.strip, row[1:]))
    }
    named = _DICTIONARY.fullmatch(path.stem)
    for test in read_battery("caliskan").tests:
        lists, left = {}, []
        for role, concept in test.concepts.items():
            translated = [forms.get(_bare(term), []) for term in concept.terms]
            left += [t for t, words in zip(concept.terms, translated, strict=True) if not words]
            pairs = zip(concept.terms, translated, strict=True)
            terms = [word for term, words in pairs for word in words or [term]]
            # of names alone nothing is translated
            lists[role] = concept.name, terms if any(translated) else []
        notes = [f"Translations of the stimuli of {test.id} by {path.name}."]
        notes += [f"Not translated: {', '.join(left)}."] if left else []
        name = test.id.replace("-", "").upper()
        yield Imported(name, lists, named[1] if named else "", notes, f"{test.title} (XWEAT)")


def _bare(word: str) -> str:
    """A word without what dictionaries write differently: bluebell and blue-bell."""
    return re.sub(r"[\W_]+", "", word.lower())


COLLECTIONS: dict[str, Callable[[Path], Iterator[Imported]]] = {
    WEATHUB: _weathub, XWEAT: _xweat, CA_WEAT: _ca_weat,
}  # fmt: skip
FORMS = {
    WEATHUB: ("WEATHub", "name its Parquet, JSON or JSON lines, or a JSON file of its repository"),
    XWEAT: ("XWEAT", "name a dictionary such as vocab_en_de.csv, or X-WEATv1.tsv"),
    CA_WEAT: ("CA-WEAT", "name a table such as CA-WEATv3.tsv or CA-WEATv3.json"),
}
"""What a file is not if it cannot be read, and what to do then."""


def import_tests(
    path: str | Path,
    form: str,
    *,
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
    path = Path(path)
    wanted = [languages] if isinstance(languages, str) else list(languages)
    names = [tests] if isinstance(tests, str) else list(tests)
    with faults_in(path, *FORMS[form]):
        return _made(_chosen(list(COLLECTIONS[form](path)), wanted, names), path, form, test_id)


def _chosen(every: list[Imported], languages: list[str], names: list[str]) -> list[Imported]:
    """Tests in some languages, of some names; all of both where none are named."""
    if len(languages) == 1 and not any(test.language for test in every):
        for test in every:
            test.language = languages[0]
    if not all(test.language for test in every):
        raise StimulusError(
            "the file does not say which language its words are in",
            remedy="name it: --language de (in Python, languages='de')",
        )
    tags = sorted({test.language for test in every})
    for language in languages:
        if not any(_within(tag, language) for tag in tags):
            raise StimulusError(
                f"there is no test in {language!r}",
                allowed=", ".join(tags) or "none: it is empty",
                remedy="choose one of these, or leave --language out for all",
            )
    in_file = {name.lower(): name for test in every for name in (test.name, test.number)}
    wanted = {re.sub(r"[\W_]", "", name.lower()) for name in names}
    for name in wanted - in_file.keys():
        raise StimulusError(
            f"there is no test {name!r}{did_you_mean(name, in_file.values())}",
            allowed=", ".join(dict.fromkeys(test.name for test in every)),
            remedy="choose one of these, or leave --test out for all",
        )
    return [
        test
        for test in every
        if not languages or any(_within(test.language, language) for language in languages)
        if not wanted or wanted & {test.name.lower(), test.number}
    ]


def _within(tag: str, language: str) -> bool:
    """Whether a tag is that of a language, or of its use in a region or script."""
    return tag == language or tag.startswith(f"{language}-")


def _made(
    every: list[Imported], path: Path, form: str, test_id: str | None
) -> tuple[AssociationTest, ...]:
    """Make the tests of a collection that can be made; warn of the others."""
    made: dict[str, AssociationTest] = {}
    left: dict[str, str] = {}
    for test in every:
        name = f"{form}-{test.number}-{test.variant or test.language}"
        name = test_id if test_id and len(every) == 1 else identifier(name)
        notes = [f"Imported from {path.name}, format {form}.", *test.notes]
        title = test.title if test.variant else f"{test.title}, {test.language}"
        head = {"id": name, "title": title, "citation": test.citation or CITATIONS[form]}
        try:
            lists = _apart(test.lists, notes)
            if empty := [role for role, (_, terms) in lists.items() if not terms]:
                raise StimulusError(f"no terms are left of {', '.join(empty)}")
            if name in made:
                raise StimulusError("the file has it twice")
            made[name] = made_of(lists, notes, language=test.language, **head)  # type: ignore[assignment]
        except StimulusError as error:
            left[name] = error.what
    if not made or (test_id and len(every) > 1):
        reasons = listed((f"{name} ({why})" for name, why in left.items()), 5)
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
            notes.append(f"In both {' and '.join(pair)}, left out of both: {quoted(both)}.")
            for role in pair:
                name, terms = lists[role]
                lists[role] = name, [term for term in terms if term not in both]
    return lists
