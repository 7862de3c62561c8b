"""One entry for all that a model takes for the same: texts of the same tokens share their vector.

What was computed is kept under the text, and a pointer to it under its tokens. A text that becomes
tokens which were computed before, in this run or another, is given what was computed then: computed
again beside other texts, it would differ in its last bits, and a difference of no meaning would be
taken for one between the two texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from eatlas.encoders.cache.keys import SAME, Entry, hashed
from eatlas.encoders.cache.place import cache_folder
from eatlas.encoders.cache.store import Store

T = TypeVar("T")


def shared_entries(
    missing: Sequence[T],
    same: Mapping[T, str],
    keys: Mapping[T, bytes],
    source: tuple[str, str],
    compute: Callable[[list[T]], Iterable[Mapping[T, Entry]]],
) -> Iterator[Mapping[T, Entry]]:
    """Take over what was computed of the same tokens, and have the rest computed.

    Parameters
    ----------
    missing : sequence
        What is asked for and not kept.
    same : mapping
        To what the model takes it for, such as its tokens; what is not in it is computed.
    keys : mapping
        To the key under which it is kept.
    source : pair of str
        Fingerprint and name of the source.
    compute : callable
        From those that are left to batches of entries.

    Yields
    ------
    mapping
        Entries, first those that were computed before.
    """
    pointers = {one: hashed(SAME, source[0], what) for one, what in same.items()}
    with Store(cache_folder(), quiet=True) as store:
        targets = store.get(set(pointers.values()))
        kept = store.get({entry.data for entry in targets.values()})
        found = {
            one: kept[targets[pointer].data]
            for one, pointer in pointers.items()
            if pointer in targets and targets[pointer].data in kept
        }
        if found:
            yield found
        for batch in compute([one for one in missing if one not in found]):
            new = {pointers[one]: Entry(keys[one], SAME) for one in batch if one in pointers}
            # a pointer to what a kill keeps from being kept is no harm; the reverse would be
            store.put(*source, new)
            yield batch
