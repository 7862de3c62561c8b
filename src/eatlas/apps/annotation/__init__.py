"""Labels of people: contexts to be labelled, a page to do it, agreement, and what follows.

:mod:`items` draws contexts, a :mod:`page` shows them to annotators, a :mod:`journal` keeps what
they say, and :mod:`labels` says how far they agree and makes one label of many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.apps.annotation.items import Item, Items, load_items, sample_items
    from eatlas.apps.annotation.labels import Adjudicated, Agreement, Labels, Tie, read_labels
    from eatlas.apps.annotation.page import LabelPage, serve_items

__all__ = [
    "Adjudicated",
    "Agreement",
    "Item",
    "Items",
    "LabelPage",
    "Labels",
    "Tie",
    "load_items",
    "read_labels",
    "sample_items",
    "serve_items",
]

__getattr__ = attributes(
    __name__,
    {
        "eatlas.apps.annotation.items": "Item Items load_items sample_items",
        "eatlas.apps.annotation.labels": "Adjudicated Agreement Labels Tie read_labels",
        "eatlas.apps.annotation.page": "LabelPage serve_items",
    },
)
