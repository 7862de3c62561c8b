"""``eatlas replicate``: the published tables of a paper, repeated by its recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import typer
from rich.console import Console

from eatlas.cli.console import new_console, say, show, table_of
from eatlas.cli.messages import complain, output_of_a_command, print_line
from eatlas.errors import EatlasError, listing
from eatlas.numbers import number_of
from eatlas.writing import require_writable
from eatlas_workbench.replication.page import PAGE, write_replication
from eatlas_workbench.replication.replicate import Replication, compare_with_paper
from eatlas_workbench.replication.tables import (
    Grid,
    arrange_table,
    explanation,
    grids,
    side_by_side,
)

FEW = 12
"""Checks that fail, and cells that differ, that are printed one by one."""


def replicate(
    paper: str,
    *,
    table: str | None = None,
    model: list[str] | None = None,
    follow: str = "code",
    out: Path | None = None,
) -> None:
    """Repeat a paper's tables by its own recipe, and make them for other models.

    The command measures a model of the paper if its vectors are available: named by --model,
    downloaded by eatlas vectors fetch, or bundled. It measures any other model by the same recipe,
    and compares it with the printed numbers. It always checks the printed numbers against each
    other.

    Parameters
    ----------
    paper : caliskan|ml-eat|seat|divdist|mind-your-bias
        The paper: Caliskan, Bryson and Narayanan (2017); Wolfe, Hiniker and Howe (2024); May, Wang,
        Bordia, Bowman and Rudinger (2019); Bommasani and Liang (2022); or Husse and Spitz (2022).
    table : --table N
        One table of the paper, such as 4. [default: all tables]
    model : --model NAME=SOURCE
        A model to measure; may be repeated. A NAME of a model in the paper, such as
        glove-840b=glove.840B.300d.txt, stands for that model; the output lists these names. Any
        other NAME adds a model. Tables of DivDist also take counts of texts (mine=counts.csv),
        labour statistics (census-gender=shares.csv), and stages of a model (mine.L1=counts.csv).
    follow : --as code|paper
        What to do if the text of the paper and its authors' published code differ.
    out : -o, --out DIR
        Folder for replication.html, replication.csv, results.jsonl and report.html. [default: no
        files]
    """
    if out is not None:
        require_writable(out / PAGE)
    replication = compare_with_paper(paper, _sources(model or []), table=table, follow=follow)
    written = () if out is None else write_replication(replication, out)
    with output_of_a_command():
        _print_numbers(replication)
        _print_reasons(replication)
        for path in written:
            print_line(f"written: {path}")
    for failure in replication.results.failures:
        complain(failure.error)
    raise typer.Exit(1 if replication.results.failures else 0)


def _sources(texts: Iterable[str]) -> dict[str, str]:
    """Sources by the names of models."""
    sources: dict[str, str] = {}
    for text in texts:
        name, _, source = text.partition("=")
        if not name or not source or name in sources:
            raise EatlasError(
                "--model needs a name and a source, and each name once",
                got=text,
                allowed="NAME=SOURCE, such as glove-840b=glove.840B.300d.txt or "
                "mine=hf:path/to/model",
            )
        sources[name] = source
    return sources


def _print_numbers(replication: Replication) -> None:
    """Print what was compared: each published table with what was computed."""
    console = new_console()
    say(console, replication.headline, "bold", hang=2)
    say(console, " ".join(replication.recipe.citation.split()), hang=2)
    for grid in grids(replication):
        if grid.columns_with_values:
            _print_grid(console, grid)


def _print_grid(console: Console, grid: Grid) -> None:
    """Print one table, how many of its cells agree, and which do not."""
    says = f"; {grid.table.says}" if grid.table.says else ""
    ours = f"; ours: {', '.join(grid.sources)}" if grid.sources else ""
    say(console, "")
    say(console, f"{grid.table.title}{ours}{says}", "bold", hang=2)
    show(console, table_of(*(side_by_side(grid) if grid.is_of_models else arrange_table(grid))))
    if not grid.agree:
        return
    stars = f", and {_of(grid.stars)} stars" if grid.stars else ""
    stars += f" ({_of(grid.exact_stars)} by exact p-values)" if grid.exact_stars else ""
    say(console, f"{_of(grid.agree)} cells are the same to the last digit{stars}")
    for why, cells in groupby(grid.differ[:FEW], key=lambda cell: cell.why):
        alike = list(cells)
        for cell in alike:
            say(console, f"  {explanation(cell, why=len(alike) == 1)}", hang=4)
        if len(alike) > 1 and why:
            say(console, f"  these {len(alike)} {why}", hang=4)
    if len(grid.differ) > FEW:
        say(console, f"  and {len(grid.differ) - FEW:,} more")


def _of(same: list[bool]) -> str:
    """So many of so many."""
    return f"{sum(same):,} of {len(same):,}"


def _print_reasons(replication: Replication) -> None:
    """Print what was chosen, what does not hold, what is missing, and why numbers differ."""
    console, recipe = new_console(), replication.recipe
    failed, checks = replication.failed_checks, len(replication.checks)
    finds = [f"{check.name}, {check.where}: {check.finding}" for check in failed[:FEW]]
    if len(failed) > FEW:
        finds.append(f"and {len(failed) - FEW} more")
    fail = f"{len(failed):,} {'fails' if len(failed) == 1 else 'fail'}"
    missing = [f"{model.id}: {text}" for model in replication.models for text in model.missing]
    missing += [f"{table.title}: {table.not_run}" for table in replication.tables if table.not_run]
    differs = not all(replication.agreement)
    for heading, lines, is_shown in (
        (_rule_in_words(replication), [*_differing_choices(replication)], False),
        (
            f"Printed numbers, checked against each other: {checks:,} checks, {fail}",
            finds,
            checks > 0,
        ),
        ("Not measured:", missing, False),
        ("Words without a vector:", [*_without(replication)], False),
        (
            "Why numbers differ:",
            [f"- {_line(text)}" for text in replication.reasons * differs],
            False,
        ),
        ("Left out:", [f"- {_line(text)}" for text in recipe.left_out], False),
    ):
        if lines or is_shown:
            say(console, "")
            say(console, heading)
            for line in lines:
                say(console, f"  {line}", hang=4)


def _without(replication: Replication) -> Iterator[str]:
    """Words that a model lacks, of all that its tests have."""
    for model, words in replication.without.items():
        yield f"{model}: {number_of(len(words), 'word')}: {listing(words, FEW)}"


def _line(text: str) -> str:
    """A text of a recipe in one line."""
    return " ".join(text.split())


def _rule_in_words(replication: Replication) -> str:
    """Which of text and code was followed, and what follows the other."""
    if replication.follow == "code":
        return "The published code is followed where the text differs (--as paper: the text):"
    return "The text is followed where the published code differs (--as code: the code):"


def _differing_choices(replication: Replication) -> Iterator[str]:
    """Each choice that text and code make differently: what was done, and what the other says."""
    for choice in replication.choices:
        if choice.paper is None or choice.code is None:
            continue
        done, other, name = choice.code, choice.paper, "text"
        if replication.follow == "paper":
            done, other, name = choice.paper, choice.code, "code"
        done_there, said = f"{done.says} ({done.where})", f"{other.says} ({other.where})"
        yield f"{choice.what}: {done_there}; the {name}: {said}"
