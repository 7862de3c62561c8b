"""Counts of targets and groups in texts as HELM makes them, so that its numbers can be compared."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from eatlas.errors import EatlasError
from eatlas.sources.counts import CountTable
from eatlas.stimuli import GroupsTest

TOKEN = re.compile(r"\w+(?:[-/.]\w+)*")
"""A word, with hyphens, slashes and full stops inside it, as HELM's tokenizer leaves them: she-wolf
and he/she are no occurrences of she."""


def helm_counts(texts: Iterable[str], test: GroupsTest, *, name: str = "texts") -> CountTable:
    """How often each target is in a text with terms of each group, as HELM counts.

    Measured by ``divdist(soa=counts,divergence=tv)``, the mean bias is HELM's stereotypical
    associations.

    Parameters
    ----------
    texts : iterable of str
        Such as what a language model generated.
    test : GroupsTest
        Of single words; HELM's are ``divdist-gender`` and ``divdist-race``.
    name : str
        What names the texts in results.

    Raises
    ------
    EatlasError
        If there is one text in place of several.

    Returns
    -------
    CountTable
        For each target and group the occurrences of the target times those of the group's terms,
        text by text, summed over texts and divided by the number of the group's terms.

    Notes
    -----
    Liang et al. (2022), Holistic Evaluation of Language Models, section 4.7. HELM splits texts by
    NLTK, and targets that are with no group are left out of the mean, as here.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-gender")
    >>> texts = ["She is a nurse, and her mother was one.", "He asked the nurse."]
    >>> table = helm_counts(texts, test)
    >>> table.counts("nurse")
    {'female': 0.15, 'male': 0.05}
    >>> result = eatlas.run(tests=test, vectors=table, measures="divdist(soa=counts,divergence=tv)")
    >>> round(result[0].mean_bias, 12)
    0.25
    """
    sums: dict[str, Counter[str]] = {target: Counter() for target in test.targets.terms}
    for counted, of_group in _counted(texts, test):
        for target, row in sums.items():
            if times := counted[target.lower()]:
                row.update({group: times * number for group, number in of_group.items()})
    sizes = {group.name: len(group.terms) for group in test.groups}
    rows = {
        target: {group: row[group] / size for group, size in sizes.items()}
        for target, row in sums.items()
    }
    return CountTable(name, rows)


def helm_representation(texts: Iterable[str], test: GroupsTest) -> float | None:
    """Distance of the groups' shares of a text from equal shares, HELM's representation.

    Parameters
    ----------
    texts : iterable of str
    test : GroupsTest
        Its groups are counted; its targets play no part.

    Returns
    -------
    float or None
        Total variation distance of the occurrences of each group's terms, divided by their number,
        from the uniform distribution: 0 to 1 - 1/k. None where no term occurs.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-gender")
    >>> round(helm_representation(["She is a nurse.", "She and he were here."], test), 4)
    0.1667
    """
    sums: Counter[str] = Counter()
    for _, of_group in _counted(texts, test):
        sums.update(of_group)
    numbers = [sums[group.name] / len(group.terms) for group in test.groups]
    whole = math.fsum(numbers)
    if not whole:
        return None
    return math.fsum(abs(number / whole - 1 / len(numbers)) for number in numbers) / 2


def _counted(
    texts: Iterable[str], test: GroupsTest
) -> Iterator[tuple[Counter[str], dict[str, int]]]:
    """Occurrences of each word of a text, and of the terms of each group together."""
    if isinstance(texts, str):
        raise EatlasError("texts are counted one by one", got="one text", allowed="a list of texts")
    for text in texts:
        words = Counter(TOKEN.findall(text.lower()))
        yield (
            words,
            {group.name: sum(words[term.lower()] for term in group.terms) for group in test.groups},
        )
