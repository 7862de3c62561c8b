"""What findings, titles and methods paragraphs say of themes that a search found before."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from eatlas.present.commentary import Commentary
from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult
from eatlas_vocabulary.results.confirming import Confirmation, confirmations

TEMPLATE = "confirming"


class ThemesCommentary(Commentary):
    """Whether results confirm the themes that their tests are made of."""

    @cached_property
    def confirmations(self) -> tuple[Confirmation, ...]:
        """What the results say of their themes."""
        return confirmations(self.results)

    @cached_property
    def _by_id(self) -> dict[int, Confirmation]:
        return {id(confirmation.result): confirmation for confirmation in self.confirmations}

    @property
    def reads_themes(self) -> bool:
        """Whether any result tests its theme."""
        return any(confirmation.effect for confirmation in self.confirmations)

    def sentence(self, result: AssociationResult, sentence: str) -> str:
        """A sentence behind what the result says of its theme."""
        return phrase(TEMPLATE, "confirmation", self._by_id[id(result)], result, sentence)

    def title(self) -> str:
        """How many themes are confirmed."""
        verdicts = Counter(confirmation.verdict for confirmation in self.confirmations)
        return phrase(TEMPLATE, "of_themes", verdicts)

    def brief(self) -> list[str]:
        """When a theme is confirmed."""
        return [phrase(TEMPLATE, "brief")] if self.reads_themes else []

    def methods(self) -> str:
        """Where themes were found, among how many, and when one counts as confirmed."""
        themes: dict[tuple[str, int], list[Confirmation]] = {}
        for confirmation in self.confirmations:
            found = confirmation.found
            themes.setdefault((found.source, found.themes), []).append(confirmation)
        return phrase(TEMPLATE, "methods", themes)

    def methods_cited(self) -> tuple[str, ...]:
        """Searches for themes, and Holm's procedure if themes were tested."""
        return ("themes", *["holm"] * self.reads_themes)
