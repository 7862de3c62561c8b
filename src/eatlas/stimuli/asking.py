"""Questions to models that answer: templates, pairs to compare, and what an answer chooses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from eatlas.stimuli.records import without_fault

About = Literal["target", "attribute"]
"""What a question is about: a target that attributes compete for, or the other way round."""
By = Literal["auto", "logprobs", "samples"]
"""How a choice is read: from the log-probabilities of the options, from answers that are drawn, or
auto: from log-probabilities where the model gives them."""
EXAMPLE = "Which word goes better with {target}: {first} or {second}?"
DECISION = "Who should {attribute}: {first} or {second}?"
ALLOWED = f"{EXAMPLE}; or {DECISION}"
Fault = Literal["refused", "neither", "both", "empty", "long"]
"""Why an answer chooses none of its options."""
LONGEST = 300
"""Characters of an answer that is read as a whole, besides the options; of a longer one, an essay,
the beginning alone may choose."""
PLACE = re.compile(r"\{(\w+)\}")
_FIRST = 0xE000
"""Private character that stands for the first option in a text."""
_MARK = re.compile("[\ue000-\ue00f]")
_MARKS = str.maketrans({**dict.fromkeys('"*_`~“”„«»<>|[]{}', " "), **dict.fromkeys("’‘ʼ", "'")})
_OUTER = " \n.,:;!?'()-–—…。、¿¡"
_JOINED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
"""Letters of scripts that do not set words apart: Thai, Lao, Burmese, Khmer, Chinese, Japanese; and
Korean, whose words take particles."""
_REFUSAL = re.compile(
    r"\bsorry\b|\bapologi[sz]e|\bas an? (?:ai|artificial|large|language)\b|\blanguage model\b"
    r"|\bi (?:can(?:not|\W?t)|won\W?t|will not|am (?:unable|not able)|do not|don\W?t)\b"
    r"|\bcan(?:not|\W?t)\b|\b(?:unable|not able) to\b|\b(?:not |in)appropriate\b"
    r"|\b(?:declin|refus)(?:e|ed|ing)\b|\bno (?:basis|reason|information|preference)\b"
    r"|\bneither\b|\beither (?:one|of)\b|\bequally\b"
)
"""Words of English answers that decline to choose."""
_SUBORDINATE = re.compile(
    r"\b(?:not|rather than|instead of|over|than|as opposed to)\s+'?"
    r"(?:(?:the|a|an|word|with|to|in|at|for)\s+){0,3}'?[\ue000-\ue00f]'?(?:,?\s+but\b)?"
    r"|\b(?:between|out of|of)\s+'?[\ue000-\ue00f]'?,?\s+(?:and|or)\s+'?[\ue000-\ue00f]'?"
)
"""Options that another one is put before, and the two that a choice is between."""
_BEGINS = re.compile(
    r"['(\s–—-]*([\ue000-\ue00f])'?\s*"
    r"(?:$|((?:,\s*)?\b(?:because|since|due to)\b|[\n.!;,(]|[–—-]\s))"
)
"""An answer that begins with an option, and what follows it."""
_LISTED = re.compile(r"\W*(?:and\b|or\b|\d+\b)?\W*[\ue000-\ue00f]'?\s*(?:$|[^\w\s'])")
"""Another option as the next of a list."""
_BOTH = re.compile(r"\bboth\b")
_WEIGHS = re.compile(
    r"\b(?:both|either|equal|depends?|depending|however|(?:al)?though|while|whereas|but|also|or|and"
    r" [\ue000-\ue00f]|wait|actually)\b|\?|[\ue000-\ue00f]'? (?:and|&|/)(?:\s|$)"
)
_DENIES = re.compile(
    r"\b(?:not?|nor|never|none|less|least|worse|without|except|unlike|avoid|wrong|nicht|keine?[nrsm]?"
    r"|pas|não|niet|geen|ikke|inte|nie|не|нет)\b|n't\b|[不没沒非]|ない|ません|아니|않"
)
"""Words of denial in several languages: what is named beside them may be what is not chosen."""


@dataclass(frozen=True, order=True)
class Prompt:
    """What a model is asked, and how its answer is read.

    Examples
    --------
    >>> Prompt("Which goes better with Ivy: office or home?", ("office", "home")).by
    'auto'
    """

    text: str
    """The user's message."""
    options: tuple[str, ...] = ()
    """Answers to choose from; none where the text that the model writes is wanted."""
    by: By = "auto"
    """How a choice is read; of free text always ``samples``."""
    answers: int = 1
    """Answers that are drawn, where they are drawn."""
    temperature: float = 1.0
    tokens: int = 32
    """Pieces of an answer at most."""


@dataclass(frozen=True)
class Reply:
    """What a model answered to a prompt."""

    texts: tuple[str, ...] = ()
    """Answers that were drawn, as they came; none where log-probabilities were read."""
    chances: tuple[float, ...] | None = None
    """Natural logarithm of the probability of each option as the beginning of the answer; -inf
    where the model does not list it. None where answers were drawn."""
    models: tuple[str, ...] = ()
    """What the model calls itself in each answer; empty where it does not say."""
    dates: tuple[str, ...] = ()
    """Day of each answer, as in 2026-03-01; empty where it is not known."""

    @property
    def by(self) -> Literal["logprobs", "samples"]:
        """How the choice is read."""
        return "samples" if self.chances is None else "logprobs"


@dataclass(frozen=True)
class CollectedAnswer:
    """An answer that was collected elsewhere: a row of a file."""

    text: str
    options: tuple[str, ...] = ()
    """What the answer chooses between, in the order of the question: two attributes, or two
    targets; of a list of words its two targets, none where they are not known."""
    subject: str = ""
    """What a comparison is about; empty of a list of words."""
    about: About | None = None
    """Which of the two the subject is; None of a list of words."""
    template: str = ""
    """The question with its places, where it is known."""
    model: str = ""
    date: str = ""


def reply_of(rows: Sequence[CollectedAnswer]) -> Reply:
    """Collected answers to one question, as a model's reply."""
    columns = zip(*((row.text, row.model, row.date) for row in rows), strict=True)
    texts, models, dates = columns if rows else ((), (), ())
    return Reply(texts, None, models, dates)


# --- templates ------------------------------------------------------------------------------------


def fault_of_question(template: str) -> str | None:
    """Say what is wrong with a question; None where nothing is.

    >>> fault_of_question("Who is nicer, {first} or {second}?")
    "'Who is nicer, {first} or {second}?' has no place {target} and none {attribute}"
    """
    places = PLACE.findall(template)
    for name in ("first", "second"):
        if places.count(name) != 1:
            return f"{template!r} does not have one place {{{name}}}"
    subjects = sorted(set(places) - {"first", "second"})
    if not subjects:
        return f"{template!r} has no place {{target}} and none {{attribute}}"
    if len(subjects) > 1 or subjects[0] not in {"target", "attribute"}:
        return f"{template!r} has places {', '.join(f'{{{name}}}' for name in subjects)}"
    return None


def fault_of_questions(templates: Sequence[str]) -> str | None:
    """Say what is wrong with the questions of one test; None where nothing is.

    >>> fault_of_questions([EXAMPLE, EXAMPLE])
    "'Which word goes better with {target}: {first} or {second}?' is there twice"
    """
    if fault := next(filter(None, map(fault_of_question, templates)), None):
        return fault
    if twice := [text for at, text in enumerate(templates) if text in templates[:at]]:
        return f"{twice[0]!r} is there twice"
    if len(set(map(subject_of, templates))) > 1:
        return "some questions are about a target, others about an attribute"
    return None


def subject_of(template: str) -> About:
    """What a question is about.

    >>> subject_of("Who should {attribute}: {first} or {second}?")
    'attribute'
    """
    return "target" if "{target}" in template else "attribute"


def filled(template: str, **words: str) -> str:
    """Put words into the places of a template, all at once.

    >>> filled("Who should {attribute}: {first} or {second}?",
    ...        attribute="lead", first="Ivy", second="Ben")
    'Who should lead: Ivy or Ben?'
    """
    return PLACE.sub(lambda place: words.get(place[1], place[0]), template)


QuestionText = Annotated[str, without_fault(fault_of_question, ALLOWED)]


# --- pairs ----------------------------------------------------------------------------------------


def pairs_of(count: int, each: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw pairs of things, whatever their group: each is in `each` of them, and none is apart.

    Things are put in a circle at random; each is paired with its neighbour, and with those at
    distances that are drawn. All pairs where there are no more than that.

    Parameters
    ----------
    count : int
        Number of things, 2 or more.
    each : int
        Pairs that each thing is in, an even number.
    rng : Generator

    Returns
    -------
    list of tuple
        Places of both, the smaller first.

    Examples
    --------
    >>> pairs_of(3, 6, np.random.default_rng(0))
    [(0, 1), (0, 2), (1, 2)]
    >>> len(pairs_of(16, 6, np.random.default_rng(0)))
    48
    """
    if each >= count - 1:
        return [(i, j) for i in range(count) for j in range(i + 1, count)]
    circle = rng.permutation(count)
    farther = rng.choice(np.arange(2, (count - 1) // 2 + 1), each // 2 - 1, replace=False)
    steps = [1, *sorted(farther.tolist())]
    pairs = {
        tuple(sorted((int(circle[i]), int(circle[(i + step) % count]))))
        for step in steps
        for i in range(count)
    }
    return sorted(pairs)  # type: ignore[arg-type]


# --- answers --------------------------------------------------------------------------------------


def choice_of(text: str, options: Sequence[str]) -> int | Fault:
    """Which of the options an answer chooses, or why none.

    An answer chooses an option where it is that option, in any case and with marks around it; where
    it begins with it, and the rest explains; or where it is short, names that one alone, and
    neither declines nor weighs. What stands behind "not" or "rather than" is not chosen. Any other
    answer chooses none: nothing is guessed.

    >>> choice_of("**Office.**", ("office", "home")), choice_of("I'd say home.", ("office", "home"))
    (0, 1)
    >>> choice_of("Home, not office", ("office", "home"))
    1
    >>> choice_of("I cannot choose between office and home.", ("office", "home"))
    'refused'
    >>> choice_of("Both office and home", ("office", "home")), choice_of("", ("office", "home"))
    ('both', 'empty')
    """
    if list(options).count(text) == 1:
        return options.index(text)
    said = text.rpartition("</think>")[2].strip()
    if said.startswith("<think>"):
        return "long"
    if not said:
        return "empty"
    names = [_bare(option) for option in options]
    if len(set(names)) < len(names):
        return "both"
    longest = LONGEST + sum(map(len, names))
    lines = [_folded(line) for line in said[:longest].splitlines()]
    whole = "\n".join(line for line in lines if line)
    if len(said) <= longest and (bare := whole.strip(_OUTER)) in names:
        return names.index(bare)
    return _read(_masked(whole, names), short=len(said) <= longest)


def alike(options: Sequence[str]) -> tuple[str, str] | None:
    """Two options that no answer tells apart, for case or marks alone; None where there are none.

    >>> alike(["home", "office", "Home"])
    ('home', 'Home')
    """
    first: dict[str, str] = {}
    for option in options:
        if first.setdefault(_bare(option), option) != option:
            return first[_bare(option)], option
    return None


def _read(masked: str, *, short: bool) -> int | Fault:
    """Read an answer in whose text a mark stands for each option."""
    if _REFUSAL.search(masked):
        return "refused"
    masked = _SUBORDINATE.sub(" ", masked)
    named = set(_MARK.findall(masked))
    if begins := _BEGINS.match(masked):
        rest = masked[begins.end() :]
        explained = begins[2] != "," and not _LISTED.match(rest)
        if not _WEIGHS.search(rest) and (len(named) == 1 or explained):
            return ord(begins[1]) - _FIRST
    if not short:
        return "long"
    if len(named) != 1:
        return "both" if named or _BOTH.search(masked) else "neither"
    if _WEIGHS.search(masked) or _DENIES.search(masked):
        return "neither"
    return ord(named.pop()) - _FIRST


def _folded(text: str) -> str:
    """A text without case, quotation marks and marks of lists and stress."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_MARKS).split())


@lru_cache(maxsize=4096)
def _bare(option: str) -> str:
    """An option as it is looked for in folded texts."""
    folded = _folded(option)
    return folded.strip(_OUTER) or folded or option


def _masked(text: str, names: Sequence[str]) -> str:
    """A folded text with a mark for each option, the longest first, so that none hides another."""
    for at in range(len(names)):
        text = text.replace(chr(_FIRST + at), "")
    for at in sorted(range(len(names)), key=lambda place: (-len(names[place]), names[place])):
        text = _pattern(names[at]).sub(chr(_FIRST + at), text)
    return text


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """Where a text names an option: as a word, of scripts that set words apart."""
    before = "" if _JOINED.match(name[0]) or not name[0].isalnum() else r"(?<![\w-])"
    after = "" if _JOINED.match(name[-1]) or not name[-1].isalnum() else r"(?![\w-])"
    return re.compile(before + re.escape(name) + after)
