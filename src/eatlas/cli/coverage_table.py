"""What vectors have for a test, as a table for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eatlas.cli.console import new_console, say, show, table_of
from eatlas.cli.messages import output_of_a_command, print_json
from eatlas.engine.checking import GroupCheck, TestCheck, check_tests
from eatlas.errors import listing
from eatlas.numbers import count, effect, level_of
from eatlas.sources.opening import open_named
from eatlas.stimuli import Test

NAMED = 12
"""Missing words of a group, and clusters, that are named; ``--json`` has all."""


def print_checks(tests: Sequence[Test], vectors: Sequence[str], *, as_json: bool) -> None:
    """Print what sources of vectors have for tests, as tables or as JSON."""
    for test in tests:
        test.require_at_hand()
    for opened in open_named(list(vectors)):
        checks = check_tests(tests, opened.source)
        if opened.name:
            checks = [replace(check, source=opened.name) for check in checks]
        with output_of_a_command():
            if as_json:
                print_json(check.to_dict() for check in checks)
            else:
                for check in checks:
                    print_check(check)


def print_check(check: TestCheck) -> None:
    """Print a row for each group, the words that are missing or count as one, and the power."""
    console = new_console()
    say(console, "")
    found, terms = check.counts()
    say(console, f"{check.test} in {check.source}: {found:,} of {terms:,} terms found", "bold")
    if check.hint:
        say(console, check.hint)
    rows = [
        [
            group.concept if role == group.concept else f"{role} {group.concept}",
            f"{len(group.found):,} of {len(group.found) + len(group.missing):,}",
            "unknown" if group.median_rank is None else count(round(group.median_rank)),
        ]
        for role, group in check.groups.items()
    ]
    show(console, table_of(["Group", "found", "median rank"], rows))
    for role, group in check.groups.items():
        if group.missing:
            say(console, f"{_missing(group)}.", head=f"{role} missing: ", hang=2)
        if group.clusters:
            joined = (" + ".join(words) for words in group.clusters)
            say(console, f"{listing(joined, NAMED)}.", head=f"{role}, count as one word: ", hang=2)
    for text in (_ranks(check), _power(check)):
        if text:
            say(console, text, "dim")


def _missing(group: GroupCheck) -> str:
    """Missing words, with those that may be meant."""
    return listing(
        (
            f"{word} (did you mean {', '.join(group.near[word])}?)" if word in group.near else word
            for word in group.missing
        ),
        NAMED,
    )


def _ranks(check: TestCheck) -> str:
    """What the ranks are ranks in."""
    if check.no_ranks:
        return f"Ranks are unknown: {check.no_ranks}."
    return f"Ranks by frequency are those in {check.ranked_in}, of {check.ranked_words:,} words."


def _power(check: TestCheck) -> str:
    """The least effect sizes that can be shown."""
    power = check.power
    if power is None or (power.level1 is None and power.level2 is None):
        return ""
    designs = []
    for name, level in (("level 1", power.level1), ("level 2", power.level2)):
        if level is None:
            designs.append(f"none at {name}, where a group is empty")
        elif level.smallest_d is None:
            designs.append(f"none at {name} ({level.n[0]} v {level.n[1]})")
        else:
            designs.append(f"{effect(level.smallest_d)} at {name} ({level.n[0]} v {level.n[1]})")
    return (
        f"Smallest d detectable with power {power.power:g}: {', '.join(designs)}; two-sided "
        f"p < {level_of(power.alpha)}."
    )
