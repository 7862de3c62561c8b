"""``eatlas tests``: what can be asked, and whether a test file is well formed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from eatlas.stimuli import ROLES, AssociationTest, battery_names, load_tests, read_battery
from eatlas.stimuli.batteries import read_test_file

app = typer.Typer(help="List, show and check association tests.", no_args_is_help=True)


@app.command("list")
def list_tests() -> None:
    """List the batteries and their tests."""
    for name in battery_names():
        battery = read_battery(name)
        typer.echo(f"{name}: {battery.title}")
        width = max(len(test.id) for test in battery.tests)
        for test in battery.tests:
            sizes = " ".join(f"{role}{len(test.concept(role).terms)}" for role in ROLES)
            typer.echo(f"  {test.id:<{width}}  {test.label} ({sizes})")


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="A test, a battery or a TOML file.")],
) -> None:
    """Print tests as TOML, ready to be saved, changed and run."""
    tests = load_tests(name)
    typer.echo("schema = 1")
    for test in tests:
        typer.echo("\n" + to_toml(test))


@app.command("check")
def check(
    path: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The test file.")],
) -> None:
    """Check a test file; every fault is named, and the exit code is 2 if there is one."""
    battery = read_test_file(path)
    for test in battery.tests:
        sizes = ", ".join(
            f"{role} {test.concept(role).name}: {len(test.concept(role).terms)}" for role in ROLES
        )
        typer.echo(f"{test.id}: {sizes}")
    typer.echo(f"{path}: {len(battery.tests)} test(s), no faults")


def to_toml(test: AssociationTest) -> str:
    """One test as a ``[[test]]`` table."""
    lines = ["[[test]]"]
    texts = {key: getattr(test, key) for key in ("id", "title", "citation", "table")}
    lines += [f"{key} = {_quote(text)}" for key, text in texts.items() if text]
    if test.notes:
        lines += ["notes = [", *(f"  {_quote(note)}," for note in test.notes), "]"]
    for role in ROLES:
        concept = test.concept(role)
        terms = ", ".join(_quote(term) for term in concept.terms)
        lines.append(f"{role} = {{ name = {_quote(concept.name)}, terms = [{terms}] }}")
    return "\n".join(lines)


def _quote(text: str) -> str:
    # a JSON string is a TOML basic string, but for DEL, which TOML wants escaped
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
