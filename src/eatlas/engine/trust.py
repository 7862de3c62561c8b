"""Sources that results name, opened with the care that somebody else's file needs."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eatlas.engine.plan import Source, asked, opened, renamed
from eatlas.errors import SourceError
from eatlas.measures import Measure
from eatlas.measures.base import Need
from eatlas.sources import period_of
from eatlas.stimuli import Test
from eatlas.untrusted import data_only, trusted_among


@dataclass(frozen=True)
class Trust:
    """What the user says of the sources that results name."""

    vectors: Mapping[str, Any] = field(default_factory=dict)
    trusted: Collection[str] = ()

    def require_named(self, names: Iterable[str], sources: Iterable[str]) -> None:
        """Refuse a name that is in no result: it would be without effect, or a misprint."""
        strings = list(dict.fromkeys(sources))
        either = list(dict.fromkeys([*names, *strings]))
        for name in self.vectors:
            if name not in either:
                raise SourceError(
                    "vectors: no result has a source with this name",
                    got=name,
                    allowed=", ".join(either),
                )
        trusted_among(self.trusted, strings, "no result has a source")

    def moved(self, *names: str) -> bool:
        """Whether something else is opened in the place of a source of these names."""
        return any(name in self.vectors for name in names)

    def ask(
        self, name: str, source: str, need: Need, questions: list[tuple[Test, Measure]]
    ) -> dict[int | None, Source]:
        """Open what results name, and look up the words of all of them at once."""
        try:
            known = next((one for one in (name, source) if one in self.vectors), None)
            if known is not None:
                return self._each(self.vectors[known], name, need, questions)
            with data_only(source, self.trusted):
                return self._each(source, name, need, questions)
        except RecursionError as error:
            raise SourceError(
                f"{source[:60]}...: one source is wrapped in another too many times"
            ) from error
        except SourceError as error:
            if self.moved(name, source):
                raise
            elsewhere = (
                f"if the vectors are somewhere else: --vectors {shlex.quote(f'{name}=PATH')}"
            )
            remedy = f"{error.remedy}; {elsewhere}" if error.remedy else elsewhere
            raise type(error)(
                error.what, got=error.got, allowed=error.allowed, remedy=remedy
            ) from error

    def _each(
        self,
        spec: Any,
        name: str,
        need: Need,
        questions: list[tuple[Test, Measure]],
    ) -> dict[int | None, Source]:
        return {
            period_of(one): renamed(asked(one, need, questions), name) for one in opened(spec, need)
        }
