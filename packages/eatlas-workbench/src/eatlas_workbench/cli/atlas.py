"""``eatlas atlas``: any number of results files to one static site."""

from __future__ import annotations

from pathlib import Path

from eatlas.cli.messages import print_line, remark
from eatlas.numbers import number_of
from eatlas_workbench.atlas import write_atlas

TITLE = "Atlas of associations"


def atlas(results: list[Path], *, out: Path, title: str = TITLE) -> None:
    """Turn results files into a static site: sources by tests, each cell an EAT-Map with a link.

    RESULTS are files or folders. In a folder, the command reads every results.jsonl, also in
    subfolders. The site is a folder with index.html, results.jsonl and results.csv; it needs no
    server. Of a store with more than 1,000 results it is index.html only, without details.

    Parameters
    ----------
    results : RESULTS...
        Results files, stores, or folders with results files.
    out : -o, --out SITE
        Folder of the site. An existing site is replaced, other results are not.
    title : --title TEXT
        Heading of the page.
    """
    site = write_atlas(results, out, title=title)
    for note in site.notes:
        remark(f"note: {note}")
    sources, tests = number_of(site.models, "source"), number_of(site.tests, "test")
    print_line(f"{sources} by {tests}, {number_of(site.results, 'result')}")
    print_line(f"site: {site.page}")
