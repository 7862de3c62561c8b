"""Sessions whose every output is kept: commands, and how outputs are read.

Each scenario is a list of commands in an empty folder. Its transcript (exit codes, what is printed,
reports as text, frames) and the JSON lines of its results are kept in ``goldens/``, as
``tools/write_goldens.py`` wrote them. Nothing here looks below the command line and ``eatlas.*``.
"""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from tests.contracts.sessions import (
    call_eatlas,
    printed_by,
    write_answers,
    write_census,
    write_faulty,
    write_garden,
    write_groups,
)

import eatlas

GOLDENS = Path(__file__).with_name("goldens")
PROGRESS = re.compile(r" a second|on this\s+machine$")
"""In lines that are printed where the machine is slow."""
VERSIONS = re.compile(r" *made by eatlas .*, verified by ")
"""Begins lines that are printed where the kept lines are of another version."""
FROZEN = "frozen.jsonl"
"""The kept JSON lines, in the folder of a scenario."""
RESULTS = Path("out/results.jsonl")


@dataclass(frozen=True)
class Scenario:
    """A session: inputs and commands.

    Commands are those of ``eatlas`` and two of this file: ``text FILE.html``, ``frames FILE``.
    """

    name: str
    commands: tuple[str, ...]
    prepare: tuple[Callable[[], None], ...] = ()


@dataclass
class Outcome:
    """What a session printed and the JSON lines of its results."""

    transcript: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def perform(scenario: Scenario, frozen: list[str] | None = None) -> Outcome:
    """Run a scenario in the current folder, which is empty.

    Parameters
    ----------
    scenario : Scenario
    frozen : list of str, optional
        JSON lines that are verified. Default: those that the scenario itself writes.
    """
    found = Outcome()
    for prepare in scenario.prepare:
        prepare()
    for command in scenario.commands:
        words = shlex.split(command)
        if FROZEN in words and not Path(FROZEN).exists():
            lines = frozen if frozen is not None else found.lines
            Path(FROZEN).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        own = {"text": text, "frames": frames}
        code, out, err = (
            printed_by(own[words[0]], words[1:]) if words[0] in own else call_eatlas(words)
        )
        lines = (line for line in _plain(out) if not VERSIONS.match(line))
        found.transcript += [f"$ {command}", f"[exit {code}]", *lines]
        found.transcript += [f"! {line}" for line in _plain(err) if not PROGRESS.search(line)]
        if words[0] == "run" and RESULTS.exists():
            found.lines += RESULTS.read_text("utf-8").splitlines()
            RESULTS.rename(f"{RESULTS.parent}/run{len(list(RESULTS.parent.glob('run*')))}.jsonl")
            found.transcript += text(str(RESULTS.with_name("report.html"))).splitlines()
    return found


def _plain(printed: str) -> list[str]:
    """Lines without what depends on the version and the folder."""
    printed = printed.replace(str(Path.cwd()), "HERE")
    printed = re.sub(rf"(?<![\d.]){re.escape(eatlas.__version__)}(?!\d)", "VERSION", printed)
    printed = re.sub(r"\brun [0-9a-f]{16}\b", "run ID", printed)
    return [line.rstrip() for line in printed.splitlines()]


# --- how outputs are read ---------------------------------------------------------------------


class _Text(HTMLParser):
    """Text of a page, a line for each block; without drawings, scripts and styles."""

    LEFT_OUT = frozenset(("svg", "script", "style", "template", "head"))
    WITHIN_LINES = frozenset(
        ("a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "s", "small", "span", "strong",
         "sub", "sup", "time", "u", "var", "wbr")
    )  # fmt: skip

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines, self.left_out = [""], 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.left_out += tag in self.LEFT_OUT
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self.left_out -= tag in self.LEFT_OUT
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self.left_out:
            self.lines[-1] += data

    def _break(self, tag: str) -> None:
        cell = tag in ("td", "th")
        if cell:
            self.lines[-1] += " "
        elif tag not in self.WITHIN_LINES and not self.left_out:
            self.lines.append("")


def text(path: str) -> str:
    """The sentences and tables of a page."""
    lines = (" ".join(line.split()) for line in _Text(Path(path).read_text("utf-8")).lines)
    return "\n".join(_plain("\n".join(line for line in lines if line)))


def frames(path: str) -> str:
    """Columns and types of the frames of results, and what results say of themselves."""
    results = eatlas.read_results(path)
    parts = [str(results), _columns("all", results.to_frame("all"))]
    for result in results:
        parts += [
            repr(result),
            _columns(f"{result.measure} of {result.test}", result.to_frame("all")),
        ]
    parts.append(results.to_frame("all").to_csv(index=False))
    return "\n".join(parts)


def _columns(name: str, frame: object) -> str:
    types = ", ".join(f"{column}: {kind}" for column, kind in frame.dtypes.items())
    return f"frame of {name}: {len(frame)} rows; {types}"


# --- scenarios --------------------------------------------------------------------------------

SCENARIOS = (
    Scenario(
        "sample",
        (
            "run --tests weat-1 --tests weat-6",
            "report out/run0.jsonl --format latex",
            "report out/run0.jsonl --format markdown",
            "report out/run0.jsonl --format csv",
            "report out/run0.jsonl --format methods",
            "frames out/run0.jsonl",
            f"verify {FROZEN}",
        ),
    ),
    Scenario(
        "measures",
        (
            "run --tests weat-6 --measure weat --measure sc-eat --frequency off",
            "run --tests garden.toml --measure ml-eat(statistic=studentised,resamples=200) "
            "--measure weat(p=sampled,permutations=2000) --frequency on --case exact --seed 3",
            "report out/run1.jsonl --family both --format latex",
            "frames out/run1.jsonl",
            f"verify {FROZEN}",
        ),
        (write_garden,),
    ),
    Scenario(
        "divdist",
        (
            "run --tests garden-groups.toml --measure divdist --measure mac",
            "run --tests divdist-face-validity --vectors census.csv --measure divdist(soa=counts) "
            "--reference census.csv?year=1990",
            "report out/run0.jsonl --format markdown",
            "frames out/run0.jsonl",
            "run --tests divdist-gender --measure divdist --reference Female=0.3,Male=0.6",
            f"verify {FROZEN}",
        ),
        (write_groups, write_census),
    ),
    Scenario(
        "asked",
        (
            "run --tests garden.toml --vectors answers.csv --measure ask(resamples=200)",
            "run --tests garden.toml --vectors lists.jsonl --measure assign",
            "report out/run0.jsonl --format latex",
            "report out/run0.jsonl --format csv",
            "report out/run0.jsonl out/run1.jsonl --format methods",
            "frames out/run1.jsonl",
            f"verify {FROZEN} -v",
        ),
        (write_garden, write_answers),
    ),
    Scenario(
        "refused",
        (
            "run weat-6",
            "run --tests weat-66",
            "run --tests weat-6,weat-7",
            "run --tests missing.toml",
            "run --tests no-schema.toml",
            "run --tests unknown-key.toml",
            "run --tests empty-group.toml",
            "run --tests twice.toml",
            "run --tests broken.toml",
            "run --vectors glove-smaple",
            "run --vectors missing.txt",
            "run --vectors elmo:small",
            "run --vectors ragged.txt --tests garden.toml",
            "run --vectors letters.txt --tests garden.toml",
            "run --vectors few.txt --tests garden.toml",
            "run --vectors glove-sample?layer=1",
            "run --measure mleat",
            "run --measure ml-eat(alfa=0.1)",
            "run --measure ml-eat(alpha=2)",
            "run --measure ceat --tests weat-6",
            "run --measure lpbs --tests weat-6",
            "run --frequency many --tests weat-6",
            "run --contexts missing.parquet --tests weat-6",
            "run --window 3 --tests weat-6",
            "run --prompt nothing --tests weat-6",
            "run --seed -1",
            "scan --vectors glove-sample --a he --b she,her",
            "scan --vectors glove-sample",
            "vectors check nothing.txt",
            "contexts corpus.txt --tests weat-6",
            "report nothing.jsonl",
            "report strange.jsonl",
            "verify strange.jsonl",
            "tests show weat-66",
            "tests check unknown-key.toml",
            "tests power",
            "tests power 8;8",
            "tests import nothing.json --format wefe",
            "rum",
        ),
        (write_garden, write_faulty),
    ),
)


# --- where goldens are kept -------------------------------------------------------------------


def kept(scenario: Scenario) -> Outcome:
    """What a scenario printed when its golden files were written."""
    text, lines = _files(scenario)
    return Outcome(
        text.read_text("utf-8").splitlines(),
        gzip.decompress(lines.read_bytes()).decode().splitlines() if lines.exists() else [],
    )


def keep(scenario: Scenario, found: Outcome) -> None:
    """Write the golden files of a scenario."""
    text, lines = _files(scenario)
    text.write_text("".join(f"{line}\n" for line in found.transcript), encoding="utf-8")
    if found.lines:
        packed = "".join(f"{line}\n" for line in found.lines).encode()
        lines.write_bytes(gzip.compress(packed, 9, mtime=0))


def _files(scenario: Scenario) -> tuple[Path, Path]:
    return GOLDENS / f"{scenario.name}.txt", GOLDENS / f"{scenario.name}.jsonl.gz"
