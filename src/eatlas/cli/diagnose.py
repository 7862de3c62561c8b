"""``eatlas diagnose``: whether cosines mean anything in a source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from eatlas.cli.progress import bars
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
        bool, typer.Option("--json", help="Print one JSON object a source, and nothing else.")
    ] = False,
    tests: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID|BATTERY|FILE.toml",
            help="For a source that encodes texts: the tests whose texts are looked at; may be "
            "repeated. [default: sent-caliskan, or caliskan where vectors stand for words]",
            show_default=False,
        ),
    ] = None,
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

    Looks at every vector of the source, once; of a source that encodes texts, at those of tests.
    Several layers (?layer=all) are shown side by side.

    Exit codes: 0 done, whatever was found; 2 the source cannot be used.
    """
    from eatlas.sources import open_sources  # noqa: PLC0415  (--help need not wait)
    from eatlas.sources.diagnosis import diagnose as look  # noqa: PLC0415

    several = open_sources(_one_of(source, vectors))
    with bars() as watch:
        found = [
            look(
                one,
                tests=tests or None,
                sample=sample,
                seed=seed,
                tell=None if watch is None else watch("texts by", one.name),
            )
            for one in several
        ]
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


def _show(found: list[Diagnosis], *, as_json: bool) -> None:
    if as_json:
        import json  # noqa: PLC0415

        said = (json.dumps(one.to_dict(), ensure_ascii=False, allow_nan=False) for one in found)
        lines = "".join(f"{line}\n" for line in said)
        sys.stdout.flush()
        sys.stdout.buffer.write(lines.encode())  # JSON is UTF-8, whatever the terminal
        return
    from eatlas.cli.diagnose_table import print_diagnoses, print_diagnosis  # noqa: PLC0415

    if len(found) == 1:
        print_diagnosis(found[0])
    else:
        print_diagnoses(found)
