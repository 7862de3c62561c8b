"""Tables of names on the pages of the reference: what each is, in one line, with a link.

A page of `docs/reference/api` lists its names as `::: eatlas.NAME`; the table of them is put before
the first. `<!-- names: eatlas -->` is replaced by the names of `eatlas` itself, and
`<!-- names: all -->` by those of all pages, part by part in the order of the navigation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from mkdocs.structure.pages import Page

FOLDER = "reference/api/"
LISTED = re.compile(r"^::: (eatlas[\w.]*)(?<!Like)$", re.MULTILINE)
"""Not the unions of types, which have no docstring when Python runs."""
MARK = re.compile(r"<!-- names: (eatlas|all) -->")
SENTENCE = re.compile(r"(.+?(?<!et al)\.)(\s|$)")
ROLE = re.compile(r":\w+:`~?([^`]+)`")


def on_page_markdown(markdown: str, page: Page, config: Any, **_: Any) -> str:
    """Put the tables where they belong."""
    docs = Path(config.docs_dir)
    if page.file.src_uri.startswith(FOLDER):
        names = LISTED.findall(markdown)
        if len(names) > 1:
            table = "\n".join(_table(names))
            markdown = LISTED.sub(lambda found: f"{table}\n\n{found[0]}", markdown, count=1)
    return MARK.sub(lambda mark: "\n".join(_index(docs, config.nav, mark[1])), markdown)


def _index(docs: Path, nav: Any, which: str) -> Iterator[str]:
    """A table for each part of the navigation, with the names of its pages."""
    for title, pages in _parts(nav):
        texts = [(docs / page).read_text(encoding="utf-8") for page in pages]
        names = [name for text in texts for name in LISTED.findall(text)]
        if which == "eatlas":
            names = [name for name in names if name.count(".") == 1]
        if names:
            yield f"### {title}\n" if which == "eatlas" else f"## {title}\n"
            yield from _table(names, modules=False)
            yield ""


def _parts(entries: Any, title: str = "") -> Iterator[tuple[str, list[str]]]:
    """Titles of the navigation over pages of the reference, with these pages."""
    own = []
    for entry in entries or ():
        name, value = next(iter(entry.items())) if isinstance(entry, dict) else ("", entry)
        if isinstance(value, list):
            yield from _parts(value, name)
        elif value.startswith(FOLDER):
            own.append(value)
    if own:
        yield title, own


def _table(names: list[str], *, modules: bool = True) -> Iterator[str]:
    """Rows of name, description and module; the module once where it is the same for all."""
    found = {name.rpartition(".")[0] for name in names}
    if modules and len(found) == 1 and found != {"eatlas"}:
        yield f"All are in `{next(iter(found))}`.\n"
    modules = modules and len(found) > 1
    yield '<div class="names" markdown>\n'
    yield "| name | description |" + " module |" * modules
    yield "| --- | --- |" + " --- |" * modules
    for name in names:
        module, _, short = name.rpartition(".")
        row = f"| [`{short}`][{name}] | {one_line(resolve_name(name))} |"
        yield row + f" `{module}` |" * modules
    yield "\n</div>"


def one_line(thing: Any) -> str:
    """The first sentence of a docstring, for a cell of a table.

    Examples
    --------
    >>> one_line(on_page_markdown)
    'Put the tables where they belong.'
    """
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    found = SENTENCE.match(paragraph)
    text = found[1] if found else paragraph
    return ROLE.sub(r"`\1`", text).replace("``", "`").replace("|", "\\|")
