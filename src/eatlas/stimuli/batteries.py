"""From files and names to tests: built-in batteries, batteries of other packages, a user's TOML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.decoding import own_toml, toml_bytes
from eatlas.errors import EatlasError, StimulusError, described, nearest
from eatlas.lazy import as_frame
from eatlas.notes import Note
from eatlas.paths import is_file, is_folder
from eatlas.plugins import absent, call_point, is_own, points, usable
from eatlas.stimuli.concepts import Concept
from eatlas.stimuli.kinds import OF_SENTENCES, AssociationTest, Battery, Test, TestsLike, identifier
from eatlas.stimuli.reading import parse_battery
from eatlas.stimuli.records import Frozen

if TYPE_CHECKING:
    import pandas as pd


@cache
def sentence_batteries() -> Mapping[str, Mapping[str, Any]]:
    """Return what is declared of each sentence battery, by its name."""
    data = resources.files("eatlas.stimuli") / "data" / "sentences" / "batteries.toml"
    document = own_toml(data)
    return {battery["id"]: battery for battery in document["battery"]}


BUILT_IN = (
    "caliskan",
    "caliskan-alternates",
    "google-news",
    "histwords",
    "mind-your-bias",
    "mind-your-bias-files",
    "mind-your-bias-excerpts",
    "kurita",
    "angry-black-woman",
    "double-bind",
    "divdist",
    "divdist-code",
    "ieat",
    "ieat-intersectional",
    "ieat-presidents",
    "ml-eat-images",
    *sentence_batteries(),
)
"""Batteries of words, then batteries of sentences."""
ENTRY_POINTS = "eatlas.batteries"
_ID = re.compile(r'^id = "([^"]+)"', re.MULTILINE)
_ALLOWED = "the name of a battery, the id of a test, or a TOML file"


def battery_names() -> tuple[str, ...]:
    """Names of all batteries, built-in ones first."""
    return (*BUILT_IN, *sorted(_third_party()))


@cache
def read_battery(name: str) -> Battery:
    """Return a battery by its name.

    Raises
    ------
    StimulusError
        If there is no such battery, or its file is not well formed.
    """
    if name in sentence_batteries():
        from eatlas.stimuli.sentences import sentence_battery  # noqa: PLC0415

        return sentence_battery(name, sentence_batteries()[name], read_battery)
    if name in BUILT_IN:
        data = resources.files("eatlas.stimuli") / "data" / f"{name}.toml"
        return parse_battery(data.read_bytes(), f"{name}.toml", name)
    third_party = _third_party()
    if name in third_party:
        return third_party[name]
    raise _unknown(name)


def built_in_tests(*, sentences: bool) -> Iterator[Test]:
    """Every test that comes with eatlas, then tests of its installed packages."""
    for name in BUILT_IN:
        if (name in sentence_batteries()) == sentences:
            yield from read_battery(name).tests
    for name, point in points(ENTRY_POINTS).items():
        if is_own(point) and not sentences:
            yield from read_battery(name).tests


def load_tests(spec: TestsLike) -> tuple[Test, ...]:
    """Find tests by battery, test id or TOML file.

    Parameters
    ----------
    spec : str, path, AssociationTest, GroupsTest, mapping, or a list of them
        Of strings, an existing file wins; else a battery (``"caliskan"``); else the id of a test
        of any battery (``"weat-6"``). A mapping has four lists of terms by name: two targets, then
        two attributes. A test named twice is taken once.

    Returns
    -------
    tuple of AssociationTest and GroupsTest

    Raises
    ------
    StimulusError
        If nothing has that name, a file is not usable, or two different tests share an id.

    Examples
    --------
    >>> [test.id for test in load_tests(["weat-6", "weat-7"])]
    ['weat-6', 'weat-7']
    """
    chosen: dict[str, Test] = {}
    for test in (test for one in _as_iterable(spec) for test in _load_one(one)):
        if chosen.setdefault(test.id, test) != test:
            raise StimulusError(
                f"two different tests have the id {test.id!r}",
                allowed="one test for each id in a run",
                remedy="rename one of them, or run them separately",
            )
    if not chosen:
        raise StimulusError("no test was given", allowed=_ALLOWED)
    return tuple(map(with_images, chosen.values()))


def is_test(name: str) -> bool:
    """Whether a test or a battery has a name."""
    return name in _names()


def is_bundled(test: Test) -> bool:
    """Whether the id of a test is enough to load its stimuli again."""
    try:
        return [same.stimuli_sha256 for same in load_tests(test.id)] == [test.stimuli_sha256]
    except (StimulusError, OSError):
        return False


def with_images(test: Test) -> Test:
    """Return a test with the images of published sets that are on this machine by now.

    Where the set is not here, the test is returned as it is; it can be shown, and not be run.
    """
    if test.at_hand:
        return test
    concepts = test.concepts
    for group, concept in test.concepts.items():
        if concept.images_from and not concept.at_hand:
            fields: dict[str, Any] = {"name": concept.name, "images": concept.images_from}
            concepts[group] = Concept(**fields)
    return test.with_concepts(concepts)


def tests(*names: str) -> pd.DataFrame:
    """List the tests that come with eatlas and with packages that are installed.

    Parameters
    ----------
    *names : str
        Names of batteries; by default all.

    Returns
    -------
    DataFrame
        A row for each test, indexed by its id: battery, kind, names of its concepts, number of
        terms of each, title and citation.

    Raises
    ------
    StimulusError
        If there is no such battery.

    Examples
    --------
    >>> import eatlas
    >>> eatlas.tests("caliskan").loc["weat-6", "concepts"]
    'Male names/Female names, Career/Family'
    """
    rows = [
        {
            "id": test.id,
            "battery": name,
            "kind": test.kind,
            "concepts": test.label,
            "terms": ", ".join(str(len(one.terms)) for one in test.concepts.values()),
            "title": test.title,
            "citation": test.citation,
        }
        for name in names or battery_names()
        for test in read_battery(name).tests
    ]
    return as_frame(rows).set_index("id")


def read_test_file(path: str | Path) -> Battery:
    """Read a user's TOML file of tests."""
    path = Path(path)
    try:
        data = toml_bytes(path, StimulusError)
    except OSError as error:
        shown = f"{path} comes with eatlas: eatlas tests show {path} prints it"
        raise StimulusError(
            f"{path}: the test file cannot be read",
            got=error.strerror or str(error),
            remedy=shown if str(path) in _names() else None,
        ) from error
    return parse_battery(data, str(path), identifier(path.stem), path.absolute().parent)


def _as_iterable(spec: object) -> Iterable[object]:
    several = isinstance(spec, Iterable)
    single = isinstance(spec, str | bytes | Path | Frozen | Mapping)
    return spec if several and not single else [spec]  # type: ignore[return-value]


def _load_one(spec: object) -> tuple[Test, ...]:
    """Find the tests of one name, file or object."""
    if isinstance(spec, Test):
        return (spec,)
    if isinstance(spec, Mapping):
        return (AssociationTest.of_lists(spec),)
    if not isinstance(spec, str | Path):
        raise StimulusError(
            "this is not a test",
            got=described(spec),
            allowed=f"{_ALLOWED}, an AssociationTest, four lists by name, or a list of them",
        )
    if is_file(spec):
        return read_test_file(spec).tests
    name = str(spec)
    if name in BUILT_IN:
        return read_battery(name).tests
    if name not in _battery_of() and name in _third_party():
        return read_battery(name).tests
    batteries = [_battery_of()[name]] if name in _battery_of() else _third_party()
    tests = (test for battery in batteries for test in read_battery(battery).tests)
    for test in tests:
        if test.id == name:
            return (test,)
    raise _unknown(name)


def _names() -> list[str]:
    """Names of all batteries and of all their tests."""
    others = (test.id for battery in _third_party().values() for test in battery.tests)
    return [*battery_names(), *_battery_of(), *others]


def _unknown(name: str) -> EatlasError:
    """Say that there is no such test or battery, and what may be meant."""
    if error := absent("batteries", name) or absent("batteries", name.partition("-")[0]):
        return error
    if name and is_folder(name):
        return StimulusError(
            f"{name}: this is a folder", allowed="a TOML file", remedy="give a file in it"
        )
    if Path(name).suffix or "/" in name or "\\" in name:
        return StimulusError(
            f"{name}: there is no such test file",
            remedy="check the path; eatlas tests list shows the built-in tests",
        )
    near = nearest(name, _names(), 3)
    meant = f"did you mean {', '.join(near)}? " if near else ""
    remedy = f"{meant}eatlas tests list shows them all"
    if "," in name:
        options = " ".join(f"--tests {part.strip()}" for part in name.split(","))
        remedy = f"repeat the option: {options}; in Python, give a list"
    return StimulusError(f"there is no test or battery {name!r}", allowed=_ALLOWED, remedy=remedy)


@cache
def _third_party() -> dict[str, Battery]:
    """Batteries of other packages: an entry point is a callable that returns a TOML file's path."""

    def load_battery(point: EntryPoint) -> Battery:
        path = Path(call_point(point, str | Path))
        return parse_battery(toml_bytes(path, StimulusError), str(path), point.name)

    return usable(ENTRY_POINTS, BUILT_IN, load_battery)


def namesake(test: Test) -> Note | None:
    """Say that a test has the id of a test that comes with eatlas, and other stimuli.

    A file that was copied from a battery and changed keeps the published id unless that is changed
    too, and its results then look like results of the published test.
    """
    battery = _battery_of().get(test.id)
    if battery is None or test.contexts is not None:
        return None
    (published,) = (one for one in read_battery(battery).tests if one.id == test.id)
    sets = [one.images_from for _, one in published.parts]
    if any(sets):  # images of a published set, which may not be here
        same = sets == [one.images_from for _, one in test.parts]
    else:
        same = published.against(test).stimuli_sha256 == test.stimuli_sha256
    values = {"battery": battery, "test": test.id}
    return None if same else Note("stimuli.namesake", values=values)


@cache
def _battery_of() -> Mapping[str, str]:
    """The battery of each test that comes with eatlas, found without making any test."""
    batteries: dict[str, str] = {}
    for name in BUILT_IN:
        if name in sentence_batteries():
            battery = sentence_batteries()[name]
            words = [test for test, of in batteries.items() if of in battery["words"]]
            prefix = battery.get("prefix", OF_SENTENCES)
            ids = [f"{prefix}{test}" for test in battery.get("classes", words)]
            ids += [test["id"] for test in battery.get("test", [])]
        else:
            data = resources.files("eatlas.stimuli") / "data" / f"{name}.toml"
            ids = _ID.findall(data.read_text(encoding="utf-8"))[1:]  # the first is the battery's
        batteries |= {test: name for test in ids if test not in batteries}
    return batteries
