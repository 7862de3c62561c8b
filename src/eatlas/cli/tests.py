"""``eatlas tests``: batteries and their tests, and whether a test file is well formed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eatlas.cli.messages import (
    output_of_a_command,
    print_data,
    print_line,
    remark,
)
from eatlas.cli.options import Commands
from eatlas.cli.power_table import print_powers
from eatlas.decoding import MAX_TOML
from eatlas.errors import EatlasError, StimulusError, StimulusWarning, listing
from eatlas.measures import inference
from eatlas.numbers import number_of
from eatlas.plugins import call_point, points
from eatlas.stimuli import (
    ROLES,
    SentencePairsTest,
    Test,
    battery_names,
    load_tests,
    read_battery,
    to_toml,
)
from eatlas.stimuli.batteries import is_test, namesake, read_test_file
from eatlas.stimuli.images import describe_location
from eatlas.stimuli.importers import (
    COLLECTIONS,
    FORMATS,
    import_test,
    list_formats,
    read_lists,
    require_list_format,
)
from eatlas.stimuli.keys import plugin_keys
from eatlas.stimuli.kinds import TARGETS, remarks
from eatlas.stimuli.sentences import sentence_tests
from eatlas.writing import atomic_file, require_other_file

app = Commands(
    help="List, show, check and import tests; turn words into sentences.", no_args_is_help=True
)


@app.command("list")
def list_tests() -> None:
    """List the batteries and their tests."""
    for name in battery_names():
        battery = read_battery(name)
        print_line(f"{name}: {battery.title}")
        width = max(len(test.id) for test in battery.tests)
        for test in battery.tests:
            language = f", {test.language}" if test.language else ""
            print_line(f"  {test.id:<{width}}  {test.label} ({_sizes(test)}{language})")
        for about in dict.fromkeys(filter(None, map(_of_sets, battery.tests))):
            print_line(f"  {about}")


@app.command("show")
def show(name: str) -> None:
    """Print tests as TOML, to save, change and run.

    Parameters
    ----------
    name : ID
        A test, a battery or a TOML file.
    """
    tests: Sequence[Test] = load_tests(name)
    print_data(to_toml(tests))
    for about in dict.fromkeys(_of_sets(test) for test in tests if not test.at_hand):
        remark(about)


@app.command("check")
def check(path: str, *, vectors: list[str] | None = None, as_json: bool = False) -> None:
    """Check a test file and list every error. Exit code 2 if there is one.

    Warnings name likely mistakes, such as a group of one term. With vectors, the command also shows
    for each group: words found and missing, with near spellings, the median frequency rank of the
    words, near-synonyms that count as one word, and the smallest effect size that the words found
    can show.

    Parameters
    ----------
    path : FILE.toml or TEST
        The test file; or the name of a test or battery that comes with eatlas.
    vectors : [NAME=]SOURCE
        Vectors in which to look up the words. May be repeated.
    as_json : --json
        Print the coverage as JSON, one object for each test and source.
    """
    if as_json and not vectors:
        raise EatlasError(
            "--json prints what vectors have for a test",
            got="no --vectors",
            allowed="--vectors SOURCE --json",
        )
    tests: Sequence[Test] = load_tests(path) if is_test(path) else read_test_file(path).tests
    for test in tests:
        sizes = [f"{part} {c.name}: {len(c.terms)}" for part, c in test.parts]
        more = dict(getattr(test, "more", ()))
        sizes += [number_of(len(texts), plugin_keys()[key].item) for key, texts in more.items()]
        if not as_json:
            print_line(f"{test.id}: {', '.join(sizes)}")
        alone = [
            f"{role} ({concept.name}) has one term; {_consequence(test, role)}"
            for role, concept in test.parts
            if len(concept.terms) == 1 and not isinstance(test, SentencePairsTest)
        ]
        for text in filter(None, (*alone, *remarks(test), namesake(test))):
            remark(f"warning: {path}: test {test.id}: {text}")
    if not as_json:
        print_line(f"{path}: {number_of(len(tests), 'test')}, no faults")
    if vectors:
        from eatlas.cli.coverage_table import print_checks  # noqa: PLC0415  (others open no vectors)

        print_checks(tests, vectors, as_json=as_json)


@app.command("import")
def import_(
    path: Path,
    *,
    form: str,
    test_id: str | None = None,
    language: list[str] | None = None,
    test: list[str] | None = None,
    categories: list[str] | None = None,
    output: Path | None = None,
) -> None:
    """Convert tests of other software to TOML. Their notes list what was changed.

    From a collection of tests, such as weathub, stereoset or gest, the command imports all tests.
    From formats of named lists of words, such as dictionaries, categories become groups; without
    --category, the command lists them.

    Parameters
    ----------
    path : FILE
        The file to import.
    form : --format FORMAT
        sent-bias (also of Mind Your Bias), wefe or crows-pairs (CSV); or one that a package adds:
        collections of tests (weathub, xweat, ca-weat), of sentences (stereoset, winobias,
        winogender, gest, holistic-bias), or lists of words (liwc, quanteda, holistic-bias-words).
    test_id : --id ID
        The only test's id. [default: FILE's name]
    language : --language TAG
        For a collection: import tests in this language; for any other file: its language. May be
        repeated.
    test : --test NAME
        For a collection: import the test with this name, such as WEAT6 or intrasentence. May be
        repeated.
    categories : --category GROUP=CATEGORY
        Category of a dictionary for X, Y, A and B, or for targets and each group. May be repeated.
    output : -o, --output FILE.toml
        File to write. [default: standard output]
    """
    collection = points(COLLECTIONS).get(form)
    if form not in FORMATS and collection is None:
        require_list_format(form)
        if not categories:
            for name, terms in read_lists(path, form).lists.items():
                print_line(f"{name}: {number_of(len(terms), 'term')}, {listing(terms, 4)}")
            return
    elif categories:
        raise StimulusError(
            f"--category chooses named lists of words, but {form} has none",
            allowed=", ".join(list_formats()) or "a format that a package adds",
            remedy="leave it out",
        )
    chosen = dict(text.partition("=")[::2] for text in categories or [])
    tags, names = language or [], test or []
    tests: tuple[Test, ...]
    if collection is not None:
        with _remarking():
            tests = call_point(collection, tuple, path, form, tags, names, test_id)
    elif len(tags) > 1 or names:
        raise StimulusError(
            f"a file of the format {form} has one test in one language",
            got=listing(tags + names, 4),
        )
    else:
        tag = "".join(tags)
        tests = (import_test(path, form, test_id=test_id, categories=chosen, language=tag),)
    hand_out(tests, output, [path])


@app.command("sentences")
def sentences(
    name: str,
    *,
    templates: Path | None = None,
    classes: list[str] | None = None,
    output: Path | None = None,
) -> None:
    """Make sentence tests from word tests: each word in every template of its class.

    Parameters
    ----------
    name : ID
        A test, a battery or a TOML file.
    templates : FILE.toml|husse-spitz
        File with templates by class of word, and words with class and forms; or the templates of
        Husse and Spitz (2022), which need a class for each group. [default: SEAT's; in de, es, fr,
        it, nl and pt sentences that mention a word]
    classes : --class [ROLE=]CLASS
        Class of words that no file lists, such as X=name. May be repeated.
    output : -o, --output FILE.toml
        File to write. [default: standard output]
    """
    pairs = [text.rpartition("=") for text in classes or []]  # X=name, or name for all roles
    everywhere = {role: name for roleless, _, name in pairs if not roleless for role in ROLES}
    chosen = everywhere | {role: name for role, _, name in pairs if role}
    read = [Path(name), *([templates] if templates else [])]
    with _remarking():
        tests = sentence_tests(load_tests(name), templates, chosen)
    hand_out(tests, output, read)


@app.command("power")
def power(names: list[str]) -> None:
    """Show what a design can find: smallest p, smallest effect size, number of terms needed.

    Level 1 permutes targets, level 2 attributes. Tests of sentences count stimuli.

    Parameters
    ----------
    names : ID|FILE.toml|X,Y[,A,B]...
        Tests, batteries or TOML files; or sizes of groups, such as 8,8,25,25.
    """
    designs = []
    for name in names:
        sizes = name.split(",")
        if all(size.strip().isdecimal() for size in sizes):
            designs.append((name, inference.power(tuple(map(int, sizes)))))
        else:
            tests: tuple[Any, ...] = load_tests(name)  # power says which have one
            designs += [(test.id, inference.power(test)) for test in tests]
    with output_of_a_command():
        print_powers(designs)


@contextmanager
def _remarking() -> Iterator[None]:
    """Print warnings about stimuli as remarks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StimulusWarning)
        yield
    for warning in caught:
        remark(f"warning: {warning.message}")


def hand_out(tests: Iterable[Test], output: Path | None, read: list[Path]) -> None:
    """Print tests as TOML, or write them to a file that is not one of the files read."""
    text = to_toml(tests, None if output is None else output.absolute().parent)
    if output is None:
        print_data(text)
        return
    require_other_file(output, read)
    if (size := len(text.encode())) > MAX_TOML:
        raise StimulusError(
            f"{output}: these tests make a file that eatlas would not read",
            got=f"{size:,} bytes",
            allowed=f"at most {MAX_TOML >> 20} MiB",
            remedy="import fewer tests at a time, with --test or --language",
        )
    with atomic_file(output) as file:
        file.write(text)
    print_line(f"test: {output}")


def _of_sets(test: Test) -> str:
    """Say which published set a test has images of, and how to get it where it is not here."""
    references = [concept.images_from for _, concept in test.parts if concept.images_from]
    return describe_location(references[0]) if references else ""


def _consequence(test: Test, role: str) -> str:
    """Say what measures do with a test if a group of it has one term."""
    if test.kind == "association" and role in TARGETS:
        return (
            "an SC-EAT replaces a WEAT of this test, and other measures that permute the terms of "
            "X and Y, such as ml-eat, refuse it."
        )
    return "a group of one cannot be permuted, so measures that permute it refuse this test."


def _sizes(test: Test) -> str:
    """Sizes of the concepts as in X25 Y25 A25 B25; of groups with their names."""
    sizes = [len(concept.terms) for _, concept in test.parts]
    if test.kind != "association":
        return f"{test.kind}: {sizes[0]} targets, {' + '.join(map(str, sizes[1:]))}"
    images = any(concept.images for _, concept in test.parts)
    return (", " if images else " ").join(
        f"{role}{size}{' images' if concept.images else ''}"
        for (role, concept), size in zip(test.parts, sizes, strict=True)
    )
