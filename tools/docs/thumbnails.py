"""Thumbnails of the gallery: run the notebook, draw each kind small, write the grid of links.

Run it after a change of drawings: ``python tools/docs/thumbnails.py``, and look at the pictures in
``docs/images/gallery``.
"""

from __future__ import annotations

import ast
import html
import io
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image

from eatlas.present.drawings.kinds import drawing_kinds
from eatlas.present.drawings.plot import Plot

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "gallery.ipynb"
FOLDER = ROOT / "docs" / "images" / "gallery"
GRID = "thumbnails"
"""Id of the cell that holds the grid."""
WIDE, HIGH = 480, 360
"""Pixels of a thumbnail: twice those that the page shows."""
HEADING = re.compile(r"^## (?P<name>.+?) \{ #(?P<kind>[\w-]+) \}\n*(?P<about>.*)", re.DOTALL)


def charts(notebook: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Kind, name, first sentence and drawing of each section that is headed by a kind."""
    names: dict[str, Any] = {}
    heading = None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = HEADING.match(cell.source)
            continue
        shown = _run(cell.source, names)
        if heading:
            about = heading["about"].partition("\n\n")[0].replace("\n", " ")
            yield heading["kind"], heading["name"], about, shown
        heading = None


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    rest = ast.Module(tree.body[:-1] if isinstance(last, ast.Expr) else tree.body, [])
    exec(compile(rest, "cell", "exec"), names)  # noqa: S102  (the notebook of this repository)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    return None


def small(chart: Plot, path: Path) -> None:
    """Write a drawing as a picture of the size of a thumbnail, whole, on paper."""
    whole = path.with_name("whole.png")
    chart.save(whole)
    with Image.open(whole) as picture:
        shown = picture.convert("RGB")
    whole.unlink()
    shown.thumbnail((WIDE, HIGH), Image.Resampling.LANCZOS)
    paper = Image.new("RGB", (WIDE, HIGH), "white")
    paper.paste(shown, ((WIDE - shown.width) // 2, (HIGH - shown.height) // 2))
    buffer = io.BytesIO()
    paper.quantize(256, Image.Quantize.FASTOCTREE).save(buffer, "PNG", optimize=True)
    path.write_bytes(buffer.getvalue())


def figure(kind: str, name: str, about: str, chart: Plot) -> str:
    """One thumbnail with its name, a link to the section that makes it."""
    said = html.escape(f"{name}: {chart.alt.partition('. ')[0]}", quote=True)
    question = f"<span>{about.partition('?')[0]}?</span>" if "?" in about else ""
    return (
        f'<a href="#{kind}"><img src="images/gallery/{kind}.png" alt="{said}" width="{WIDE // 2}" '
        f'height="{HIGH // 2}" loading="lazy"><strong>{name}</strong><code>{kind}</code>'
        f"{question}</a>"
    )


def main() -> None:
    """Write the pictures and the grid."""
    warnings.simplefilter("ignore")
    FOLDER.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    lines = []
    for kind, name, about, chart in charts(notebook):
        small(chart, FOLDER / f"{kind}.png")
        lines.append(figure(kind, name, about, chart))
        print(f"{kind}: {(FOLDER / f'{kind}.png').stat().st_size:,} bytes")
    grid = next(cell for cell in notebook.cells if cell.id == GRID)
    grid.source = '<div class="gallery">\n' + "\n".join(lines) + "\n</div>"
    nbformat.write(notebook, NOTEBOOK)
    missing = drawing_kinds().keys() - {line.partition("#")[2].partition('"')[0] for line in lines}
    if missing:
        sys.exit(f"the gallery lacks {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
