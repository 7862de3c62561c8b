"""Other packages add commands, engines, reports of files, word lists and tables of the terminal."""

from functools import partial

import pytest
import typer
from tests.contracts.sessions import in_one_process
from tests.contracts.test_plugins import install

from eatlas import plugins
from eatlas.cli.app import application
from eatlas.cli.report import report
from eatlas.errors import ContractError
from eatlas.executors import executor_of
from eatlas.stimuli.importers import import_test

MODULE = '''
from pathlib import Path
from typing import ClassVar, Literal

from eatlas.errors import EatlasError
from eatlas.executors import here
from eatlas.stimuli.importers import WordLists


def greet(name: str, *, times: int = 1) -> None:
    """Greet somebody.

    Parameters
    ----------
    name : NAME
        Whom.
    times : N >= 1
        How often.
    """
    print(" ".join(["hello", name] * times))


def no_command(*arguments):
    pass


class Backwards:
    def __init__(self, address, workers):
        self.address = address
        if address == "nowhere":
            raise EatlasError("nobody is there")

    def __call__(self, function, items, /):
        print("backwards from", self.address)
        rows = list(enumerate(items))
        for position, item in reversed(rows):
            yield position, function(item)


def report_tally(paths, form, options):
    return f"{len(paths)} {form} {sorted(options)}\\n"


def read_lines(path):
    lists = {}
    for line in Path(path).read_text().splitlines():
        name, _, words = line.partition(": ")
        lists[name] = words.split()
    return WordLists(lists, ["Comments are left out."])


def five(*arguments):
    return 5
'''
RECORD = """
from dataclasses import dataclass
from typing import ClassVar, Literal

from eatlas.measures import AssociationMeasure
from eatlas.results import AssociationResult


class Tally(AssociationResult):
    terminal_tables: ClassVar[str] = "tally"
    measure: Literal["tally"] = "tally"
    value: float


@dataclass(frozen=True)
class Count(AssociationMeasure):
    name: ClassVar[str] = "tally"
    minimum: ClassVar = {"X": 1}

    def compute(self, given, notes):
        return Tally(**given.head, value=sum(map(len, given.rows.values())))


def print_tally(console, results):
    console.print("TALLIED", sum(result.value for result in results))
"""
ENTRY_POINTS = """
[eatlas.commands]
greet = points_plugin:greet
vectors.greet = points_plugin:greet
broken = points_plugin:no_command
gone = no_such_module:any
run = points_plugin:greet
vectors.list = points_plugin:greet
[eatlas.executors]
backwards = points_plugin:Backwards
five = points_plugin:five
[eatlas.documents]
tally = points_plugin:report_tally
[eatlas.importers]
lines = points_plugin:read_lines
[eatlas.measures]
tally = points_record:Count
[eatlas.records]
tally = points_record:Tally
[eatlas.tables]
tally = points_record:print_tally
"""
WORDS = "work: boss job\nhome: bed sofa\nwomen: she her\nmen: he him job\n"


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """Run eatlas beside a package that adds to each of these points."""
    folder = tmp_path_factory.mktemp("points")
    install(folder, "points-plugin", ENTRY_POINTS)
    (folder / "points_plugin.py").write_text(MODULE)
    (folder / "points_record.py").write_text(RECORD)
    (folder / "tally.json").write_text('{"schema": "eatlas/tally/1"}')
    (folder / "table.csv").write_text("a,b\n")
    (folder / "table.csv.json").write_text('{"schema": "eatlas/tally/1"}')
    (folder / "words.txt").write_text(WORDS)
    return partial(in_one_process, folder)


def test_a_command_and_a_sub_command(outside):
    (code, out), sub_command, err = outside("greet Ada --times 2", "vectors greet Ben")
    assert (code, out) == (0, "hello Ada hello Ada\n")
    assert sub_command == (0, "hello Ben\n")
    assert all("eatlas itself brings" in line for line in err.splitlines())


def test_the_help_lists_what_can_be_used_and_says_what_cannot(outside):
    (code, out), (_, of_vectors), err = outside("--help", "vectors --help")
    assert code == 0
    names = [
        line.split()[1] for line in out.splitlines() if line.startswith("│ ") and line[2] != " "
    ]
    assert names.index("run") < names.index("report") < names.index("greet")
    assert "Greet somebody." in out
    assert "greet" in of_vectors
    assert not {"broken", "gone"} & set(names)
    for text in (
        "broken of points-plugin cannot be used: points_plugin:no_command is no command",
        "gone of points-plugin cannot be used: no_such_module:any cannot be imported",
        "run of points-plugin cannot be used: eatlas itself brings run",
        "vectors.list of points-plugin cannot be used: eatlas itself brings vectors.list",
    ):
        assert err.count(text) == 1


def test_the_help_lists_commands_in_their_own_words():
    """If this fails, correct COMMANDS in eatlas/cli/app.py, or run tools/write_siblings.py."""
    listed, whole = (
        {name: command.help.partition("\n\n")[0] for name, command in group.commands.items()}
        for group in map(typer.main.get_command, (application(["--help"]), application()))
    )
    assert listed == whole


def test_a_command_that_cannot_be_used_is_an_error_for_who_asks_for_it(outside):
    broken, gone, err = outside("broken", "gone")
    assert [broken[0], gone[0]] == [2, 2]
    assert "error: broken of points-plugin cannot be used" in err
    assert "remedy: install another version of points-plugin, or remove it" in err


def test_an_engine(outside):
    run = "run --tests weat-6 --measure weat(resamples=0) --frequency off --out o --engine"
    *ended, err = outside(
        *(f"{run} {name}" for name in ("backwards=there", "five", "backwards=nowhere", "rya"))
    )
    assert [code for code, _ in ended] == [0, 2, 2, 2]
    assert "backwards from there" in ended[0][1]
    assert "five of points-plugin cannot be used: points_plugin:five returns something else" in err
    assert "error: nobody is there" in err
    assert "unknown engine\n  got: rya\n  allowed: local, " in err


def test_a_report_of_files_of_a_schema(outside):
    plain, table, mine, err = outside(
        "report tally.json --format csv", "report table.csv --family both --format x",
        "report table.csv -o table.csv",
    )  # fmt: skip
    assert (plain[0], plain[1]) == (0, "1 csv []\n")
    assert (table[0], table[1]) == (0, "1 x ['--family']\n")
    assert mine[0] == 2
    assert "writing would destroy it" in err


def test_named_lists_of_words(outside):
    listing, made, wrong, err = outside(
        "tests import words.txt --format lines",
        "tests import words.txt --format lines --category X=women --category Y=men "
        "--category A=work --category B=home",
        "tests import words.txt --format liness",
    )
    assert listing[1].startswith("work: 2 terms, boss, job\nhome: 2 terms, bed, sofa\n")
    assert 'Y = { name = "men", terms = ["he", "him", "job"] }' in made[1]
    assert '"Comments are left out."' in made[1]
    assert wrong[0] == 2
    assert "there is no format 'liness' to import; did you mean lines?" in err


def test_tables_that_a_record_names(outside):
    (code, out), err = outside("run --tests weat-6 --measure tally --out t")
    assert (code, "TALLIED 32.0" in out, "Traceback" in err) == (0, True, False)


ABSENT = {
    "commands": ["praise", "vectors.praise"], "executors": ["cloud"], "documents": ["praise"],
    "importers": ["praise"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda _: application(["praise", "--help"]), "praise"),
        (lambda _: application(["vectors", "praise"]), "vectors praise"),
        (lambda _: executor_of("cloud=9", None), "cloud"),
        (lambda path: report([path]), "praise"),
        (lambda path: import_test(path, "praise"), "praise"),
    ],
)
def test_what_a_package_would_add_names_the_package(call, name, tmp_path, monkeypatch):
    monkeypatch.setattr(plugins, "siblings", lambda: {"choir": ABSENT})
    path = tmp_path / "praise.json"
    path.write_text('{"schema": "eatlas/praise/1"}')
    with pytest.raises(ContractError) as error:
        call(path)
    assert error.value.what == f"{name} is in the package eatlas-choir, which is not installed"
