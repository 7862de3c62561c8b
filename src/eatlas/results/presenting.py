"""How results show themselves: by presenters, which are imported when they are used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

Renderer = Callable[[object], str]
"""Takes a result or several, returns HTML."""
DEFAULT = "notebook:html"
_chosen: list[Renderer] = []


def register_renderer(renderer: Renderer | None) -> None:
    """Choose what notebooks show of results."""
    _chosen[:] = [] if renderer is None else [renderer]


def html_of(shown: object) -> str:
    """Show a result or several as HTML."""
    if _chosen:
        return _chosen[0](shown)
    html: str = of_present(DEFAULT)(shown)
    return html


def of_present(place: str) -> Any:
    """Import what ``module:name`` of :mod:`eatlas.present` names: it reads results, not they it."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"eatlas.present.{module}"), name)
