"""What users read is plain English: pages, help and messages have none of these phrases.

Each is a turn that a reader stumbles over, with what to write in its place. The list is short on purpose:
a phrase is here only if it is hardly ever right.
"""

import ast
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src").rglob("*.py"))
CODE = re.compile(r"^[ ]*```.*?^[ ]*```|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
INSTEAD = {
    r"(is|are|be) had\b": "has, get, take",
    r"stands? (twice|alone|there|elsewhere|behind|beside)": "occurs, is",
    r"stands? in for": "replaces",
    r"lies? (elsewhere|beside|behind)": "is",
    r"(goes|go) on (where|from|without|after|when)": "continues",
    r"(mend|mends|mended|unmended)": "correct, fix, repair",
    r"remark(s|ed)? on|(a|the) remark|remarked": "warn about, a warning",
    r"nobody": "no one, or the subject itself",
    r"unasked": "by itself",
    r"(told|tell) apart": "distinguished",
    r"the same command (does|goes)": "repeat the command to continue",
    r"cut off and": "interrupted",
    r"asked of (it|them)": "supported",
    r"(is|are) (not )?said (of|whether|which|how)": "is not stated, is unknown",
    r"as many as \w+ \w+ (is|are) worth": "as many as are useful",
    r"speaks? against": "no figure passes its limit",
    r"mostly stands?": "changes little",
    r"hardly any": "almost no",
    r"(is|are) not at hand": "was not found, is not on this machine",
    r"(tell|tells|telling|told) \w+( \w+)? apart": "distinguish",
    r"(take|takes|taken|took) \w+ for (independent|separate|those)": "assumes, treats as",
    r"one and the same": "the same",
    r"(come|comes) and (go|goes) with": "depends on",
    r"and (this|there) (is|are) none": "and this is not one, but none was chosen",
    r"(which|that|each|it) is none": "is not one",
    r"(drown|drowns|drowned)": "hide",
    r"in one \w+ or another": "in some ...",
    r"one \w+ alone, the same": "a single ...",
    r"is the remedy": "try ...",
    r"(is|are|was|were) parted": "split",
    r"(hand|hands|handed) (it|them) over": "pass",
    r"what came of": "the outcome of",
    r"(when|until) (it|they) (is|are) whole": "complete",
    r"fits nowhere": "never applies",
    r"(?<!an)other (numbers|vectors|patterns?) (are|is|give|gives)": "different ...",
    r"is another (question|test|source|number)": "is a different ...",
    r"as (that|those) of \w+ (do|does|is|are)": "like those of",
    r"stands? in (alphabetical|order|the file|every|all)": "is, are",
    r"papers hold": "the papers recommend",
    r"lets one": "to ..., use",
    r"there is left:": "remains",
    r"(say|says|said) nothing of": "say nothing about",
    r"(?<!here )is no (text|number|list|table|vector|image|year|address|object|sentence|word|UTF-8|JSON)": "is not a",
}
PHRASES = {
    re.compile(rf"(?<![\w-]){one}(?![\w-])", re.IGNORECASE): to for one, to in INSTEAD.items()
}


def faults(text: str) -> list[str]:
    """Phrases of the list that a text has, each with its surroundings and what to write."""
    plain = " ".join(text.split())
    return [
        f"...{plain[max(0, m.start() - 40) : m.end() + 20]}...  (write: {instead})"
        for phrase, instead in PHRASES.items()
        for m in phrase.finditer(plain)
    ]


def faults_of(paths: list[Path], read: Callable[[str], str] = str) -> dict[str, list[str]]:
    """Faults of what is read in files, by file."""
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {name: found for name, text in texts.items() if (found := faults(read(text)))}


def messages(source: str) -> Iterator[str]:
    """The sentences of a module that it shows: literals that are no docstrings."""
    tree = ast.parse(source)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_pages():
    assert faults_of(PAGES, partial(CODE.sub, "")) == {}


def test_messages():
    assert faults_of(MODULES, lambda source: "\0".join(messages(source))) == {}


def test_help():
    """The reference of the command line is what --help says, in code too."""
    pages = sorted((ROOT / "docs" / "reference" / "cli").glob("*.md"))
    assert len(pages) > 10
    assert faults_of(pages) == {}


def test_a_phrase_is_seen_and_a_word_within_another_is_not():
    assert len(faults("The key stands twice, and the run goes\non where it stopped.")) == 2
    assert faults("We recommend amendments; a standard told us; BERT stands for a name.") == []
    assert list(messages('"""mend"""\nx = f"{y} mended"\n')) == [" mended"]
