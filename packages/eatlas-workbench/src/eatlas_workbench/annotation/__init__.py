"""Labels of people: contexts to be labelled, a page to do it, agreement, and what follows.

:mod:`items` draws contexts and keeps what people say of them, a :mod:`page` shows them to
annotators, and :mod:`labels` says how far they agree and makes one label of many.
"""

from eatlas_workbench.annotation.items import Item, Items, load_items, sample_items
from eatlas_workbench.annotation.labels import Adjudicated, Agreement, Labels, Tie, read_labels
from eatlas_workbench.annotation.page import LabelPage, serve_items

__all__ = [
    "Adjudicated", "Agreement", "Item", "Items", "LabelPage", "Labels", "Tie", "load_items",
    "read_labels", "sample_items", "serve_items",
]  # fmt: skip
