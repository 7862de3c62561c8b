"""``eatlas vectors``: published vectors listed and fetched; any vectors transformed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.options import Commands
from eatlas.cli.progress import Lines, bar_of
from eatlas.sources.download import (
    Published,
    find,
    find_all,
    published_vectors,
    size_text,
    unproven,
)
from eatlas.sources.downloads import fetch_vectors
from eatlas.sources.writing import write_vectors

KEYS = (
    "name", "title", "dim", "url", "size", "hash", "evidence", "licence", "page", "citation",
    "notes", "caution", "path",
)  # fmt: skip
SOON = 20.0
"""Seconds before the first line of progress where no bar is shown."""

app = Commands(help="List and fetch published vectors; transform any.", no_args_is_help=True)


@app.command("list")
def list_vectors(names: list[str] | None = None, *, as_json: bool = False) -> None:
    """List published vectors that you can fetch by name, and show which are on this machine.

    With names, show the address, size, hash, licence, citation and path on this machine of each.

    Parameters
    ----------
    names : NAME...
        Names of published vectors.
    """
    entries = [find(name) for name in names] if names else published_vectors()
    with output_of_a_command():
        if as_json:
            print_json(map(_values, entries))
            return
        rows = []
        for entry in entries:
            what, size = entry.vectors.what, entry.download.size
            dim = f"{entry.vectors.dim or '?'} d" if what == "vectors" else what
            if names:
                _print_entry(entry, size_text(size) if size else "?")
            here, total = "here" if entry.target.exists() else "-", size_text(size) if size else "?"
            rows.append((entry.name, dim, total, here, entry.vectors.title))
        if not names:
            print_rows(rows, "lrrll", least=(0, 6, 7, 4))


@app.command("fetch")
def fetch(names: list[str]) -> None:
    """Download published vectors, check them, and unpack them.

    They are saved in the cache folder of the system, or in the folder of the environment variable
    EATLAS_DATA. An interrupted download continues where it stopped.

    Parameters
    ----------
    names : NAME...
        Names that eatlas vectors list shows; census is census-gender and census-race.
    """
    # a wrong name is refused before gigabytes come for the others
    entries = [entry for name in names for entry in find_all(name)]
    for entry in entries:
        name = entry.name
        if entry.vectors.kind not in {"vectors", "series"}:
            licence = entry.download.licence or "none is stated; see the notes"
            remark(f"{name}: {entry.download.page}; licence: {licence}")
            for note in entry.download.notes:
                remark(f"{name}: {note}")
        with bar_of(name, size=True) as watch:
            path = fetch_vectors(name, watch=watch, say=remark)
        print_line(f"{name}: {path}")


@app.command("transform")
def transform(source: str, *, out: Path) -> None:
    """Transform the vectors of a source, and write them to a file.

    FILE.json next to it records source, fingerprint, transform and version. Numbers have single
    precision. The file appears once it is complete.

    Exit codes: 0 done; 2 the source, the transform or the file cannot be used.

    Parameters
    ----------
    source : SOURCE
        Vectors as for eatlas run, with a transform: "glove.txt?transform=hard-debias:gender".
        Without a transform the file is only converted.
    out : -o, --out FILE
        The suffix chooses the format: .txt (GloVe), .vec (text of word2vec and fastText), .bin
        (word2vec binary) or .npz.
    """
    replaced = " (an older file was replaced)" if out.exists() else ""
    with bar_of("words") as bar:
        note = write_vectors(source, out, tell=bar or Lines("words", SOON))
    with output_of_a_command():
        print_line(f"vectors: {out}{replaced}")
        print_line(f"origin:  {note}")


def _values(entry: Published) -> dict[str, Any]:
    """All that is known, what is not as null."""
    path = entry.target
    vectors = entry.vectors.model_dump(mode="json")
    download = entry.download.model_dump(mode="json", exclude={"vectors"})
    return {
        "schema": "eatlas/published/1",
        **vectors,
        **download,
        "path": str(path) if path.exists() else None,
    }


def _print_entry(entry: Published, size: str) -> None:
    """Print what is known of published vectors; what is unknown says so."""
    values = _values(entry)
    values["size"] = values["size"] and f"{values['size']:,} bytes ({size})"
    values["caution"] = values["hash"] and unproven(entry)
    values["path"] = values["path"] or f"no; eatlas vectors fetch {entry.name}"
    for key in KEYS:
        value = values.get(key) or ("unknown" if key in {"size", "hash", "licence"} else [])
        name = {"path": "here", "notes": "note"}.get(key, key)
        for text in value if isinstance(value, list | tuple) else [value]:
            print_line(f"{name + ':':<10} {text}")
