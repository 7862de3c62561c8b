"""Numbers as readers want them: a true minus sign, no zero p-values, counts in full."""

from __future__ import annotations

import math
import re
from typing import Any

MINUS = "\u2212"
UNDEFINED = "–"
SMALL = 1e-3
"""A p-value below it has a power of ten, so that a column has one style for each size."""
SMALLEST = 5e-324
"""The smallest number above 0 that a computer keeps."""
LARGE = 1e5
"""A number that is as large has a power of ten, as has one of unknown scale below `SMALL`."""
RAREST = 1e-12
"""The least probability that is said in words."""
_POWER = re.compile(r"(?<![^\s(\[])(\d(?:\.\d+)?)e-0?(\d+)(?![\w-]|\.\w)")
"""A small number as it is written here, 4.5e-6: the terminal has it, what is printed has powers.
It is no part of a word: names and signatures, such as lr-2e-5 and threshold=1e-05, stay."""
_MOST_DIGITS = 17  # of a double
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_METHODS = {"sampled": "sampling", "normal": "a normal approximation"}


def effect(d: float | None, decimals: int = 2) -> str:
    """An effect size, mean or difference with a true minus sign; a dash where undefined."""
    if d is None:
        return UNDEFINED
    if LARGE <= abs(d) < math.inf:
        return _power_of_ten(d)
    text = f"{d:.{decimals}f}"
    negative = text.startswith("-") and float(text) != 0.0
    return (MINUS if negative else "") + text.lstrip("-")


def number(value: float) -> str:
    """A number of unknown scale: three decimals, or a power of ten where it is small or large."""
    return _power_of_ten(value) if 0.0 < abs(value) < SMALL else effect(value, 3)


def _power_of_ten(value: float) -> str:
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{effect(float(mantissa), 1)}e{int(exponent)}"


def p_value(p: float, alpha: float = 0.05) -> str:
    """A p-value to two digits, or more where rounding would carry it across alpha."""
    if p > 0.99:
        return "1" if p == 1.0 else "> .99"
    if p <= SMALLEST:
        return "< .001"
    digits = 1  # behind the point: as many as leave p on its own side of alpha
    while digits < _MOST_DIGITS and (float(f"{p:.{digits}e}") < alpha) != (p < alpha):
        digits += 1
    mantissa, exponent = f"{p:.{digits}e}".split("e")
    if float(f"{mantissa}e{exponent}") < SMALL:
        return f"{mantissa}e{int(exponent)}"
    return f"{float(f'{mantissa}e{exponent}'):.{digits - int(exponent)}f}".lstrip("0")


def p_equals(p: float, alpha: float = 0.05) -> str:
    """The p-value as part of a sentence."""
    text = p_value(p, alpha)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def in_powers(text: str, markup: str = "") -> str:
    r"""A text of a page or paper, with 4.5e-6 as 4.5 × 10⁻⁶.

    `markup` has \1 and \2 for the two numbers of a power.
    """
    if markup:
        return _POWER.sub(markup, text)
    return _POWER.sub(lambda m: f"{m[1]} × 10⁻{m[2].translate(_SUPERSCRIPT)}", text)


def odds(p: float) -> str:
    """How often something of that probability happens, in words."""
    if p > 0.99:
        return "in nearly all cases"
    if p >= 0.01:
        return f"in about {100 * p:.2g}% of cases"
    if p < RAREST:
        return f"in fewer than 1 of {count(round(1 / RAREST))} cases"
    return f"in about 1 of {count(round(float(f'{1 / p:.2g}')))} cases"


def interval(ends: tuple[float, float] | None, decimals: int = 2) -> str:
    """The ends of an interval, with the decimals of the numbers next to it; a dash if undefined."""
    if ends is None:
        return UNDEFINED
    return f"[{', '.join(effect(end, decimals) for end in ends)}]"


def percent(share: float, error: float = 0.0) -> str:
    """A proportion of resamples; only none is 0%, and only all are 100%.

    With a Monte Carlo error of more than one in a hundred, to the nearest 5%.
    """
    if error > 0.01 and 0.025 <= share < 0.975:
        return f"about {5 * round(share * 20)}%"
    if 0.0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1.0:
        return ">99%"
    return f"{share * 100:.0f}%"


def level_of(alpha: float) -> str:
    """A significance level as readers write it."""
    return f"{alpha:g}".lstrip("0")


def count(n: int) -> str:
    """A count with thousands separators, in full up to 30 digits."""
    if n < 10**30:  # C(100, 50) is still written in full
        return f"{n:,}"
    # int to str is refused beyond 4300 digits, so the exponent is found from the bits
    exponent = int((n.bit_length() - 1) * 0.30102999566398120)
    exponent += n >= 10 ** (exponent + 1)
    return f"about {n // 10 ** (exponent - 2) / 100:.2f}e{exponent}"


def number_of(n: int, thing: str) -> str:
    """A count and its noun."""
    return f"{count(n)} {thing if n == 1 else plural(thing)}"


def plural(thing: str) -> str:
    """Several of a thing."""
    return "stimuli" if thing == "stimulus" else f"{thing}s"


_MANY = frozenset({"people", "men", "women", "children", "police", "folk", "feet", "teeth"})
_ONE = ("ics", "ss", "us", "is")
"""Ends of names in -s that are one thing, such as physics and happiness."""


def is_plural(name: str) -> bool:
    """Whether the verb that follows the name of a group of words is plural; so it is of a list.

    >>> is_plural("Male names"), is_plural("Physics"), is_plural("mother, father, son")
    (True, False, True)
    """
    if " and " in name or name.count(", ") > 1 or not name.isascii():
        return True
    head = re.split(r" (?:of|in|with|at|from|who|for)\b|[(,:]", name)[0].split() or [""]
    last = head[-1].lower()
    return last in _MANY or (last.endswith("s") and not last.endswith(_ONE))


_SPELLED = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def spell_out(n: int) -> str:
    """A count in words up to ten, in figures beyond.

    >>> spell_out(0), spell_out(7), spell_out(12)
    ('no', 'seven', '12')
    """
    return _SPELLED[n] if n < len(_SPELLED) else count(n)


def brief_p(p: float, alpha: float = 0.05) -> str:
    """A p-value for a narrow column: below .001 it says no more.

    >>> brief_p(0.0004), brief_p(0.0321)
    ('< .001', '.032')
    """
    return "< .001" if p < SMALL <= alpha else p_value(p, alpha)


def all_of(n: int) -> str:
    """All of two or more, as a sentence says it."""
    return "both" if n == 2 else f"all {count(n)}"


def explain_p(p: Any, tail: str, alpha: float = 0.05) -> str:
    """How one tail's p-value came about: its count, or the error that it may have."""
    of = "more than 10^3,900 permutations" if p.total is None else number_of(p.total, "permutation")
    counted = p.count_of(tail)
    if counted is not None:
        return f"{count(counted)} of {of}"
    between, error = (
        None if part is None else getattr(part, tail) for part in (p.interval, p.rel_err)
    )
    method = p.method_of(tail)
    how = f"by {_METHODS.get(method, method)}"
    if between is not None and p.permutations is not None:
        drawn, (low, high) = (
            count(getattr(p.permutations, tail)),
            (p_value(end, alpha) for end in between),
        )
        ends = f"above {low[2:]}" if low.startswith(">") else f"between {low} and {high}"
        return f"{how} {drawn} times from {of}, 95% interval {ends}"
    if error is not None:
        mantissa, exponent = f"{error:.0e}".split("e")
        how += f", relative error ≤ {mantissa}e{int(exponent)}"
    return f"{how}, of {of}"
