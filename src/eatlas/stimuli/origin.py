"""Where the sentences of a test were taken from, so that they can be found again."""

from __future__ import annotations

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

    def __str__(self) -> str:
        """Name and hash, for people."""
        return f"{self.name or 'a corpus'}, SHA-256 {self.sha256}"
