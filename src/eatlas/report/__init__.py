"""What results say to a reader: EAT-Maps, sentences, and one self-contained HTML page."""

from __future__ import annotations

from eatlas.errors import ResultsError
from eatlas.report.eat_map import EATMap
from eatlas.report.page import report_html, write_report
from eatlas.report.sentences import sentence
from eatlas.results import AssociationResult, MLEATResult

__all__ = ["EATMap", "plot", "report_html", "sentence", "write_report"]


def plot(result: AssociationResult) -> EATMap:
    """Draw the EAT-Map of one ML-EAT; a notebook shows it, ``.save("map.svg")`` writes it.

    Parameters
    ----------
    result : MLEATResult

    Raises
    ------
    ResultsError
        If the result is of another measure, or there are several.

    Examples
    --------
    >>> import eatlas
    >>> eatlas.plot(eatlas.run(tests="weat-6")[0]).label
    'BY-Singular'
    """
    if isinstance(result, MLEATResult):
        return EATMap.of(result)
    if isinstance(result, AssociationResult):
        raise ResultsError(
            "an EAT-Map shows the level 2 of an ML-EAT",
            got=f"the result of {result.signature} for {result.test}",
            allowed="a result of the measure ml-eat",
            remedy='measure the test by ML-EAT: eatlas.run(tests=..., measures="ml-eat")',
        )
    raise ResultsError(
        "an EAT-Map is drawn from one result",
        got=type(result).__name__,
        allowed="an MLEATResult",
        remedy="take one of several: eatlas.plot(results[0])",
    )
