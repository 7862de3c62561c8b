"""References in docstrings, such as :func:`eatlas.run`, as links to the page that documents it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

SIBLINGS = tomllib.loads(
    (Path(__file__).parents[2] / "src" / "eatlas" / "siblings.toml").read_text(encoding="utf-8")
)
PUBLIC = {
    f"eatlas.{name}": f"eatlas_{package}.{name}"
    for package, groups in SIBLINGS.items()
    for name in groups["names"]
}
"""Names that eatlas has from a package beside it, which documents them."""

ROLE = re.compile(r":(?:func|class|meth|mod|attr|data):<code>(?P<short>~?)(?P<name>[\w.]+)</code>")

IN_CODE = re.compile(r":(?:func|class|meth|mod|attr|data):`~?([\w.]+)`")
"""Within the type of a parameter, which is code already."""


def _linked(match: re.Match[str]) -> str:
    name = match["name"]
    shown = name.rsplit(".", 1)[-1] if match["short"] else name
    # mkdocs-autorefs makes the link, or leaves the name where no page documents it
    return f'<autoref optional identifier="{PUBLIC.get(name, name)}"><code>{shown}</code></autoref>'


def on_page_content(content: str, **_: Any) -> str:
    """MkDocs hands over the page's HTML."""
    return IN_CODE.sub(r"\1", ROLE.sub(_linked, content))
