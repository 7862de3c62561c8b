"""Charts of results: ``prepare`` makes a tidy frame, ``draw`` makes an altair chart of it.

One module for each kind of chart, such as :mod:`eat_map` and :mod:`forest`; :mod:`choices` has
those of prompts and of weights, :mod:`steps` those by layer, window and distance, :mod:`targets`
those against groups. They share :mod:`frames`, :mod:`marks`, :mod:`maps` and :mod:`wording`;
:mod:`backend` makes, shows and saves a :mod:`chart`, and :mod:`printing` has its size on paper.
Frames need pandas alone; charts need the extra ``plots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from eatlas.errors import ResultsError, did_you_mean
from eatlas.present.charts.backend import save
from eatlas.present.charts.frames import listed
from eatlas.present.charts.theme import CONFIG
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.targets import leans
from eatlas.results import AssociationResult, ThreeLevelResult, is_result

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart

__all__ = ["CONFIG", "KINDS", "plot", "save"]

Kind = Literal[
    "eat-map", "forest", "compact", "level3", "stability", "draws", "influence", "timeline",
    "prompts", "layers", "levels", "weights", "windows", "distances", "targets", "ternary",
    "strip", "plane",
    "null", "cosines", "matrix", "specification", "scatter-matrix", "legend",
]  # fmt: skip
_OTHERS: dict[str, tuple[str, ...]] = {
    "prompts": ("choices", "prompt"), "levels": ("choices", "level"),
    "weights": ("choices", "weights"), "layers": ("steps", "layer"),
    "windows": ("steps", "window"), "distances": ("steps", "distance"),
    "targets": ("targets", "bars"), "ternary": ("targets", "ternary"),
    "scatter-matrix": ("scatter",),
}  # fmt: skip
KINDS: dict[str, tuple[str, ...]] = {
    kind: _OTHERS.get(kind, (kind.replace("-", "_"),)) for kind in get_args(Kind)
}
"""Kinds of charts, the modules that prepare and draw them, and the choice that they take."""


@overload
def plot(results: ThreeLevelResult, kind: None = None) -> EATMap: ...  # type: ignore[overload-overlap]
@overload
def plot(
    results: object = None, kind: Kind | None = None, *, width: str | float | None = None
) -> Chart: ...
def plot(
    results: object = None, kind: str | None = None, *, width: str | float | None = None
) -> EATMap | Chart:
    """Draw results.

    Without a kind, one ML-EAT is drawn as its EAT-Map, by hand and without further packages, one
    DivDist as its targets, and several results as a forest. With a kind, the answer is an altair
    chart, which needs ``pip install 'eatlas[plots]'``. Notebooks show both; both have
    ``.save(path)``: the EAT-Map as .svg, charts as .svg, .pdf, .png, or .html that needs no
    network.

    Parameters
    ----------
    results : result or iterable of results
    kind : str, optional
        - ``"eat-map"``: EAT-Maps beside each other; ML-EAT.
        - ``"forest"``: level 1 and level 2 effect sizes with intervals, tests and sources
          together; every measure, those of other packages too.
        - ``"compact"``: the forest with one row for each result, and no numbers.
        - ``"level3"``: spread of the cosines; ML-EAT.
        - ``"plane"``: the map of the words, each target at its mean cosines with both
          attributes; ML-EAT, LPBS and LPBS-CEAT. Two results of one test are one map of arrows.
          Of DivDist the same as ``"ternary"`` or, of other than three groups, ``"strip"``.
        - ``"null"``: what chance alone would show, with the observed effect size of level 1;
          every measure with scores of its targets.
        - ``"cosines"``: the cosine of each pair of words; ML-EAT, LPBS and LPBS-CEAT.
        - ``"matrix"``: tests by settings, with small EAT-Maps and forests, and what differs; what
          :meth:`eatlas.Results.compare` returns, or results in several settings.
        - ``"stability"``: share of resamples that show each EAT pattern; ML-EAT.
        - ``"draws"``: cloud of the level 2 effect sizes of draws of contexts; CEAT, LPBS-CEAT.
        - ``"influence"``: which terms drive the associations; one ML-EAT or WEAT.
        - ``"timeline"``: effect sizes by year; ML-EAT, WEAT and the others with effect
          sizes of level 1, each with a period.
        - ``"prompts"``, ``"layers"``, ``"levels"``, ``"weights"``: effect sizes of one model that
          was encoded in several ways; ML-EAT, WEAT and the others with effect sizes of level 1.
        - ``"windows"``, ``"distances"``: effect sizes by the window of contexts, and by the
          distance of pairs; the same measures.
        - ``"targets"``: leans of targets to social groups, with intervals; DivDist.
        - ``"ternary"``: shares of three groups in a triangle; DivDist.
        - ``"strip"``: shares of any number of groups, a strip for each; DivDist.
        - ``"specification"``: effect sizes of a study in order, the choices behind each below;
          what :func:`eatlas.multiverse` returns.
        - ``"scatter-matrix"``: effect sizes of every two alternatives of a choice against each
          other, over the tests of a study; the same, or its analysis.
        - ``"legend"``: all nine EAT patterns; also without results.
    width : {"single", "double"} or float, optional
        Width in print: one column of a journal (89 mm), two (183 mm), or millimetres. Letters have
        7 points at this size. Of a chart, so a kind is needed for a single ML-EAT.

    Raises
    ------
    ResultsError
        If there is no such kind, it cannot show these results, or does not fit into the width.
    EatlasError
        If a chart is requested and altair is not installed.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests=["weat-6", "weat-8"])
    >>> eatlas.plot(results[0]).label
    'BY-Singular'
    >>> eatlas.plot(results, kind="level3").description.split(".")[0]
    'Cosines of 8 pairs of groups'
    """
    if kind is None:
        if is_result(results) and results.pattern is not None and width is None:
            return EATMap.of(results)
        of_targets = is_result(results) and results.by_target is not None
        if not of_targets:
            _require_several(results)
        kind = "targets" if of_targets else "forest"
    if kind not in KINDS:
        raise ResultsError(
            f"there is no such kind of chart{did_you_mean(str(kind), KINDS)}",
            got=repr(kind),
            allowed=", ".join(KINDS),
        )
    if kind == "plane":
        results = listed(results, kind)
        kind = _of_groups(results) or kind
    name, *by = KINDS[kind]
    module: Any = import_module(f"eatlas.present.charts.{name}")
    rows = module.prepare(results, *by)
    if width is None:
        drawn: Chart = module.draw(rows, *by)
        return drawn
    from eatlas.present.charts.printing import drawn_for_print  # noqa: PLC0415  (seldom needed)

    return drawn_for_print(lambda: module.draw(rows, *by), width)


def _of_groups(found: Sequence[AssociationResult]) -> str | None:
    """The kind that is the map of the words of results of tests of k groups."""
    if not all(result.by_target is not None for result in found):
        return None
    three = all(len(leans(result).groups) == 3 for result in found)
    return "ternary" if three else "strip"


def _require_several(results: object) -> None:
    """Refuse a single result that has no EAT-Map, and what is no result at all."""
    (first, *others) = listed(results, "forest")
    if results is first and not others:
        kinds = '"forest" or "influence"' if "influence" in type(first).model_fields else '"forest"'
        raise ResultsError(
            "an EAT-Map shows the level 2 of an ML-EAT",
            got=f"the result of {first.signature} for {first.test}",
            allowed=f"a result of the measure ml-eat, or kind={kinds}",
            remedy='measure the test by ML-EAT: eatlas.run(tests=..., measures="ml-eat")',
        )
