"""``eatlas data``: published vectors, sets of images and corpora by name, listed and fetched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.options import Commands

if TYPE_CHECKING:
    from eatlas.sources.downloading import Watch
    from eatlas.sources.published import Published

app = Commands(help="List and fetch published vectors by name.", no_args_is_help=True)


@app.command("list")
def list_vectors(*, as_json: bool = False) -> None:
    """List the published vectors that can be fetched by name, and which are on this machine.

    Parameters
    ----------
    as_json : --json
        Print only JSON, one object a line.
    """
    from eatlas.sources.published import place_of, published_vectors  # noqa: PLC0415

    entries = published_vectors()
    with output_of_a_command():
        if as_json:
            print_json(map(_values, entries))
            return
        rows = []
        for entry in entries:
            what = entry.vectors.what
            dim = f"{entry.vectors.dim or '?'} d" if what == "vectors" else what
            here = "here" if place_of(entry) else "-"
            rows.append((entry.name, dim, _size(entry), here, entry.vectors.title))
        print_rows(rows, "lrrll", least=(0, 6, 7, 4))


@app.command("show")
def show(name: str, *, as_json: bool = False) -> None:
    """Show what is known about published vectors: address, size, hash, licence, what to cite.

    Parameters
    ----------
    name : NAME
        A name that eatlas data list shows.
    as_json : --json
        Print only JSON: one object.
    """
    from eatlas.sources.published import find  # noqa: PLC0415

    entry = find(name)
    with output_of_a_command():
        if as_json:
            print_json([_values(entry)])
            return
        for key, value in _shown(entry):
            print_line(f"{key + ':':<10} {value}")


@app.command("where")
def where(name: str) -> None:
    """Print the path of published vectors on this machine. Exit code 2 if they are not here.

    Parameters
    ----------
    name : NAME
        A name that eatlas data list shows.
    """
    from eatlas.sources.published import find, require_here  # noqa: PLC0415

    print_line(str(require_here(find(name))))


@app.command("fetch")
def fetch(names: list[str]) -> None:
    """Download published vectors, check them, and unpack them.

    They are saved in the cache folder of the system, or in the folder of the environment variable
    EATLAS_DATA. An interrupted download continues where it stopped.

    Parameters
    ----------
    names : NAME...
        Names that eatlas data list shows; census is census-gender and census-race.
    """
    from eatlas.sources.fetching import fetch_vectors  # noqa: PLC0415
    from eatlas.sources.published import find_all  # noqa: PLC0415

    # a wrong name is refused before gigabytes come for the others
    entries = [entry for name in names for entry in find_all(name)]
    for entry in entries:
        name = entry.name
        if entry.vectors.folder or entry.vectors.texts or entry.vectors.counts:
            licence = entry.download.licence or "none is stated; see the notes"
            remark(f"{name}: {entry.download.page}; licence: {licence}")
            for note in entry.download.notes:
                remark(f"{name}: {note}")
        with _progress(name) as watch:
            path = fetch_vectors(name, watch=watch, say=remark)
        print_line(f"{name}: {path}")


def _values(entry: Published) -> dict[str, Any]:
    """All that is known, what is not as null."""
    from eatlas.sources.fetching import read_record  # noqa: PLC0415
    from eatlas.sources.published import place_of  # noqa: PLC0415

    path, record = place_of(entry), read_record(entry)
    vectors = entry.vectors.model_dump(mode="json")
    download = entry.download.model_dump(mode="json", exclude={"vectors"})
    return {
        "schema": "eatlas/published/1",
        **vectors,
        **download,
        "path": str(path) if path else None,
        "fetched": record.fetched if record else None,
        "fetched_sha256": record.sha256 if record else None,
    }


def _shown(entry: Published) -> Iterator[tuple[str, str]]:
    """What is known of published vectors, as names and values; what is unknown says so."""
    values = _values(entry)
    unknown = {
        "hash": "not published; the first download records what it got",
        "licence": "not recorded here; see the page",
    }
    yield "name", entry.name
    yield "title", entry.vectors.title
    if entry.vectors.what == "vectors":
        yield "dim", str(values["dim"] or "unknown")
    yield "url", values["url"]
    size = values["size"]
    yield "size", f"{size:,} bytes ({_size(entry)})" if size else "unknown"
    for key in ("hash", "evidence", "licence", "page", "citation"):
        if values[key] or key in unknown:
            yield key, values[key] or unknown[key]
    for note in values["notes"]:
        yield "note", note
    from eatlas.sources.fetching import unproven  # noqa: PLC0415

    if values["hash"] and (caution := unproven(entry, None)):
        yield "caution", caution
    yield "here", values["path"] or f"no; eatlas data fetch {entry.name}"
    if values["fetched"]:
        yield "fetched", f"{values['fetched']}, sha256:{values['fetched_sha256']}"


def _size(entry: Published) -> str:
    from eatlas.sources.published import size_text  # noqa: PLC0415

    return size_text(entry.download.size) if entry.download.size else "?"


@contextmanager
def _progress(name: str) -> Iterator[Watch | None]:
    """A bar on a terminal; a log file has no use for one."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
