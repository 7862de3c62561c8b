"""Other packages add measures, records, sources and batteries, through real entry points."""

import json
import subprocess
import sys

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


def test_a_package_adds_all_four(tmp_path, test_file):
    (tmp_path / "my_plugin.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "mine.toml").write_bytes(test_file.read_bytes())
    info = tmp_path / "my_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
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
