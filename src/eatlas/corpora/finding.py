"""Contexts that a result was made of, found again by the hash that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eatlas.corpora.loading import load_either
from eatlas.corpora.record import Contexts, Pairs
from eatlas.errors import SourceError, described
from eatlas.stimuli import ContextsOrigin

REMEDY = (
    "name the file: eatlas verify RESULTS --contexts FILE; in Python, verify(..., contexts=...)"
)


class ContextsAtHand:
    """Files of contexts that are known, and folders in which others may lie.

    Parameters
    ----------
    given : iterable of Contexts, Pairs, str or path
        They are loaded at once.
    folders : iterable of path
        Where a file is looked for by its name.

    Raises
    ------
    SourceError
        If one of those given cannot be read.

    Examples
    --------
    >>> from eatlas.corpora import Context
    >>> contexts = Contexts.of([Context("ivy", text, 0, 3) for text in ("ivy", "ivy grows")])
    >>> len(ContextsAtHand([contexts]).find(contexts.first(1).origin))
    1
    """

    def __init__(self, given: Iterable[Any] = (), folders: Iterable[Path] = ()) -> None:
        self._given = [_loaded(one) for one in given]
        self._folders = tuple(dict.fromkeys(folders))
        self._found: dict[Path, Contexts | Pairs | SourceError] = {}

    def find(self, origin: ContextsOrigin) -> Contexts | Pairs:
        """Return the contexts that a result was made of.

        Raises
        ------
        SourceError
            If there is no such file, or it holds others.
        """
        others = []
        for name, known in self._candidates(origin):
            if isinstance(known, SourceError):
                others.append(known.what)
            elif (taken := known.taken(origin)) is not None:
                return taken
            else:
                others.append(f"{name} has {_briefly(known.origin)}")
        if others:
            raise SourceError(
                f"no file at hand has its contexts: {'; '.join(dict.fromkeys(others))}; the "
                f"result names {_briefly(origin)}",
                remedy=REMEDY,
            )
        name = origin.name or "contexts that were not loaded from a file"
        raise SourceError(
            f"its contexts are not in the result, and there is no file of them: {name}, "
            f"{_briefly(origin)}",
            allowed="the file beside the results or in the working folder, or a name of it",
            remedy=REMEDY,
        )

    def _candidates(
        self, origin: ContextsOrigin
    ) -> Iterator[tuple[str, Contexts | Pairs | SourceError]]:
        for one in self._given:
            yield one.name or "a corpus", one
        for folder in self._folders:
            path = folder / Path(origin.name).name  # a result may come from anybody
            if path.name and path.is_file():
                yield str(path), self._load(path)

    def _load(self, path: Path) -> Contexts | Pairs | SourceError:
        if path not in self._found:
            try:
                self._found[path] = load_either(path)
            except SourceError as error:
                self._found[path] = error
        return self._found[path]


def _loaded(one: Any) -> Contexts | Pairs:
    if isinstance(one, str | Path):
        return load_either(one)
    if isinstance(one, Contexts | Pairs):
        return one
    raise SourceError(
        "these are no contexts",
        got=described(one),
        allowed="the name of a file that eatlas contexts wrote, or what eatlas.find_contexts or "
        "eatlas.find_pairs returned",
    )


def _briefly(origin: ContextsOrigin) -> str:
    most = "" if origin.per_term is None else f", the first {origin.per_term:,} of each"
    return f"SHA-256 {origin.sha256[:12]}...{most}"
