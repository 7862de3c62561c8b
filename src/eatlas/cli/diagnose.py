"""``eatlas diagnose``: whether cosines mean anything in a source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from eatlas.cli.say import output_of_a_command
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.results.diagnosis import Diagnosis

DEFAULT = "glove-sample"


def diagnose(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="Vectors: a file or a name, as eatlas run takes them; with ?transform=... it "
            f"shows what a remedy would do. Default: {DEFAULT}.",
            show_default=False,
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="The same, as an option.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else.")
    ] = False,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Vectors drawn at random for hubness; all else is about every vector.",
            min=2,
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Of that sample.", min=0)] = 0,
) -> None:
    """Say whether cosines mean anything in a space: anisotropy, rogue dimensions, hubness.

    Looks at every vector of the source, once.

    Exit codes: 0 done, whatever was found; 2 the source cannot be used.
    """
    from eatlas.sources.diagnosis import diagnose as look  # noqa: PLC0415  (--help need not wait)

    found = look(_one_of(source, vectors), sample=sample, seed=seed)
    with output_of_a_command():
        _show(found, as_json=as_json)


def _one_of(source: str | None, vectors: str | None) -> str:
    if source is not None and vectors is not None:
        raise EatlasError(
            "one source is diagnosed at a time",
            got=f"{source} and --vectors {vectors}",
            remedy="give it once, with or without --vectors",
        )
    return source or vectors or DEFAULT


def _show(found: Diagnosis, *, as_json: bool) -> None:
    if as_json:
        import json  # noqa: PLC0415

        line = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"
        sys.stdout.flush()
        sys.stdout.buffer.write(line.encode())  # JSON is UTF-8, whatever the terminal
        return
    from eatlas.cli.diagnose_table import print_diagnosis  # noqa: PLC0415

    print_diagnosis(found)
