"""The option that an answer in words chooses, or why the answer is unusable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

Fault = Literal["refused", "neither", "both", "empty", "long"]
"""Why an answer chooses none of its options."""
LONGEST = 300
"""Characters of an answer that is read as a whole, besides the options; of a longer one, an essay,
the beginning alone may choose."""
QUOTED = 80
"""Characters of an answer that an error shows."""
NOT_LISTED = "neither option is among the tokens that the model lists"
ASK_OTHERWISE = "ask other questions (templates=...), or a model that follows instructions"
"""What errors say of options without a probability, and what to try where nothing is chosen."""
CHECK_FILE = "check that the file has the model's answers in full, beside what each is to"
"""What to try where answers were collected elsewhere."""
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
    r"|\btut mir leid\b|\bkann ich nicht\b|\bich kann (?:\w+ ){0,3}nicht\b"
    r"|\bkein(?:e|er|es|s) (?:von|der) beiden\b|\bweder (?:\S+ ){0,3}noch\b"
    r"|\blo siento\b|\bno puedo\b|\bningun[oa] de\b"
    r"|\bdésolée?\b|\bje (?:ne peux|refuse)\b|\baucune? des\b|\bni l'une? ni l'autre\b"
    r"|\bmi dispiace\b|\bnon posso\b|\bnessun[oa] de(?:i|lle)\b"
    r"|\bspijt me\b|\bik kan (?:niet|geen)\b|\bgeen van (?:de )?beiden?\b"
    r"|\bdesculpe\b|\bnão posso\b|\bnenhuma? d(?:[ao]s|est[ae]s|ess[ae]s)\b"
    r"|\A[\s.¡]*(?:kein(?:e|er|es|s)|ningun[oa]|aucune?|nessun[oa]|geen|nenhuma?)[\s.!]*\Z"
)
"""Words of answers that decline to choose, in the languages that have questions."""
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
    r"|weder|pas|aucune?|sauf|ni|nunca|ningun[oa]?|ningún|non|nessun[oa]?|né|tranne|meno"
    r"|não|nem|nenhuma?|niet|geen|ikke|inte|nie|не|нет)\b|n't\b|[不没沒非]|ない|ません|아니|않"
)
"""Words of denial in several languages: what is named next to them may be what is not chosen."""


def choice_of(text: str, options: Sequence[str]) -> int | Fault:
    """Which of the options an answer chooses, or why none.

    An answer chooses an option where it is that option, in any case and with marks around it; where
    it begins with it, and the rest explains; or where it is short, names that one alone, and
    neither declines nor weighs. An option after "not" or "rather than" is not chosen. Any other
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
    lines = [_normalise(line) for line in said[:longest].splitlines()]
    whole = "\n".join(line for line in lines if line)
    if len(said) <= longest and (bare := whole.strip(_OUTER)) in names:
        return names.index(bare)
    return _parse_answer(_mask_options(whole, names), short=len(said) <= longest)


def alike(options: Sequence[str]) -> tuple[str, str] | None:
    """Two options that differ only in case or punctuation; None if there are none.

    >>> alike(["home", "office", "Home"])
    ('home', 'Home')
    """
    first: dict[str, str] = {}
    for option in options:
        if first.setdefault(_bare(option), option) != option:
            return first[_bare(option)], option
    return None


def _parse_answer(masked: str, *, short: bool) -> int | Fault:
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


def _normalise(text: str) -> str:
    """A text without case, quotation marks and marks of lists and stress."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_MARKS).split())


@lru_cache(maxsize=4096)
def _bare(option: str) -> str:
    """An option as it is looked for in folded texts."""
    folded = _normalise(option)
    return folded.strip(_OUTER) or folded or option


def _mask_options(text: str, names: Sequence[str]) -> str:
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
