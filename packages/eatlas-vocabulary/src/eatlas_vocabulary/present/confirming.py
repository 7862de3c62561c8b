"""What findings, titles and methods paragraphs say of themes that a search found before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eatlas.present.commentary import Commentary
from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult
from eatlas_vocabulary.results.confirming import Confirmation, confirmations

TEMPLATE = "confirming"


class ThemesCommentary(Commentary):
    """Whether results confirm the themes that their tests are made of."""

    def __init__(self, results: Sequence[AssociationResult]) -> None:
        super().__init__(results)
        self.confirmations = confirmations(results)
        self._by_id = {id(confirmation.result): confirmation for confirmation in self.confirmations}
        self.tested = any(confirmation.effect for confirmation in self.confirmations)

    def sentence(self, result: AssociationResult, sentence: str) -> str:
        """A sentence behind what the result says of its theme."""
        return phrase(TEMPLATE, "confirmation", self._by_id[id(result)], result, sentence)

    def title(self) -> str:
        """How many themes are confirmed."""
        verdicts = Counter(confirmation.verdict for confirmation in self.confirmations)
        return phrase(TEMPLATE, "of_themes", verdicts)

    def brief(self) -> list[str]:
        """When a theme is confirmed."""
        return [phrase(TEMPLATE, "brief")] if self.tested else []

    def methods(self) -> str:
        """Where themes were found, among how many, and when one counts as confirmed."""
        themes: dict[tuple[str, int], list[Confirmation]] = {}
        for confirmation in self.confirmations:
            found = confirmation.found
            themes.setdefault((found.source, found.themes), []).append(confirmation)
        return phrase(TEMPLATE, "methods", themes)

    def methods_cited(self) -> tuple[str, ...]:
        """Searches for themes, and Holm's procedure if themes were tested."""
        return ("themes", *["holm"] * self.tested)
