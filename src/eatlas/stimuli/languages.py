"""Languages that tests name: their words in another case, and in the same letters otherwise coded.

A language is a tag of BCP 47, such as ``de`` or ``pt-BR``. Nothing is assumed of one that has no
rule here, so that a test may name any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
APOSTROPHE = "'"
APOSTROPHES = (APOSTROPHE, "\u2019", "\u2018", "\u02bc", "\u02bb")
"""Typewriter's, right and left quotation mark, and the two that Unicode takes for letters."""
_I_WITHOUT_DOT = frozenset({"tr", "az", "crh", "gag"})


def primary(language: str) -> str:
    """The language of a tag without its region and script.

    >>> primary("pt-BR")
    'pt'
    """
    return language.partition("-")[0]


def is_english(language: str) -> bool:
    """Whether rules of English hold: it is named, or no language is."""
    return primary(language) in {"", "en"}


def require_tag(language: str) -> str:
    """Refuse what is no language tag; return what is."""
    if language and not TAG.fullmatch(language):
        raise ValueError(
            f"{language!r} is not a language tag (allowed: BCP 47, such as de, pt-BR, zh-Hant)"
        )
    return language


# --- case -----------------------------------------------------------------------------------------


def i_without_dot(language: str) -> bool:
    """Whether I is the capital of ı, and İ that of i."""
    return primary(language) in _I_WITHOUT_DOT


def lower(text: str, language: str = "") -> str:
    """A text in lower case.

    >>> lower("IŞIK", "tr"), lower("IŞIK")
    ('ışık', 'işik')
    """
    if i_without_dot(language):
        text = text.replace("İ", "i").replace("I\u0307", "i").replace("I", "ı")
    return text.lower()


def upper(text: str, language: str = "") -> str:
    """A text in capitals."""
    if i_without_dot(language):
        text = text.replace("i", "İ")
    return text.upper()


def capital(text: str, language: str = "") -> str:
    """A text with its first letter as a capital, and the others in lower case.

    >>> capital("izmir", "tr"), capital("ijsland", "nl")
    ('İzmir', 'IJsland')
    """
    text = lower(text, language)
    if primary(language) == "nl" and text.startswith("ij"):
        return "IJ" + text[2:]
    first = upper(text[:1], language) if text[:1] == "i" else text[:1].title()
    return first + text[1:]


# --- the same letters as other characters ---------------------------------------------------------

SOFT_HYPHEN = "\u00ad"
_ONE_FORM = {ord(SOFT_HYPHEN): "", **dict.fromkeys(map(ord, APOSTROPHES), APOSTROPHE)}


def one_form(text: str) -> str:
    """Form in which terms and texts are compared: NFC, one apostrophe, no soft hyphens."""
    return unicodedata.normalize("NFC", text.translate(_ONE_FORM))


def fold_case(text: str) -> str:
    """Form in which texts are compared without case."""
    return one_form(text).casefold()


@cache
def never_composed() -> dict[str, list[str]]:
    """Characters that NFC replaces, such as letters of Bengali, by what they decompose to."""
    composed: dict[str, list[str]] = {}
    for character in map(chr, chain(range(0x340, 0x3000), range(0xF900, 0xFB50))):
        if unicodedata.normalize("NFC", character) != character:
            composed.setdefault(unicodedata.normalize("NFD", character), []).append(character)
    return composed


@cache
def _with_nukta() -> tuple[re.Pattern[str], dict[str, str]]:
    """Letters of India with a dot below that NFC writes as two characters."""
    one_of = {
        apart: characters[0]
        for apart, characters in never_composed().items()
        if len(apart) > 1 and "\u0900" <= characters[0] < "\u0e00"
    }
    return re.compile("|".join(map(re.escape, one_of))), one_of


def _unicode_forms(text: str) -> Iterator[str]:
    """A text as it is, with letters and marks as one character and as several."""
    yield text
    if text.isascii():
        return
    composed = unicodedata.normalize("NFC", text)
    yield composed
    yield unicodedata.normalize("NFD", text)
    pattern, one_of = _with_nukta()
    yield pattern.sub(lambda match: one_of[match[0]], composed)


def same_texts(text: str) -> Iterable[str]:
    """A text and all that writes the same: letters coded otherwise, and other apostrophes.

    >>> [*same_texts("l'eau")][:2]
    ["l'eau", 'l’eau']
    """
    coded = dict.fromkeys(_unicode_forms(text))
    if not set(APOSTROPHES) & set(text):
        return coded
    plain = [form.translate(_ONE_FORM) for form in coded]
    return coded | {form.replace(APOSTROPHE, a): None for a in APOSTROPHES for form in plain}


def keys_in(language: str, text: str) -> Iterator[str]:
    """Names of a text in vectors of several languages: ConceptNet Numberbatch, and ``de:``.

    >>> [*keys_in("de-AT", "Haus")]
    ['/c/de/haus', 'de:Haus']
    """
    code = primary(language)
    yield f"/c/{code}/{lower(text, language).replace(' ', '_')}"
    yield f"{code}:{text}"


# --- scripts without spaces -----------------------------------------------------------------------

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff]"
)


def without_spaces(text: str) -> bool:
    """Whether a text is in a script that writes no spaces between words.

    Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese.

    >>> without_spaces("女人"), without_spaces("여자")
    (True, False)
    """
    return bool(_UNSPACED.search(text))


# --- whole words in texts -------------------------------------------------------------------------


@cache
def marks() -> str:
    r"""Marks of letters as ranges within brackets of a regular expression; ``\w`` has none."""
    points = [p for p in range(0x20000) if unicodedata.category(chr(p)) in {"Mn", "Mc"}]
    ranges: list[list[int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    # those that choose how a character is sampled, such as an emoji, are no part of a word
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges if first != 0xFE00)


def whole_words(words: Iterable[str]) -> str:
    """Return a regular expression that finds words as whole words, the longest first.

    In scripts without spaces, where a text does not show where words end, they are found anywhere.

    >>> pattern = whole_words(["लड़क"])
    >>> bool(re.search(pattern, "एक लड़की")), bool(re.search(whole_words(["女人"]), "那个女人来了"))
    (False, True)
    """
    words = sorted(words, key=len, reverse=True)
    plain = all(map(str.isascii, words))
    word = r"\w" if plain else rf"[\w{marks()}]"
    parts = [
        re.escape(each) if without_spaces(each) else rf"(?<!{word}){re.escape(each)}(?!{word})"
        for each in words
    ]
    return "|".join(parts)


def with_capital(text: str, language: str = "") -> str:
    """Begin a sentence with a capital, unless its first word has one of its own within.

    >>> with_capital("ants are nice."), with_capital("iPhones are nice.")
    ('Ants are nice.', 'iPhones are nice.')
    """
    first = text.split(" ", 1)[0]
    if first.islower() and len(text[0].upper()) == 1:
        length = len(first)
        return capital(first, language) + text[length:]
    return text
