"""Published sets of sentences that are compared, from their own files: none comes with eatlas.

StereoSet, WinoBias, Winogender schemas, GEST and HolisticBias; `data/published.toml` has their
citations and licences.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from eatlas.decoding import decode_utf8, file_bytes, json_value, own_toml
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.stimuli import SentencePairsTest, SentenceTriplesTest
from eatlas.stimuli.importers import WordLists, faults_in
from eatlas.stimuli.kinds import identifier

SETS: dict[str, dict[str, Any]] = own_toml(
    files("eatlas_models.stimuli") / "data" / "published.toml"
)
MOST = 64 << 20
"""Bytes of a file: the test set of StereoSet has 49 million."""
Tables = dict[str, dict[str, Any]]
"""Fields of each test by its name: its pairs or triples, notes, and language."""


def import_sentences(
    path: str | Path,
    form: str,
    languages: str | Iterable[str] = (),
    tests: str | Iterable[str] = (),
    test_id: str | None = None,
) -> tuple[SentencePairsTest, ...]:
    r"""Read pairs or triples of sentences from a file of a published set.

    What is left out of the file is in ``notes``. The citation names the licence.

    Parameters
    ----------
    path : str or path
        A file of the set, as it is published.
    form : {"stereoset", "winobias", "winogender", "gest", "holistic-bias"}
    languages : str or list of str, optional
        Tests in these languages, by default in all.
    tests : str or list of str, optional
        Tests with these names, such as ``intrasentence``; by default all. For ``holistic-bias``
        two descriptors to compare, such as ``Catholic/Jewish``.
    test_id : str, optional
        The id of the only test; by default ids consist of the form and the name.

    Returns
    -------
    tuple of SentencePairsTest

    Raises
    ------
    StimulusError
        If the file cannot be read, is not of that format, or has no such test.

    Examples
    --------
    >>> import tempfile
    >>> lines = "sentence,stereotype\nI cry a lot.,1\nI lead the team.,13\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "gest.csv"
    ...     _ = path.write_text(lines)
    ...     (test,) = import_sentences(path, "gest", tests="he-said")
    >>> test.id, test.tables[0]["more"], test.tables[1]["more"]
    ('gest-he-said', 'She said: "I cry a lot."', 'He said: "I lead the team."')
    """
    if form not in READERS:
        raise StimulusError(
            f"there is no set of sentences {form!r} to import{did_you_mean(form, READERS)}",
            allowed=", ".join(READERS),
        )
    path, published = Path(path), SETS[form]
    tags = [languages] if isinstance(languages, str) else list(languages)
    names = [tests] if isinstance(tests, str) else list(tests)
    with faults_in(path, published["files"], published["remedy"]):
        try:
            found = READERS[form](path, names)
        except (KeyError, TypeError, AttributeError) as error:
            raise StimulusError(
                f"this is not a file of {published['files']}",
                got=f"{type(error).__name__}: {error}",
                remedy=published["remedy"],
            ) from error
        return _make_tests(_chosen(found, tags, names), path, form, test_id)


def _chosen(found: Tables, tags: list[str], names: list[str]) -> Tables:
    """Return the tests of some languages, of some names; all if none are named."""
    of_language = {name: str(fields["language"]) for name, fields in found.items()}
    for wanted, there, option in (
        (tags, set(of_language.values()), "--language"),
        (names, set(found), "--test"),
    ):
        for name in wanted:
            if name not in there:
                raise StimulusError(
                    f"there is no test {name!r}{did_you_mean(name, there)}",
                    allowed=listing(sorted(there), 20),
                    remedy=f"choose one of these, or omit {option} for all",
                )
    return {
        name: fields
        for name, fields in found.items()
        if (not tags or fields["language"] in tags) and (not names or name in names)
    }


def _make_tests(
    found: Tables, path: Path, form: str, test_id: str | None
) -> tuple[SentencePairsTest, ...]:
    if test_id and len(found) > 1:
        raise StimulusError(
            "an id is for one test",
            got=f"{len(found)} tests: {listing(found, 6)}",
            remedy="choose one of them with --test",
        )
    if not found:
        raise StimulusError(
            "there are no sentences to compare",
            got="an empty file, or other tests than those named",
            remedy=SETS[form]["remedy"],
        )
    made = []
    for name, fields in found.items():
        kind = SentenceTriplesTest if "triples" in fields else SentencePairsTest
        if not (fields.get("triples") or fields.get("pairs")):
            raise StimulusError(
                f"no sentences of the test {name!r} can be compared",
                got="; ".join(fields["notes"]) or "an empty file",
                remedy=SETS[form]["remedy"],
            )
        notes = [f"Imported from {path.name}, format {form}.", *filter(None, fields.pop("notes"))]
        title = f"{SETS[form]['files']}, {name}"
        own_id = test_id or identifier(f"{form}-{name}".replace("/", "-"))
        head = {"id": own_id, "title": title, "citation": SETS[form]["citation"], "notes": notes}
        made.append(kind(**head, **fields))
    return tuple(made)


def _companion(path: Path, name: str) -> Path:
    """Return a file of the same folder, which the set has besides the one that is named."""
    other = path.with_name(name)
    if not other.is_file():
        raise StimulusError(
            f"the file {name} is missing",
            got=f"no such file in {path.parent}",
            allowed=f"{path.name} and {name} in one folder, as they are published",
        )
    return other


def _omission_note(why: str, places: list[Any]) -> str:
    """Note what is left out of a file; empty if nothing is."""
    if not places:
        return ""
    return f"Left out, because {why}: {len(places)} ({listing(map(str, places), 8)})."


# --- StereoSet ------------------------------------------------------------------------------------

LABELS = {"more": "stereotype", "less": "anti-stereotype", "unrelated": "unrelated"}


def _parse_stereoset(path: Path, names: list[str]) -> Tables:
    """Triples within sentences, and triples of sentences that follow a context."""
    data = json_value(file_bytes(path, StimulusError, MOST))["data"]
    found: Tables = {}
    for name in ("intrasentence", "intersentence"):
        triples, faulty = [], []
        for example in data.get(name, ()):
            by_label = {s["gold_label"]: s["sentence"].strip() for s in example["sentences"]}
            sentences = {key: by_label.get(label, "") for key, label in LABELS.items()}
            if len(set(filter(None, sentences.values()))) < len(LABELS):
                faulty.append(example["id"])
                continue
            context = example["context"].strip()
            labels = {"type": example["bias_type"], "subject": example["target"]}
            if name == "intersentence":
                labels["context"] = context if context[-1:] in ".!?" else f"{context}."
            triples.append(sentences | labels)
        why = "they do not have three different sentences, one for each gold label"
        found[name] = {"triples": triples, "language": "en", "notes": [_omission_note(why, faulty)]}
    return {name: fields for name, fields in found.items() if fields["triples"] or names == [name]}


# --- WinoBias and Winogender schemas --------------------------------------------------------------

PRONOUNS = {"he": "male", "him": "male", "his": "male", "himself": "male",
            "she": "female", "her": "female", "hers": "female", "herself": "female"}  # fmt: skip
_WINOBIAS = re.compile(r"(?:pro|anti)_stereotyped_(type\d)\.txt\.(\w+)$")


def _parse_winobias(path: Path, names: list[str]) -> Tables:  # noqa: ARG001
    """Lines of two files, which differ in pronouns: type by the gender of the stereotype."""
    if not (called := _WINOBIAS.search(path.name)):
        raise StimulusError(
            "the name of the file does not say whether it is pro or anti",
            got=path.name,
            allowed="pro_stereotyped_type1.txt.dev and its like",
            remedy=SETS["winobias"]["remedy"],
        )
    ending = path.name.partition("_")[2]
    pro, anti = (_winobias_lines(_companion(path, f"{side}_{ending}")) for side in ("pro", "anti"))
    if len(pro) != len(anti):
        raise StimulusError(
            "the files of both sides do not have the same number of lines",
            got=f"{len(pro)} and {len(anti)}",
            remedy="download both again",
        )
    pairs, faulty = [], []
    for number, (more, less) in enumerate(zip(pro, anti, strict=True), 1):
        words = [more.lower().split(), less.lower().split()]
        changed = [(a, b) for a, b in zip(*words, strict=False) if a != b]
        genders = {PRONOUNS.get(a.strip(".,")) for a, _ in changed}
        of_pronouns = all(PRONOUNS.get(b.strip(".,")) for _, b in changed)
        if (
            len(words[0]) != len(words[1])
            or not of_pronouns
            or genders not in ({"male"}, {"female"})
        ):
            faulty.append(number)
            continue
        pairs.append({"more": more, "less": less, "type": f"{genders.pop()} occupation"})
    why = "other words than the pronoun differ"
    name = f"{called[1]}-{called[2]}"
    return {name: {"pairs": pairs, "language": "en", "notes": [_omission_note(why, faulty)]}}


def _winobias_lines(path: Path) -> list[str]:
    """Sentences without their number and the brackets around mentions."""
    text = decode_utf8(file_bytes(path, StimulusError, MOST), str(path), StimulusError)
    lines = filter(None, map(str.strip, text.splitlines()))
    return [re.sub(r"[\[\]]", "", re.sub(r"^\d+\s+", "", line)) for line in lines]


def _parse_winogender(path: Path, names: list[str]) -> Tables:  # noqa: ARG001
    """Pairs of pronouns, with the participant named and as "someone"."""
    statistics = _companion(path, "occupations-stats.tsv")
    female = {row["occupation"]: float(row["bls_pct_female"]) for row in _rows(statistics, "\t")}
    versions: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in _rows(path, "\t"):
        occupation, participant, answer, gender, _ = row["sentid"].split(".")
        versions.setdefault((occupation, participant, answer), {})[gender] = row["sentence"]
    found: Tables = {
        name: {
            "pairs": [],
            "language": "en",
            "notes": [
                "The more stereotyping sentence has the pronoun of the majority in the occupation "
                "(bls_pct_female). Sentences with a neutral pronoun are not imported."
            ],
        }
        for name in ("participant", "someone")
    }
    for (occupation, participant, answer), sentences in versions.items():
        sides = ("female", "male") if female[occupation] > 50 else ("male", "female")
        referent = "occupation" if answer == "0" else "participant"
        pair = {key: sentences[side] for key, side in zip(("more", "less"), sides, strict=True)}
        version = "someone" if participant == "someone" else "participant"
        found[version]["pairs"].append({**pair, "type": f"pronoun of the {referent}"})
    return found


# --- GEST -----------------------------------------------------------------------------------------


def _parse_gest(path: Path, names: list[str]) -> Tables:  # noqa: ARG001
    """Sentences in English in four templates, or a pair of translations in each language."""
    rows, gest = list(_rows(path, ",")), SETS["gest"]
    if not rows:
        return {}
    if "male" not in rows[0]:
        return {
            name: {
                "pairs": [
                    _gest_pair(
                        male.format(row["sentence"]),
                        female.format(row["sentence"]),
                        row["stereotype"],
                    )
                    for row in rows
                ],
                "language": "en",
                "notes": [],
            }
            for name, (male, female) in gest["templates"].items()
        }
    found: Tables = {}
    seen, left = set(), Counter[tuple[str, str]]()
    for row in rows:
        language, male, female = row["language"], row["male"].strip(), row["female"].strip()
        if why := _fault_of_variants(male, female, again=(language, male, female) in seen):
            left[language, why] += 1
            continue
        seen.add((language, male, female))
        fields = found.setdefault(language, {"pairs": [], "language": language, "notes": []})
        fields["pairs"].append(_gest_pair(male, female, row["stereotype"]))
    for (language, why), count in left.items():
        if language in found:
            found[language]["notes"].append(f"Left out, because {why}: {count}.")
    return found


def _gest_pair(male: str, female: str, stereotype: str) -> dict[str, str]:
    """A pair whose more stereotyping sentence is spoken by the gender of the stereotype."""
    women, men = SETS["gest"]["women"], SETS["gest"]["men"]
    number = int(stereotype)
    if not 1 <= number <= len(women) + len(men):
        raise StimulusError(
            f"there is no stereotype {number}", allowed=f"1 to {len(women) + len(men)}"
        )
    of_women = number <= len(women)
    more, less = (female, male) if of_women else (male, female)
    kind = f"women: {women[number - 1]}" if of_women else f"men: {men[number - 1 - len(women)]}"
    return {"more": more, "less": less, "type": kind}


def _fault_of_variants(male: str, female: str, *, again: bool) -> str:
    """Why two translations are no pair by the rules of the paper; empty if they are."""
    words = male.split(), female.split()
    changed = [(a, b) for a, b in zip(*words, strict=False) if a != b]
    if len(words[0]) != len(words[1]) or len(changed) != 1:
        return "not exactly one word differs"
    if changed[0][0][0] != changed[0][1][0]:
        return "the words that differ begin with different letters"
    return "the same pair occurs before" if again else ""


class _Tabs(csv.excel_tab):
    quoting = csv.QUOTE_NONE


def _rows(path: Path, delimiter: str) -> Iterator[dict[str, str]]:
    """Rows of a table with names of columns in its first line."""
    text = decode_utf8(file_bytes(path, StimulusError, MOST), str(path), StimulusError)
    dialect = _Tabs if delimiter == "\t" else csv.excel
    rows = csv.DictReader(io.StringIO(text, newline=""), dialect=dialect)
    for row in rows:
        if None in row or None in row.values():
            raise StimulusError(
                f"line {rows.line_num} of {path.name} does not have the columns of the first line",
                got=listing(map(str, filter(None, row.values())), 4),
                allowed=", ".join(rows.fieldnames or ()),
            )
        yield row


# --- HolisticBias ---------------------------------------------------------------------------------


def holistic_bias_lists(path: Path) -> WordLists:
    """Read the descriptors of HolisticBias as lists: of each axis, and of each of its buckets."""
    published = SETS["holistic-bias"]
    with faults_in(path, published["files"], published["remedy"]):
        lists: dict[str, list[str]] = {}
        for axis, descriptor in _descriptors(path):
            for name in (axis[0], "/".join(axis)):
                lists.setdefault(name, []).append(descriptor["descriptor"])
        return WordLists(lists, [published["citation"] + "."])


def _descriptors(path: Path) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Axis and bucket of each descriptor, and what the file says of it."""
    content = json_value(file_bytes(path, StimulusError, MOST))
    if not isinstance(content, Mapping) or not all(
        isinstance(b, Mapping) for b in content.values()
    ):
        raise StimulusError(
            "the content is not descriptors by axis and bucket",
            remedy=SETS["holistic-bias"]["remedy"],
        )
    for axis, buckets in content.items():
        for bucket, descriptors in buckets.items():
            for descriptor in descriptors:
                plain = isinstance(descriptor, str)
                yield (axis, bucket), {"descriptor": descriptor} if plain else descriptor


def _parse_holistic_bias(path: Path, names: list[str]) -> Tables:
    """Sentences that differ in two descriptors: each template with each noun of both."""
    by_name = {d["descriptor"]: d for _, d in _descriptors(path)}
    if not names:
        raise StimulusError(
            "name the descriptors to compare",
            allowed=f"two of {len(by_name)}: {listing(by_name, 12)}",
            remedy="write --test Catholic/Jewish; --format holistic-bias-words lists them all",
        )
    nouns, templates = (
        json_value(file_bytes(_companion(path, name), StimulusError, MOST))
        for name in ("nouns.json", "sentence_templates.json")
    )
    found: Tables = {}
    for name in names:
        sides = name.split("/")
        unknown = [side for side in sides if side not in by_name]
        if len(sides) != 2 or unknown or sides[0] == sides[1]:
            raise StimulusError(
                f"{name!r} does not name two different descriptors"
                + (did_you_mean(unknown[0], by_name) if unknown else ""),
                allowed=listing(by_name, 12),
                remedy="write both as in the file, such as --test Catholic/Jewish",
            )
        first, second = (by_name[side] for side in sides)
        pairs = [
            {"more": more, "less": less, "type": template}
            for template, rule in templates.items()
            for more, less in zip(
                *(_fill_template(template, rule, d, _shared_nouns(nouns, first, second))
                  for d in (first, second)),
                strict=True,
            )
        ]  # fmt: skip
        found[name] = {"pairs": pairs, "sides": sides, "language": "en", "notes": []}
    return found


def _shared_nouns(
    nouns: Mapping[str, Any], *descriptors: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Nouns, singular and plural, whose gender suits all descriptors."""
    genders = [g for d in descriptors if (g := d.get("gender"))]
    return [
        (singular, plural)
        for gender, own in nouns.items()
        if set(genders) <= {gender}
        for singular, plural in own
    ]


def _fill_template(
    template: str,
    rule: Mapping[str, bool],
    descriptor: Mapping[str, str],
    nouns: list[tuple[str, str]],
) -> list[str]:
    """Put a descriptor into a template: alone where that is allowed, then with each noun."""
    word = descriptor["descriptor"]
    article = descriptor.get("article") or ("an" if word[0].lower() in "aeiou" else "a")
    phrases = [] if rule.get("must_be_noun") else [(word, word)]
    phrases += [(f"{article} {word} {noun}", f"{word} {plural}") for noun, plural in nouns]
    return [template.format(noun_phrase=p, plural_noun_phrase=plural) for p, plural in phrases]


READERS: dict[str, Callable[[Path, list[str]], Tables]] = {
    "stereoset": _parse_stereoset,
    "winobias": _parse_winobias,
    "winogender": _parse_winogender,
    "gest": _parse_gest,
    "holistic-bias": _parse_holistic_bias,
}
