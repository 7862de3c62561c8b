"""Numbers of words that may differ between groups: norms such as valence, concreteness, length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eatlas.sources.coverage import CaseRule, spellings


@dataclass(frozen=True)
class WordCovariates:
    """Covariates by word."""

    names: tuple[str, ...]
    values: Mapping[str, tuple[float, ...]]
    """By word as it is written, one number for each name; NaN where it is missing."""
    file: str = ""
    """Where they come from; empty of what was handed over in Python."""
    sha256: str = ""
    """Of the words and their numbers."""

    def of(self, word: str, case: CaseRule) -> tuple[float, ...] | None:
        """The covariates of a word, in the first spelling that is listed."""
        return next((self.values[key] for key in spellings(word, case) if key in self.values), None)
