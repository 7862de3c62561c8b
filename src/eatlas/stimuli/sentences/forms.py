"""Article and plural of a term; inflect is asked only for words that are not shipped."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from eatlas.errors import StimulusError, StimulusWarning
from eatlas.stimuli.faults import quoted


@dataclass(frozen=True)
class Forms:
    """The forms of a term that templates ask for.

    Examples
    --------
    >>> Forms("an hour", "hours").singular
    'hour'
    """

    one: str
    """The singular with its indefinite article."""
    plural: str

    @property
    def singular(self) -> str:
        """The singular alone."""
        return self.one.split(" ", 1)[1]


def forms_of(terms: Iterable[str]) -> dict[str, Forms]:
    """Ask inflect for the article and the plural of singular terms.

    Raises
    ------
    StimulusError
        If inflect is not installed.

    Warns
    -----
    StimulusWarning
        If terms look like plurals: their article would be wrong.
    """
    terms = list(dict.fromkeys(terms))
    if not terms:
        return {}
    try:
        import inflect  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise StimulusError(
            f"articles and plurals of {quoted(terms[:5])} are not known",
            remedy="pip install 'eatlas[sentences]', or give the forms of each word in a file of "
            'templates: [words], then person = [["nurse", "a nurse", "nurses"]]',
        ) from error
    engine = inflect.engine()
    if plural := [term for term in terms if engine.singular_noun(term) not in {False, term}]:
        warnings.warn(
            f"taken for singulars, but they may be plurals: {quoted(plural)}; give the forms of "
            'those that are in a file of templates, as in thing = [["ants", "an ant", "ants"]]',
            StimulusWarning,
            stacklevel=2,
        )
    return {term: Forms(engine.a(term), engine.plural_noun(term)) for term in terms}
