"""Other packages add measures, records, sources and batteries, through real entry points."""

import json
import re
import subprocess
import sys
from functools import partial

import pytest
from tests.contracts.sessions import in_one_process

MODULE = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from eatlas import ArraySource
from eatlas.measures import AssociationMeasure
from eatlas.results import AssociationResult


class Tally(AssociationResult):
    measure: Literal["tally"] = "tally"
    terms: int


@dataclass(frozen=True)
class Count(AssociationMeasure):
    name: ClassVar[str] = "tally"
    minimum: ClassVar = {"X": 1}

    def compute(self, given, notes):
        return Tally(**given.head, terms=sum(map(len, given.rows.values())))


def vectors():
    words = "aster clover iris lily ant flea wasp gnat love peace joy heaven hatred war filth agony"
    rows = [[i + 1.0, i % 3, 1.0] for i in range(16)]
    return ArraySource(words.split(), rows, name="mine")


def battery():
    return Path(__file__).with_name("mine.toml")
"""
ENTRY_POINTS = """
[eatlas.measures]
tally = my_plugin:Count
[eatlas.records]
tally = my_plugin:Tally
[eatlas.sources]
mine = my_plugin:vectors
[eatlas.batteries]
my-battery = my_plugin:battery
"""


def install(folder, name, entry_points):
    info = folder / f"{name.replace('-', '_')}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(entry_points)


def test_a_package_adds_all_four(tmp_path, test_file):
    install(tmp_path, "my-plugin", ENTRY_POINTS)
    (tmp_path / "my_plugin.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "mine.toml").write_bytes(test_file.read_bytes())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import eatlas\n"
        "(r,) = eatlas.run(tests='my-battery', vectors='mine', measures='tally(alpha=0.01)')\n"
        "eatlas.Results([r]).write('r.jsonl')\n"
        "assert eatlas.read_results('r.jsonl')[0] == r\n"
        "print(eatlas.results.to_json_line(r))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    line = json.loads(done.stdout)
    assert (line["measure"], line["terms"], line["source"]) == ("tally", 16, "mine")
    assert line["signature"] == "TALLY(alpha=0.01,ddof=1,p=auto)"


FUNCTION = """
def mean_gap(X, Y, A, B):
    return (X @ A.T).mean() - (X @ B.T).mean() - (Y @ A.T).mean() + (Y @ B.T).mean()
"""


def test_a_function_is_a_measure_of_the_command_line(tmp_path):
    install(tmp_path, "mean-gap", "[eatlas.measures]\nmean-gap = mean_gap:mean_gap\n")
    (tmp_path / "mean_gap.py").write_text(FUNCTION, encoding="utf-8")
    call = partial(in_one_process, tmp_path)
    run = "run --tests weat-6 --measure mean-gap --json --out out"
    (code, line), (same, verified), (_, table), err = call(
        run, "verify out/results.jsonl", "report out/results.jsonl --format markdown"
    )
    result = json.loads(line)
    assert (code, same, err) == (0, 0, "")
    assert (result["measure"], result["function"]) == ("mean-gap", "mean_gap:mean_gap")
    assert result["signature"].startswith("MEAN-GAP(code=sha256:")
    assert "1 of 1 results are the same" in verified
    assert "| mean-gap |" in table
    (code, line), _ = call("run --tests weat-6 --measure mean-gap(code=sha256:0) --json")
    assert code == 2
    (tmp_path / "mean_gap-1.dist-info" / "entry_points.txt").unlink()
    (tmp_path / "mean_gap-1.dist-info" / "METADATA").unlink()
    (code, verified), _ = call("verify out/results.jsonl")
    assert code == 1
    said = "was a function, mean_gap:mean_gap, whose code the file does not hold"
    assert said in " ".join(verified.split())


HOSTILE = """
import sys
from pathlib import Path
from eatlas import WEAT
from eatlas.results import WEATResult

def raises(*arguments):
    raise RuntimeError("first line\\nsecond line")

def leaves(*arguments):
    sys.exit(7)

def five(*arguments):
    return 5

def missing():
    return "no/such/file.toml"

def damaged():
    return Path(__file__)

def other():
    raise AssertionError("an entry point took the place of what eatlas brings")
"""
FAULTS = {
    "gone": "no_such_module:any", "ends": "hostile_end:any", "is-five": "hostile:NOTHING.real",
}  # fmt: skip
FAULTY_CLASSES = FAULTS | {"function": "hostile:five"}
FAULTY_CALLS = FAULTS | {
    "raises": "hostile:raises", "leaves": "hostile:leaves", "five": "hostile:five",
}  # fmt: skip
FAULTY_FILES = FAULTY_CALLS | {"missing": "hostile:missing", "damaged": "hostile:damaged"}
GROUPS = {
    "measures": (FAULTY_CLASSES, {"weat": "hostile:other"}),
    "records": (FAULTY_CLASSES, {"weat": "hostile:other"}),
    "sources": (FAULTY_CALLS, {"glove-sample": "hostile:other", "glove.6B.50d": "hostile:other"}),
    "schemes": (FAULTY_CALLS, {"hf": "hostile:other"}),
    "formats": (FAULTY_CALLS, {"txt": "hostile:other", "text": "hostile:other"}),
    "batteries": (FAULTY_FILES, {"caliskan": "hostile:other"}),
    "published": (FAULTY_FILES, {}),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Run eatlas beside a package of which nothing can be used."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = []
    for group, (faulty, clashing) in GROUPS.items():
        lines.append(f"[eatlas.{group}]")
        lines += [f"{name} = {place}" for name, place in (faulty | clashing).items()]
    install(folder, "hostile-package", "\n".join(lines))
    (folder / "hostile.py").write_text(HOSTILE)
    (folder / "hostile_end.py").write_text("raise SystemExit(3)\n")
    (folder / "mine.txt").write_text("up 1 0\ndown 0 1\n")
    (folder / "mine.five").write_text("up 1 0\ndown 0 1\n")

    return partial(in_one_process, folder)


def left_out(err):
    """The warnings, by entry point; each is one line, and told once."""
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if "It is left out." in line]
    assert len(set(lines)) == len(lines)
    pattern = r"warning: (\S+) of hostile-package cannot be used: (.*)\. It is left out\."
    return {found[1]: found[2] for line in lines if (found := re.fullmatch(pattern, line))}


def test_batteries_that_cannot_be_used_are_left_out(hostile):
    (code, out), err = hostile("tests list")
    assert code == 0
    assert "  weat-6 " in out
    said = left_out(err)
    assert set(said) == {*FAULTY_FILES, "caliskan"}
    assert said["caliskan"] == "eatlas itself brings caliskan (hostile:other)"
    assert said["gone"].startswith("no_such_module:any cannot be imported (ModuleNotFoundError: ")
    assert said["ends"] == "hostile_end:any cannot be imported (SystemExit: 3)"
    assert said["raises"] == "hostile:raises raises an error (RuntimeError: first line)"
    assert said["leaves"] == "hostile:leaves raises an error (SystemExit: 7)"
    assert said["five"] == "hostile:five returns something else (5 (int))"
    assert "No such file" in said["missing"]
    assert "hostile:damaged leads to an error" in said["damaged"]


def test_a_run_goes_on_and_measures_with_what_eatlas_brings(hostile):
    run = "run --tests weat-6 --measure weat(resamples=0) --frequency off --json --vectors glove-sample --out out"
    (code, out), (_, written), err = hostile(run, "vectors transform mine.txt --out other.vec")
    assert code == 0
    assert json.loads(out)["source"] == "glove-sample"
    assert "vectors: other.vec" in written  # read as eatlas reads it
    assert {"weat", "glove-sample", "glove.6B.50d", "txt", "text"} <= set(left_out(err))
    (code, _), err = hostile("report out/results.jsonl -o report.html")
    assert code == 0
    assert not left_out(err)  # no other package is asked for a record of the core


FAULT = "hostile:five returns something else"
SAID = {
    "raises": "hostile:raises raises an error\n  got: RuntimeError: first line\n",
    "five": f"{FAULT}\n  got: 5 (int)\n  allowed: a source: name",
    "gone:any": "no_such_module:any cannot be imported",
    "five:any": FAULT,
    "mine.five": FAULT,
    "nothing-of-this-name": "there are no vectors called 'nothing-of-this-name'",
}


def test_who_asks_for_what_cannot_be_used_gets_an_error(hostile):
    *ended, err = hostile(*(f"run --tests weat-6 --vectors {vectors}" for vectors in SAID))
    assert [code for code, _ in ended] == [2] * len(SAID)
    errors = err.split("error: ")[1:]
    for text, said in zip(errors, SAID.values(), strict=True):
        assert said in text
    left_out(err)
