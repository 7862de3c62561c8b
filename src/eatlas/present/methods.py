"""What a paper needs: the methods paragraph, from what was really done, and BibTeX entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from eatlas.present.effects import matched_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import percent
from eatlas.present.rendering import lines
from eatlas.present.sections import distinct, named_sources, source_of
from eatlas.present.sentences import levels_of_trend, wording
from eatlas.results import AssociationResult, TrendResult
from eatlas.results.effects import Rule, parameters
from eatlas.results.parts import TAILS

BIB = Path(__file__).parent / "data" / "references.bib"
_METHODS = {
    "exact": "exact, every relabelling counted",
    "inversion": "found by Fourier inversion of the permutation distribution with a stated "
    "relative error",
    "bracket": "enclosed by rigorous bounds",
    "sampled": "estimated from random relabellings",
    "importance": "estimated from random relabellings by importance sampling",
    "normal": "approximated by a normal distribution",
}
_ADJUSTED = {
    "holm": "Holm's (1979) method",
    "bh": "the method of Benjamini and Hochberg (1995)",
    "by": "the method of Benjamini and Yekutieli (2001)",
}
_LPBS = {"lpbs", "lpbs-ceat"}
_CITED_BY = {
    "wolfe2024mleat": {"ml-eat", "ceat", *_LPBS},
    "caliskan2017semantics": {"ml-eat", "weat", "sc-eat"},
    "guo2021detecting": {"ceat", "lpbs-ceat"},
    "kurita2019measuring": _LPBS,
    "husse2022mind": _LPBS,
    "efron1993introduction": {"bootstrap"},
    "clark1973language": {"crossed"},
    "schuirmann1987comparison": {"equivalence"},
    "janssen1997studentized": {"studentised"},
    "chung2013exact": {"studentised"},
    "pennington2014glove": {"glove-sample"},
    "carlstein1986use": {"trend"},
    "holm1979simple": {"holm"},
    "benjamini1995controlling": {"bh"},
    "benjamini2001control": {"by"},
}
"""Measures, sources and methods that rest on each work."""


def methods_paragraph(
    results: Iterable[AssociationResult],
    family: DeclaredFamily | None = None,
    trends: Iterable[TrendResult] = (),
) -> str:
    """Write the methods paragraph of a paper from the results' signatures and provenance.

    Parameters
    ----------
    results : Results or iterable of results
    family : DeclaredFamily, optional
        The family over which p-values were adjusted.
    trends : iterable of TrendResult, optional
        Of the results of series.

    Returns
    -------
    str
        One paragraph; empty for no results.

    Examples
    --------
    >>> import eatlas
    >>> methods_paragraph(eatlas.run(tests="weat-6", measures="weat"))[:60]
    'We measured 1 association test (weat-6) on glove-sample with'
    """
    given = list(results)
    if not given:
        return ""
    counts = {(r.test, source_of(r)): r.coverage.counts() for r in given}
    used, missing = (sum(column) for column in zip(*counts.values(), strict=True))
    levels = [level for trend in trends for _, level in levels_of_trend(trend)]
    facts: dict[str, object] = {
        "tests": distinct(r.test for r in given),
        "sources": named_sources(given),
        "versions": distinct(r.provenance.version for r in given),
        "seeds": distinct(str(r.provenance.seed) for r in given),
        "signatures": distinct(r.signature for r in given),
        "cited": distinct(cited.rstrip(".") for r in given if (cited := r.provenance.citation)),
        "studentised": [Rule.studentised(r) for r in given],
        "over_stimuli": any(r.primary.over_stimuli for r in given),
        "draws": dict.fromkeys(
            (r.measure.upper(), r.draws.count, r.draws.drawn) for r in given if r.draws
        ),
        "margins": dict.fromkeys(
            (stated.sesoi, stated.unit, r.unit) for r in given if (stated := r.equivalence)
        ),
        "how": _p_values(given),
        "intervals": _intervals(given),
        "blocks": distinct(str(level.block_length) for level in levels),
        "used": used,
        "missing": missing,
        "words": wording(given),
        "family": family,
        "adjusted": _ADJUSTED,
    }
    return " ".join(lines("methods", **facts, **_measures(given), **_beside(given)))


def _measures(given: Sequence[AssociationResult]) -> dict[str, object]:
    """What was used, and the formula that all measures share, where there are several."""
    members = [
        [r for r in given if r.measure == measure] for measure in distinct(r.measure for r in given)
    ]
    measures = [
        {
            "name": some[0].full_name,
            "formula": _formula(some),
            "rules": dict.fromkeys(r.rule for r in some if r.pattern is not None),
        }
        for some in members
    ]
    first = measures[0]["formula"]
    alike = len(measures) > 1 and all(measure["formula"] == first for measure in measures)
    return {"measures": measures, "shared": first if alike else None}


def _formula(given: Sequence[AssociationResult]) -> dict[str, Any] | None:
    """What associates, and the denominator of d; None for measures without a d."""
    if not any(one.symbol == "d" for result in given for one in result.effects()):
        return None
    options = [parameters(result.signature) for result in given]
    ddof = {one.get("ddof") for one in options}
    numbers = sorted(n for r in given for row in r.sentences or () for n in row)
    ratios = {
        "directions": distinct(r.direction for r in given if r.direction),
        "models": distinct(m.architecture for r in given if (m := r.language_model)),
        "templates": distinct(t for r in given for t in r.templates or ()),
        "counts": " to ".join(f"{n:,}" for n in dict.fromkeys(numbers[:1] + numbers[-1:])),
    }
    return {
        "projected": any(one.get("association") == "projection" for one in options),
        "ratios": ratios if ratios["models"] else None,
        "denominator": " (N − 1)" if ddof == {1} else " (N)" if ddof == {0} else "",
    }


def _p_values(given: Sequence[AssociationResult]) -> list[str]:
    """How p-values were found, the methods in the order of preference."""
    found = [one.p for result in given for one in result.effects() if one.p is not None]
    methods = {p.method_of(tail) for p in found for tail in TAILS}
    return [how for name, how in _METHODS.items() if name in methods]


def _intervals(given: Sequence[AssociationResult]) -> list[dict[str, Any]]:
    """Intervals of each kind, from how many resamples of what."""
    known = [r.uncertainty for r in given if r.uncertainty is not None]
    found = []
    for confidence, over in dict.fromkeys((u.confidence, u.over) for u in known):
        those = [u for u in known if (u.confidence, u.over) == (confidence, over)]
        resamples = [u.resamples for u in those]
        clusters = any(u.unit == "cluster" for u in those)
        found.append(
            {"confidence": confidence, "over": over, "clusters": clusters}
            | {"least": min(resamples), "most": max(resamples)}
        )
    return found


def _beside(given: Sequence[AssociationResult]) -> dict[str, object]:
    """What effects were tested on beside permutation: other words, and random words."""
    crossed = [found for r in given if (found := r.generalisation) and _answered(r)]
    units = {"stimuli" if one.unit == "stimulus" else "terms" for one in crossed}
    matched = [known for r in given if (known := matched_of(r)) is not None]
    return {
        "crossed": distinct(percent(one.confidence) for one in crossed),
        "crossed_units": sorted(units, reverse=True),
        "matched": dict.fromkeys((one.draws, one.near) for one in matched),
        "matched_patterns": any(one.patterns is not None for one in matched),
    }


def _answered(result: AssociationResult) -> bool:
    """Whether any level was tested on other words."""
    found = result.generalisation
    return found is not None and (found.level1 is not None or found.level2 is not None)


def bibtex(
    results: Iterable[AssociationResult],
    family: DeclaredFamily,
    trends: Iterable[TrendResult] = (),
) -> str:
    """Entries for eatlas, the measures, the adjustment and the bundled vectors, where used.

    Stimuli bring a citation in words, which the methods paragraph repeats.

    Parameters
    ----------
    results : iterable of results
    family : DeclaredFamily
    trends : iterable of TrendResult, optional
    """
    given = list(results)
    used = {result.measure for result in given}
    methods = {
        "glove-sample": any(result.source == "glove-sample" for result in given),
        "bootstrap": any(result.uncertainty for result in given),
        "crossed": any(map(_answered, given)),
        "equivalence": any(result.equivalence for result in given),
        "studentised": any(map(Rule.studentised, given)),
        "trend": any(True for trend in trends for _ in levels_of_trend(trend)),
        family.family.method if family.family else "": True,
    }
    used |= {name for name, done in methods.items() if done}
    entries = [entry for key, entry in _entries().items() if _CITED_BY[key] & used]
    return "\n\n".join([_software(given), *entries] if given else entries)


@cache
def _entries() -> dict[str, str]:
    """BibTeX entries by key, in the order of the file."""
    entries = BIB.read_text(encoding="utf-8").strip().split("\n\n")
    return {re.split("[{,]", entry, maxsplit=2)[1]: entry for entry in entries}


def _software(given: Iterable[AssociationResult]) -> str:
    versions = ", ".join(distinct(result.provenance.version for result in given))
    return f"""\
@software{{eatlas,
  author = {{{{The eatlas developers}}}},
  title = {{eatlas: embedding association tests you can trust, explain and publish}},
  version = {{{versions}}}
}}"""
