"""Published sets of sentences that are compared, from their own files: none comes with eatlas.

StereoSet, WinoBias, Winogender schemas, GEST and HolisticBias; `data/published.toml` has their
citations and licences.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
    path = Path(path)
    tags = [languages] if isinstance(languages, str) else list(languages)
    names = [tests] if isinstance(tests, str) else list(tests)
    with _faults_of_set(path, form):
        found = READERS[form](path, names)
        return _make_tests(_chosen(found, tags, names), path, form, test_id)


@contextmanager
def _faults_of_set(path: Path, form: str) -> Iterator[None]:
    """Say what is wrong with a file of a set, also where its content has another structure."""
    published = SETS[form]
    with faults_in(path, published["files"], published["remedy"]):
        try:
            yield
        except (LookupError, TypeError, AttributeError) as error:
            raise _unknown_structure(form) from error


def _unknown_structure(form: str, got: str = "content with another structure") -> StimulusError:
    """An error about a file whose content has not the structure of its set."""
    published = SETS[form]
    return StimulusError(
        f"this is not a file of {published['files']}",
        got=got,
        allowed=published["structure"],
        remedy=published["remedy"],
    )


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
    """Tests of the tables of a file; an id is for one."""
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
                got=" ".join(filter(None, fields["notes"])) or "an empty file",
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
    content = json_value(file_bytes(path, StimulusError, MOST))
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, dict):
        raise _unknown_structure("stereoset", "no data by the name of the test")
    found: Tables = {}
    for name in ("intrasentence", "intersentence"):
        triples, faulty = [], []
        for number, example in enumerate(data.get(name, ()), 1):
            try:
                triple = _stereoset_triple(example, with_context=name == "intersentence")
            except (LookupError, TypeError, AttributeError) as error:
                own_id = example.get("id", number) if isinstance(example, dict) else number
                got = f"another structure in example {own_id} of {name}"
                raise _unknown_structure("stereoset", got) from error
            if triple:
                triples.append(triple)
            else:
                faulty.append(example.get("id", number))
        why = "they do not have three different sentences, one for each gold label"
        found[name] = {"triples": triples, "language": "en", "notes": [_omission_note(why, faulty)]}
    return {name: fields for name, fields in found.items() if fields["triples"] or names == [name]}


def _stereoset_triple(example: Mapping[str, Any], *, with_context: bool) -> dict[str, str]:
    """Return a triple; empty if the example does not have three different sentences."""
    by_label = {s["gold_label"]: s["sentence"].strip() for s in example["sentences"]}
    sentences = {key: by_label.get(label, "") for key, label in LABELS.items()}
    context, labels = example["context"].strip(), {"type": example["bias_type"]}
    labels["subject"] = example["target"]
    if with_context:
        labels["context"] = context if context[-1:] in ".!?" else f"{context}."
    different = set(filter(None, sentences.values()))
    return sentences | labels if len(different) == len(LABELS) else {}


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
    columns = "occupation", "bls_pct_female"
    female = {
        row["occupation"]: _percentage(row["bls_pct_female"], f"line {line} of {statistics.name}")
        for line, row in _rows(statistics, "\t", columns)
    }
    versions: dict[tuple[str, str, str], dict[str, str]] = {}
    for line, row in _rows(path, "\t", ("sentid", "sentence")):
        parts = row["sentid"].split(".")
        if len(parts) != 5:
            raise StimulusError(
                f"line {line} of {path.name} has another form of sentid",
                got=row["sentid"],
                allowed="occupation.participant.answer.gender.txt",
            )
        occupation, participant, answer, gender, _ = parts
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
    left: dict[str, dict[str, list[str]]] = {name: {} for name in found}
    for (occupation, participant, answer), sentences in versions.items():
        version = "someone" if participant == "someone" else "participant"
        share = female.get(occupation, math.nan)
        why = ""
        if math.isnan(share) or share == 50:
            why = f"{statistics.name} has no majority for the occupation"
        elif not {"female", "male"} <= sentences.keys():
            why = "the sentence with the other pronoun is missing"
        if why:
            own_id = ".".join((occupation, participant, answer))
            left[version].setdefault(why, []).append(own_id)
            continue
        sides = ("female", "male") if share > 50 else ("male", "female")
        referent = "occupation" if answer == "0" else "participant"
        pair = {key: sentences[side] for key, side in zip(("more", "less"), sides, strict=True)}
        found[version]["pairs"].append({**pair, "type": f"pronoun of the {referent}"})
    for version, reasons in left.items():
        found[version]["notes"] += [_omission_note(why, own) for why, own in reasons.items()]
    return {name: fields for name, fields in found.items() if fields["pairs"]} or found


def _percentage(text: str, where: str) -> float:
    """Read a percentage; NaN if the table has none."""
    try:
        share = float(text or "nan")
    except ValueError:
        share = math.inf
    if not (math.isnan(share) or 0 <= share <= 100):
        raise StimulusError(
            f"{where} has no percentage in bls_pct_female", got=text, allowed="0 to 100, or nan"
        )
    return share


# --- GEST -----------------------------------------------------------------------------------------


def _parse_gest(path: Path, names: list[str]) -> Tables:  # noqa: ARG001
    """Sentences in English in four templates, or a pair of translations in each language."""
    rows = list(_rows(path, ",", ()))
    if not rows:
        return {}
    columns = rows[0][1].keys()
    if "male" not in columns and {"sentence", "stereotype"} <= columns:
        return _english_gest(rows)
    if not {"language", "male", "female", "stereotype"} <= columns:
        raise _unknown_structure("gest", f"the columns {listing(columns, 8)}")
    found: Tables = {}
    seen, left = set(), Counter[tuple[str, str]]()
    for line, row in rows:
        language, male, female = row["language"], row["male"].strip(), row["female"].strip()
        if why := _fault_of_variants(male, female, again=(language, male, female) in seen):
            left[language, why] += 1
            continue
        seen.add((language, male, female))
        fields = found.setdefault(language, {"pairs": [], "language": language, "notes": []})
        fields["pairs"].append(_gest_pair(male, female, row["stereotype"], line))
    for (language, why), count in left.items():
        if language in found:
            found[language]["notes"].append(f"Left out, because {why}: {count}.")
    return found


def _english_gest(rows: list[tuple[int, dict[str, str]]]) -> Tables:
    """Pairs of each template with each sentence."""
    different, empty, again = dict[tuple[str, str], tuple[int, str]](), list[str](), list[str]()
    for line, row in rows:
        key = row["sentence"].strip(), row["stereotype"].strip()
        if not key[0]:
            empty.append(f"line {line}")
        elif key in different:
            again.append(f"line {line}")
        else:
            different[key] = line, row["sentence"]
    notes = [
        _omission_note("the sentence is empty", empty),
        _omission_note("the same sentence occurs before", again),
    ]
    return {
        name: {
            "pairs": [
                _gest_pair(male.format(text), female.format(text), stereotype, line)
                for (_, stereotype), (line, text) in different.items()
            ],
            "language": "en",
            "notes": [*notes],
        }
        for name, (male, female) in SETS["gest"]["templates"].items()
    }


def _gest_pair(male: str, female: str, stereotype: str, line: int) -> dict[str, str]:
    """A pair whose more stereotyping sentence is spoken by the gender of the stereotype."""
    women, men = SETS["gest"]["women"], SETS["gest"]["men"]
    number = int(stereotype) if stereotype.strip().isdecimal() else 0
    if not 1 <= number <= len(women) + len(men):
        raise StimulusError(
            f"line {line}: there is no stereotype {stereotype}",
            got=male,
            allowed=f"1 to {len(women) + len(men)}",
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


def _rows(
    path: Path, delimiter: str, columns: Iterable[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a table with these and other columns, and the line of each."""
    text = decode_utf8(file_bytes(path, StimulusError, MOST), str(path), StimulusError)
    dialect = _Tabs if delimiter == "\t" else csv.excel
    rows = csv.DictReader(io.StringIO(text, newline=""), dialect=dialect)
    names = rows.fieldnames or ()
    if lacking := [name for name in columns if name not in names]:
        raise StimulusError(
            f"{path.name} has no column {' or '.join(lacking)}",
            got=listing(names, 6) or "an empty file",
            allowed=", ".join(columns),
        )
    for row in rows:
        if None in row or None in row.values():
            raise StimulusError(
                f"line {rows.line_num} of {path.name} does not have the columns of the first line",
                got=listing(map(str, filter(None, row.values())), 4),
                allowed=", ".join(names),
            )
        yield rows.line_num, row


# --- HolisticBias ---------------------------------------------------------------------------------


def holistic_bias_lists(path: Path) -> WordLists:
    """Read the descriptors of HolisticBias as lists: of each axis, and of each of its buckets."""
    with _faults_of_set(path, "holistic-bias"):
        lists: dict[str, list[str]] = {}
        for axis, descriptor in _descriptors(path):
            for name in (axis[0], "/".join(axis)):
                lists.setdefault(name, []).append(descriptor["descriptor"])
        return WordLists(lists, [SETS["holistic-bias"]["citation"] + "."])


def _descriptors(path: Path) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Axis and bucket of each descriptor, and what the file says of it."""
    content = json_value(file_bytes(path, StimulusError, MOST))
    if not isinstance(content, dict) or not all(isinstance(b, dict) for b in content.values()):
        raise StimulusError(
            "the content is not descriptors by axis and bucket",
            got=path.name,
            allowed=SETS["holistic-bias"]["structure"],
            remedy=SETS["holistic-bias"]["remedy"],
        )
    for axis, buckets in content.items():
        for bucket, descriptors in buckets.items():
            for number, descriptor in enumerate(descriptors, 1):
                own = {"descriptor": descriptor} if isinstance(descriptor, str) else descriptor
                word = own.get("descriptor") if isinstance(own, dict) else None
                if not isinstance(word, str) or not word.strip():
                    got = f"no descriptor as entry {number} of {axis}/{bucket}"
                    raise _unknown_structure("holistic-bias", got)
                yield (axis, bucket), own


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
    _check_nouns(nouns)
    _check_templates(templates)
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


FIELDS = "{noun_phrase}", "{plural_noun_phrase}"


def _check_nouns(nouns: Any) -> None:
    """Refuse nouns that are not pairs of singular and plural by gender."""
    if isinstance(nouns, dict):
        pairs = [pair for own in nouns.values() for pair in own]
        if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            return
    raise _unknown_structure("holistic-bias", "other nouns in nouns.json")


def _check_templates(templates: Any) -> None:
    """Refuse templates with other fields than the two of HolisticBias."""
    if not isinstance(templates, dict):
        raise _unknown_structure("holistic-bias", "no templates in sentence_templates.json")
    for template in templates:
        if re.search("[{}]", _put_phrases(template, "", "")):
            raise StimulusError(
                "a template of sentence_templates.json has other braces",
                got=template,
                allowed=" and ".join(FIELDS),
                remedy=SETS["holistic-bias"]["remedy"],
            )


def _put_phrases(template: str, phrase: str, plural: str) -> str:
    """Replace the two fields of a template with a noun phrase and its plural."""
    return template.replace(FIELDS[0], phrase).replace(FIELDS[1], plural)


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
    return [_put_phrases(template, phrase, plural) for phrase, plural in phrases]


READERS: dict[str, Callable[[Path, list[str]], Tables]] = {
    "stereoset": _parse_stereoset,
    "winobias": _parse_winobias,
    "winogender": _parse_winogender,
    "gest": _parse_gest,
    "holistic-bias": _parse_holistic_bias,
}
