"""Labels of people: contexts to be labelled, a page to do it, agreement, and what follows.

:mod:`items` draws contexts, a :mod:`page` shows them to annotators and a :mod:`journal` keeps what
they say; :mod:`labels` and :mod:`sheets` read it, :mod:`agreement` says how far they agree, and
:mod:`adjudication` makes one label of many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.apps.annotation.adjudication import Adjudicated, Tie
    from eatlas.apps.annotation.agreement import Agreement
    from eatlas.apps.annotation.items import Item, Items, load_items, sample_items
    from eatlas.apps.annotation.journal import Journal
    from eatlas.apps.annotation.labelling import LabelPage, serve_items
    from eatlas.apps.annotation.labels import Labels, read_labels

__all__ = [
    "Adjudicated",
    "Agreement",
    "Item",
    "Items",
    "Journal",
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
        "eatlas.apps.annotation.journal": "Journal",
        "eatlas.apps.annotation.labelling": "LabelPage serve_items",
        "eatlas.apps.annotation.labels": "Labels read_labels",
        "eatlas.apps.annotation.agreement": "Agreement",
        "eatlas.apps.annotation.adjudication": "Adjudicated Tie",
    },
)
