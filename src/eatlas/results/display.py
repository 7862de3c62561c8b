"""How notebooks show results: a hook, so that records know nothing of pictures.

Who draws is named, not imported; it is imported when a notebook first shows a result.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

Renderer = Callable[[object], str]
"""Takes a result or several, returns HTML."""

DEFAULT = "eatlas.present.notebook:html"
_chosen: list[Renderer] = []


def register_renderer(renderer: Renderer | None) -> None:
    """Choose what notebooks show of results.

    Parameters
    ----------
    renderer : callable or None
        Takes a result or :class:`eatlas.Results` and returns HTML; None restores ours.

    Examples
    --------
    >>> register_renderer(lambda shown: f"<b>{type(shown).__name__}</b>")
    >>> html_of(())
    '<b>tuple</b>'
    >>> register_renderer(None)
    """
    _chosen[:] = [] if renderer is None else [renderer]


def html_of(shown: object) -> str:
    """Show a result or several as HTML."""
    if _chosen:
        return _chosen[0](shown)
    module, name = DEFAULT.split(":")
    html: str = getattr(import_module(module), name)(shown)
    return html
