"""What designs can find, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from eatlas.cli.console import add_columns, new_console, new_table, show
from eatlas.cli.messages import output_of_a_command, print_json
from eatlas.errors import EatlasError, StimulusError
from eatlas.measures.beyond import power
from eatlas.present.numbers import effect, level_of, p_value, percent
from eatlas.results.inference import DesignPower, Power
from eatlas.stimuli import ROLES, AssociationTest, load_tests

Design = tuple[str, dict[str, int], Power]
"""Name, sizes by role, and what they can find."""


def print_powers(
    names: Sequence[str], sizes: Sequence[str], asked: Mapping[str, Any], *, as_json: bool
) -> None:
    """Print a row for each test and each list of sizes.

    Raises
    ------
    EatlasError
        If there is none, or one has no such sizes.
    """
    if not (names or sizes):
        raise EatlasError(
            "power is that of a design, and none is named",
            allowed="tests, as in eatlas tests power weat-6, or --sizes 8,8,25,25",
        )
    found = [*_of_tests(names, asked), *_of_sizes(sizes, asked)]
    with output_of_a_command():
        if as_json:
            print_json({"test": name, "sizes": n, **one.to_dict()} for name, n, one in found)
            return
        console = new_console()
        show(console, _table(found))
        over_stimuli = any(one.unit == "stimulus" for *_, one in found)
        show(console, Text(_below(found[0][2], over_stimuli=over_stimuli), "dim"))


def _of_tests(names: Sequence[str], asked: Mapping[str, Any]) -> Iterator[Design]:
    for test in load_tests(names) if names else ():
        if not isinstance(test, AssociationTest):
            raise StimulusError(
                f"the test {test.id} is none of two targets and two attributes",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind association",
            )
        found = power(test, **asked)
        known = (found.level1, found.level2)
        n = [size for level in known if level for size in level.n]
        yield test.id, dict(zip(ROLES, n, strict=True)), found


def _of_sizes(sizes: Sequence[str], asked: Mapping[str, Any]) -> Iterator[Design]:
    for text in sizes:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) not in (2, 4) or not all(part.isdecimal() for part in parts):
            raise EatlasError(
                "--sizes takes whole numbers with commas between",
                got=repr(text),
                allowed="of X and Y, as 8,8, or of X, Y, A and B, as 8,8,25,25",
            )
        n = tuple(map(int, parts))
        yield text, dict(zip(ROLES, n, strict=False)), power(n, **asked)


def _table(found: Sequence[Design]) -> Table:
    table = new_table("Test", [name for name, *_ in found])
    asked = found[0][2].d
    for level, what in ((1, "X v Y"), (2, "A v B")):
        heads = [f"Level {level}\n{what}", "smallest\np", "smallest\nd"]
        heads += [] if asked is None else [f"power at\nd = {asked:g}"]
        add_columns(table, *((head, False) for head in heads))
    for name, _, one in found:
        cells = [name]
        for place, found_there in (("level1", one.level1), ("level2", one.level2)):
            cells += _cells(found_there, one.alpha)
            if asked is not None:
                chance = (one.chance or {}).get(place)
                cells.append("" if chance is None else percent(chance))
        table.add_row(*cells)
    return table


def _cells(level: DesignPower | None, alpha: float) -> list[str]:
    if level is None:
        return ["", "", ""]
    d = "none" if level.smallest_d is None else effect(level.smallest_d)
    return [f"{level.n[0]} v {level.n[1]}", p_value(level.min_p, alpha), d]


def _below(one: Power, *, over_stimuli: bool) -> str:
    """What the columns are, and how many terms it takes."""
    tail = one.tail.replace("_", "-")
    needed = ", ".join(f"d = {d}: {n}" for d, n in (one.terms_needed or {}).items())
    return (
        f"Smallest d: found with a power of {one.power:g} by the {tail} p < {level_of(one.alpha)}; "
        "none where no p-value of the design is that small. Normal scores; the terms of the other "
        f"side as given. Terms needed in each of two groups: {needed}."
        + (" In tests of sentences the sizes are those of stimuli." if over_stimuli else "")
    )
