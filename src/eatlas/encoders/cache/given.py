"""What is had of a cache, and what is computed and put there, while it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from eatlas.encoders.cache.keys import Entry
from eatlas.encoders.cache.place import cache_folder
from eatlas.encoders.cache.store import Store
from eatlas.sources.passages import Tell

T = TypeVar("T")
Batches = Iterable[Mapping[T, Entry]]


def through_cache(
    keys: Mapping[T, bytes],
    source: tuple[str, str],
    compute: Callable[[Mapping[T, Entry], list[T]], Batches[T]],
    said: str,
    tell: Tell | None = None,
) -> dict[T, Entry]:
    """Take what is kept, have the rest computed, and keep each batch of it as it comes.

    Parameters
    ----------
    keys : mapping
        The key of everything that is asked for; several may share one.
    source : pair of str
        Fingerprint and name under which it is kept.
    compute : callable
        From what was kept, and one of those asked for each key that was not, to batches of
        entries; one that stays out of them stays out of the answer.
    said : str
        Of those that are there when a person interrupts, such as "texts are encoded".
    tell : callable, optional
        Called with the number of those that are there and the number of all.
    """
    given = _Given(keys, tell)
    with Store(cache_folder()) as store:
        given.add(store.get(set(keys.values())))
        try:
            for batch in compute(given.found(), given.missing()):
                new = {keys[one]: entry for one, entry in batch.items()}
                store.put(*source, new)
                given.add(new)
        except KeyboardInterrupt as interruption:
            interruption.add_note(given.account(said, kept=store.usable))
            raise
    return given.found()


class _Given(Generic[T]):
    """What is had by key, and for how many of those asked for."""

    def __init__(self, keys: Mapping[T, bytes], tell: Tell | None) -> None:
        self._keys, self._tell = keys, tell
        self._entries: dict[bytes, Entry] = {}
        self._shared = Counter(keys.values())
        self._done = 0

    def add(self, entries: Mapping[bytes, Entry]) -> None:
        self._done += sum(self._shared[key] for key in entries.keys() - self._entries.keys())
        self._entries.update(entries)
        if self._tell is not None:
            self._tell(self._done, len(self._keys))

    def found(self) -> dict[T, Entry]:
        entries = self._entries
        return {one: entries[key] for one, key in self._keys.items() if key in entries}

    def missing(self) -> list[T]:
        """One of those that share a key for which there is nothing, in the order of the asked."""
        return list({k: one for one, k in self._keys.items() if k not in self._entries}.values())

    def account(self, said: str, *, kept: bool) -> str:
        """Say what an interruption leaves."""
        if not kept or not self._done:
            return "nothing is kept"
        return (
            f"{self._done:,} of {len(self._keys):,} {said} and kept; "
            "the same command goes on from there"
        )
