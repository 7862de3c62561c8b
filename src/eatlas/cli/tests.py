"""``eatlas tests``: batteries and their tests, and whether a test file is well formed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.cli.messages import (
    output_of_a_command,
    print_data,
    print_json,
    print_line,
    remark,
)
from eatlas.cli.options import Commands
from eatlas.errors import EatlasError, StimulusError, StimulusWarning, joined
from eatlas.stimuli import (
    ROLES,
    AssociationTest,
    Concept,
    Test,
    battery_names,
    load_tests,
    read_battery,
    to_toml,
)
from eatlas.stimuli.batteries import namesake, read_test_file
from eatlas.stimuli.image_files import about_set
from eatlas.stimuli.kinds import remarks

if TYPE_CHECKING:
    from eatlas.cli.figures import Design

app = Commands(
    help="List, show, check and import tests; make sentences of them.", no_args_is_help=True
)


@app.command("list")
def list_tests() -> None:
    """List the batteries and their tests."""
    for name in battery_names():
        battery = read_battery(name)
        print_line(f"{name}: {battery.title}")
        width = max(len(test.id) for test in battery.tests)
        for test in battery.tests:
            print_line(f"  {test.id:<{width}}  {test.label} ({_sizes(test)})")
        for told in dict.fromkeys(filter(None, map(_of_sets, battery.tests))):
            print_line(f"  {told}")


@app.command("show")
def show(name: str) -> None:
    """Print tests as TOML, to save, change and run.

    Parameters
    ----------
    name : ID
        A test, a battery or a TOML file.
    """
    tests = load_tests(name)
    print_data(to_toml(tests))
    for told in dict.fromkeys(_of_sets(test) for test in tests if not test.at_hand):
        remark(told)


@app.command("check")
def check(path: Path) -> None:
    """Check a test file and list every error. Exit code 2 if there is one.

    Warnings name what is allowed but deserves a second look, such as a group of one term.

    Parameters
    ----------
    path : FILE.toml
        The test file.
    """
    battery = read_test_file(path)
    for test in battery.tests:
        sizes = ", ".join(f"{part} {c.name}: {len(c.terms)}" for part, c in test.parts)
        print_line(f"{test.id}: {sizes}")
        for text in filter(None, (*_groups_of_one(test), *remarks(test), namesake(test))):
            remark(f"warning: {path}: test {test.id}: {text}")
    print_line(f"{path}: {len(battery.tests)} test(s), no faults")


@app.command("import")
def import_(
    path: Path,
    *,
    form: str,
    test_id: str | None = None,
    output: Path | None = None,
    plurals: bool = False,
) -> None:
    """Convert a test of other software to TOML. Its notes list what was changed.

    Parameters
    ----------
    path : FILE
        The file to import.
    form : --format FORMAT
        sent-bias, mind-your-bias or wefe.
    test_id : --id ID
        The test's id. [default: FILE's name]
    output : -o, --output FILE.toml
        File to write. [default: standard output]
    plurals
        Include plural forms (word sets of Mind Your Bias).
    """
    from eatlas.stimuli.importers import import_test  # noqa: PLC0415  (--help need not wait)

    _hand_out([import_test(path, form, test_id=test_id, plurals=plurals)], output, [path])


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
    templates : FILE.toml
        File with templates by class of word, and words with class and forms. [default: SEAT's]
    classes : --class [ROLE=]CLASS
        Class of words that are in no file, such as X=name. May be repeated.
    output : -o, --output FILE.toml
        File to write. [default: standard output]
    """
    from eatlas.stimuli.sentences import sentence_tests  # noqa: PLC0415  (--help need not wait)

    read = [Path(name), *([templates] if templates else [])]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StimulusWarning)
        tests = sentence_tests(load_tests(name), templates, _classes(classes or []))
    for warning in caught:
        remark(f"warning: {warning.message}")
    _hand_out(tests, output, read)


@app.command("power")
def power(
    names: list[str] | None = None,
    *,
    sizes: list[str] | None = None,
    d: float | None = None,
    wanted: float = 0.8,
    alpha: float = 0.05,
    tail: str = "two-sided",
    as_json: bool = False,
) -> None:
    """Show what a design can find: smallest p, smallest effect size, number of terms needed.

    Level 1 permutes targets, level 2 attributes. Tests of sentences count stimuli.

    Parameters
    ----------
    names : [ID|FILE.toml]...
        Tests, batteries or TOML files.
    sizes : X,Y[,A,B]
        Sizes of groups instead of tests, such as 8,8,25,25. May be repeated.
    d
        Effect size: how likely is it found?
    wanted : --power
        Power of the smallest effect.
    alpha
        Significance level.
    tail
        two-sided, greater or less.
    as_json : --json
        Print only JSON, one object a line.
    """
    if not (names or sizes):
        raise EatlasError(
            "power needs a design, and none is named",
            allowed="tests, as in eatlas tests power weat-6, or --sizes 8,8,25,25",
        )
    options = {"d": d, "wanted": wanted, "alpha": alpha, "tail": tail.replace("-", "_")}
    found = [*_of_tests(names or (), options), *_of_sizes(sizes or (), options)]
    with output_of_a_command():
        if as_json:
            print_json({"test": name, "sizes": n, **one.to_dict()} for name, n, one in found)
            return
        from eatlas.cli.figures import print_powers  # noqa: PLC0415  (only a person sees tables)

        print_powers(found)


def _of_tests(names: Sequence[str], options: Mapping[str, Any]) -> Iterator[Design]:
    """What tests can find, each with its sizes by role."""
    from eatlas.measures.inference import power  # noqa: PLC0415  (--help need not wait)

    for test in load_tests(names) if names else ():
        if not isinstance(test, AssociationTest):
            raise StimulusError(
                f"the test {test.id} does not have two targets and two attributes",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind association",
            )
        found = power(test, **options)
        known = (found.level1, found.level2)
        n = [size for level in known if level for size in level.n]
        yield test.id, dict(zip(ROLES, n, strict=True)), found


def _of_sizes(sizes: Sequence[str], options: Mapping[str, Any]) -> Iterator[Design]:
    """What designs of these sizes can find."""
    from eatlas.measures.inference import power  # noqa: PLC0415

    for text in sizes:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) not in (2, 4) or not all(part.isdecimal() for part in parts):
            raise EatlasError(
                "--sizes takes whole numbers separated by commas",
                got=repr(text),
                allowed="of X and Y, as 8,8, or of X, Y, A and B, as 8,8,25,25",
            )
        n = tuple(map(int, parts))
        yield text, dict(zip(ROLES, n, strict=False)), power(n, **options)


def _classes(given: list[str]) -> dict[str, str]:
    """Read ``X=name``, or ``name`` for all roles; what names a role wins."""
    pairs = [one.rpartition("=") for one in given]
    everywhere = {role: name for roleless, _, name in pairs if not roleless for role in ROLES}
    return everywhere | {role: name for role, _, name in pairs if role}


def _hand_out(tests: Iterable[Test], output: Path | None, read: list[Path]) -> None:
    """Print tests as TOML or write them to a file, which is none of those that were read."""
    from eatlas.writing import atomic_file, require_other_file  # noqa: PLC0415  (--help need not wait for it)

    text = to_toml(tests, None if output is None else output.absolute().parent)
    if output is None:
        print_data(text)
        return
    require_other_file(output, read)
    with atomic_file(output) as file:
        file.write(text)
    print_line(f"test: {output}")


def _of_sets(test: Test) -> str:
    """Say which published set a test has images of, and how to get it where it is not here."""
    references = [concept.images_from for _, concept in test.parts if concept.images_from]
    return about_set(references[0]) if references else ""


def _groups_of_one(test: Test) -> Iterator[str]:
    """Name groups that some measure would have to permute and cannot."""
    alone = [(role, concept.name) for role, concept in test.parts if len(concept.terms) == 1]
    if not alone:
        return
    from eatlas.measures import measure_types  # noqa: PLC0415  (0.5 s, and few tests need it)

    for role, name in alone:
        refusing = [
            measure.name
            for measure in measure_types().values()
            if measure.kind == test.kind and measure.minimum.get(role, 1) > 1
        ]
        if refusing:
            yield (
                f"{role} ({name}) has one term; a group of one cannot be permuted, so "
                f"{joined(refusing)} will refuse this test."
            )


def _sizes(test: Test) -> str:
    """Sizes of the concepts as in X25 Y25 A25 B25; of groups with their names."""
    if test.kind == "association":
        between = ", " if any(concept.images for _, concept in test.parts) else " "
        return between.join(f"{role}{_size(concept)}" for role, concept in test.parts)
    targets, *groups = (len(concept.terms) for _, concept in test.parts)
    return f"groups: {targets} targets, {' + '.join(map(str, groups))}"


def _size(concept: Concept) -> str:
    """Number of terms, and that they are images where they are."""
    return f"{len(concept.terms)}{' images' if concept.images else ''}"
