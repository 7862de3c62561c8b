"""What the terminal prints of results of a measure beside their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

from eatlas.present.columns import Table
from eatlas.results import AssociationResult


@dataclass(frozen=True)
class Account:
    """How the numbers of a measure came about, under a heading of its own.

    A record class names it: ``account = "module:name"``.
    """

    heading: str
    statements: Callable[[AssociationResult], list[tuple[str, str]]]
    """Of one result: sentences, each behind a word or two that say what it is about."""
    tables: Callable[[Sequence[AssociationResult]], list[Table]]
    """The same of several results."""


def accounts(
    results: Iterable[AssociationResult],
) -> list[tuple[Account, list[AssociationResult]]]:
    """Each account that results have, with these, in their order."""
    by_place: dict[str, list[AssociationResult]] = {}
    for result in results:
        if result.account:
            by_place.setdefault(result.account, []).append(result)
    return [(_account(place), some) for place, some in by_place.items()]


def _account(place: str) -> Account:
    module, _, name = place.partition(":")
    account: Account = getattr(import_module(module), name)
    return account
