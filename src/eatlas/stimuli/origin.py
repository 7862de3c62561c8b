"""Where the sentences of a test were taken from, so that they can be found again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from eatlas.stimuli.frozen import Frozen


class ContextsOrigin(Frozen):
    """A file of contexts, and what of it was taken.

    Examples
    --------
    >>> str(ContextsOrigin(name="contexts.parquet", sha256="0" * 64, per_term=20))[:30]
    'contexts.parquet, SHA-256 0000'
    """

    name: str
    """Name of the file; empty for contexts that were not loaded from one."""
    sha256: str
    """Hash of all its contexts, whatever their order."""
    per_term: int | None = Field(default=None, ge=1)
    """So many contexts of each stimulus or pair, the first; None for all."""
    window: Annotated[int, Field(ge=0)] | Literal["sentence"] | None = None
    """Words on either side of a stimulus, as they are or were cut; or the whole sentence. None
    where the file does not say."""
    distance: int | None = Field(default=None, ge=0)
    """Most words between the two stimuli of a pair, of pairs."""

    def columns(self) -> dict[str, Any]:
        """Columns of a table: what is known of the window, and of the distance of pairs."""
        found = {"window": self.window, "distance": self.distance}
        return {name: size for name, size in found.items() if size is not None}

    @property
    def size(self) -> str:
        """Such as "window 9, distance 18"; empty where nothing is known."""
        return ", ".join(f"{name} {size}" for name, size in self.columns().items())

    def __str__(self) -> str:
        """Name and hash, for people."""
        return f"{self.name or 'a corpus'}, SHA-256 {self.sha256}"
