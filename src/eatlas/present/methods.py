"""What a paper needs: the methods paragraph, from what was really done, and BibTeX entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import matched_of
from eatlas.present.numbers import count, level_of, number_of, percent, some_of
from eatlas.present.sections import distinct, named_sources, source_of
from eatlas.present.sentences import levels_of_trend, wording
from eatlas.results import AssociationResult, TrendResult
from eatlas.results.effects import Rule, parameters
from eatlas.results.parts import TAILS

NAMED = 12
"""Tests and sources that the paragraph names."""
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
_BOOTSTRAP_T = "bootstrap-t, on Fisher's scale,"
_RESAMPLED = {
    "both": ("bootstrap percentile", "target and attribute terms"),
    "targets": (_BOOTSTRAP_T, "target terms"),
    "attributes": (_BOOTSTRAP_T, "attribute terms"),
}
"""Which of its intervals a record reports, and of what, by what was resampled."""
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
    return " ".join(_sentences(given, family, list(trends)))


def _sentences(
    given: list[AssociationResult], family: DeclaredFamily | None, trends: list[TrendResult]
) -> Iterator[str]:
    tests, sources = distinct(r.test for r in given), named_sources(given)
    versions = ", ".join(distinct(r.provenance.version for r in given))
    yield (
        f"We measured {number_of(len(tests), 'association test')} ({_list(tests)}) on "
        f"{_list(sources)} with eatlas {versions}."
    )
    yield from _measures(given)
    yield from _draws(given)
    yield from _p_values(given)
    yield from _studentised(given)
    if any(result.primary.over_stimuli for result in given):
        yield (
            "In tests of sentences the associations of the sentences of one stimulus are averaged "
            "first, and the labels of stimuli are permuted, since sentences of one stimulus are "
            "not independent."
        )
    yield from _intervals(given)
    yield from _crossed(given)
    yield from _equivalence(given)
    yield from _frequency(given)
    if family is not None and family.family is not None:
        taken = "as one family each" if len(family.settings) > 1 else "as one family"
        yield (
            f"The two-sided p-values of {family.what} were taken {taken} and adjusted by "
            f"{_ADJUSTED[family.family.method]}."
        )
    yield from _trends(trends)
    yield from _stimuli(given)
    signatures = distinct(r.signature for r in given)
    yield f"{'Signature' if len(signatures) == 1 else 'Signatures'}: {'; '.join(signatures)}."


def _measures(given: Sequence[AssociationResult]) -> Iterator[str]:
    """What was used; what all measures share is said once."""
    members = [
        [r for r in given if r.measure == measure] for measure in distinct(r.measure for r in given)
    ]
    formulas = [_formula(some) for some in members]
    shared = distinct(formulas) if len(members) > 1 else []
    for some, formula in zip(members, formulas, strict=True):
        yield f"We used {some[0].full_name}."
        if len(shared) != 1 and formula:
            yield formula
        rules = distinct(_rule(r.rule) for r in some if r.pattern is not None)
        if rules:
            yield (
                "A target group counts as associated with an attribute where "
                f"{' or, where so declared, '.join(rules)}."
            )
    if len(shared) == 1 and shared[0]:
        yield shared[0]


def _formula(given: Sequence[AssociationResult]) -> str:
    """What associates, and the denominator of d; nothing of measures without a d."""
    if not any(one.symbol == "d" for result in given for one in result.effects()):
        return ""
    options = [parameters(result.signature) for result in given]
    projected = any(one.get("association") == "projection" for one in options)
    closeness = "projection on one direction" if projected else "cosine similarity"
    if any(result.direction is not None for result in given):
        closeness = _log_ratio(given)
    ddof = {one.get("ddof") for one in options}
    n = " (N − 1)" if ddof == {1} else " (N)" if ddof == {0} else ""
    return (
        f"Association is {closeness}; effect sizes d are differences of means divided by "
        f"the standard deviation of all values together{n}."
    )


def _log_ratio(given: Sequence[AssociationResult]) -> str:
    """The direction of an LPBS, its model and its sentences."""
    directions = " or ".join(distinct(r.direction for r in given if r.direction))
    models = " and ".join(distinct(m.architecture for r in given if (m := r.language_model)))
    templates = "; ".join(distinct(t for r in given for t in r.templates or ()))
    counts = [n for r in given for row in r.sentences or () for n in row]
    where = [f"made of templates ({templates})"] if templates else []
    if counts:
        numbers = f"{min(counts):,} to {max(counts):,}" if min(counts) < max(counts) else counts[0]
        where.append(f"of a corpus that hold both ({numbers} of each pair)")
    return (
        f"the log-probability ratio of {directions} by {models}, in nats, in sentences "
        f"{' or '.join(where)}"
    )


def _rule(rule: Rule) -> str:
    """When a target counts as associated."""
    directional = "in the direction of d, as in the published tables"
    tail = "two-sided" if rule.tail == "two-sided" else directional
    return f"|d| > {rule.threshold or 0.0:g} and p < {level_of(rule.alpha)} {tail}"


def _draws(given: Sequence[AssociationResult]) -> Iterator[str]:
    """How contexts were drawn."""
    known = [(r.measure.upper(), drawn.count, drawn.drawn) for r in given if (drawn := r.draws)]
    for name, number, what in dict.fromkeys(known):
        yield (
            f"Effect sizes of the {name} are means over {number_of(number, 'draw')} of {what}, "
            "and its p-values those of these means."
        )


def _p_values(given: Sequence[AssociationResult]) -> Iterator[str]:
    """How p-values were found."""
    found = [one.p for result in given for one in result.effects() if one.p is not None]
    methods = distinct(p.method_of(tail) for p in found for tail in TAILS)
    if not methods:
        return
    how = [_METHODS.get(m, m) for m in sorted(methods, key=list(_METHODS).index)]
    if len(how) == 1:
        yield f"p-values are those of a permutation test, {how[0]}."
        return
    yield (
        f"p-values are those of a permutation test: {how[0]} or, where that was not possible, "
        f"{' or '.join(how[1:])}."
    )


def _studentised(given: Sequence[AssociationResult]) -> Iterator[str]:
    """Where the statistic is not the difference of means."""
    some = [Rule.studentised(result) for result in given]
    if any(some):
        where = "" if all(some) else " where the signature says so"
        yield (
            f"The statistic{where} is the difference of means divided by its standard error, "
            "computed anew for each relabelling, which allows for groups that differ in size and "
            "in spread (Janssen 1997; Chung and Romano 2013), on the normal scale of its Welch "
            "degrees of freedom."
        )


def _intervals(given: Sequence[AssociationResult]) -> Iterator[str]:
    """Which intervals there are, from how many resamples of what."""
    known = [r.uncertainty for r in given if r.uncertainty is not None]
    for sure, over in dict.fromkeys((u.confidence, u.over) for u in known):
        those = [u for u in known if (u.confidence, u.over) == (sure, over)]
        least, most = (f(u.resamples for u in those) for f in (min, max))
        many = count(most) if least == most else f"{count(least)} to {count(most)}"
        kind, what = _RESAMPLED[over]
        whole = " Words that a test names as one cluster were drawn together." * any(
            u.unit == "cluster" for u in those
        )
        yield (
            f"Intervals ({percent(sure)}) are {kind} intervals (Efron and Tibshirani 1993) "
            f"from {many} resamples of the {what} within their groups "
            f"(seed {_seeds(given)}).{whole}"
        )


def _crossed(given: Sequence[AssociationResult]) -> Iterator[str]:
    """Whether other words would show it."""
    tested = [found for r in given if (found := r.generalisation) and _answered(r)]
    if tested:
        units = {"stimuli" if one.unit == "stimulus" else "terms" for one in tested}
        what = " or ".join(sorted(units, reverse=True))
        sure = " or ".join(distinct(percent(one.confidence) for one in tested))
        yield (
            f"Whether effects hold for other target and attribute {what} was tested by a quasi-F "
            "with both as crossed random effects (Clark 1973), as a t with unequal variances and "
            f"{sure} intervals."
        )


def _answered(result: AssociationResult) -> bool:
    """Whether any level was tested on other words."""
    found = result.generalisation
    return found is not None and (found.level1 is not None or found.level2 is not None)


def _equivalence(given: Sequence[AssociationResult]) -> Iterator[str]:
    """Whether effects are smaller than what matters."""
    margins = [(stated.sesoi, stated.unit, r.unit) for r in given if (stated := r.equivalence)]
    for sesoi, unit, of in dict.fromkeys(margins):
        margin = f"d = {sesoi:g}" if unit == "d" else f"a difference of {of}s of {sesoi:g}"
        yield (
            f"The smallest effect of interest was {margin}; that effects are smaller was tested by "
            "two one-sided permutation tests (Schuirmann 1987)."
        )


def _frequency(given: Sequence[AssociationResult]) -> Iterator[str]:
    """What random words findings were compared with."""
    known = [matched for r in given if (matched := matched_of(r)) is not None]
    for draws, near in dict.fromkeys((matched.draws, matched.near) for matched in known):
        some = any(matched.patterns is not None for matched in known)
        patterns = ", and the EAT pattern," if some else ""
        yield (
            f"To tell association from frequency, each effect size{patterns} was compared with "
            f"those of {count(draws)} lists of random words, each word drawn from the "
            f"{2 * near} whose frequency ranks are nearest to that of the word it stands for "
            f"(p-values (b + 1) / (B + 1), Davison and Hinkley 1997; seed {_seeds(given)})."
        )


def _trends(trends: Sequence[TrendResult]) -> Iterator[str]:
    """How trends were tested."""
    levels = [level for trend in trends for _, level in levels_of_trend(trend)]
    if levels:
        lengths = " or ".join(distinct(str(level.block_length) for level in levels))
        yield (
            "Trends over the periods are Spearman's rank correlations of the effect size with the "
            f"year; their two-sided p-values come from permuting blocks of {lengths} neighbouring "
            "periods (Carlstein 1986)."
        )


def _stimuli(given: Sequence[AssociationResult]) -> Iterator[str]:
    """Where the stimuli come from, and which are missing."""
    counts = {(r.test, source_of(r)): r.coverage.counts() for r in given}
    used, missing = (sum(column) for column in zip(*counts.values(), strict=True))
    cited = distinct(r.provenance.citation for r in given if r.provenance.citation)
    if cited and len(cited) <= NAMED:
        yield f"Stimuli: {'; '.join(text.rstrip('.') for text in cited)}."
    if missing:
        total = number_of(missing + used, "term")
        yield f"{count(missing)} of {total} {wording(given).lacking} and were left out."


def _seeds(given: Sequence[AssociationResult]) -> str:
    return ", ".join(distinct(str(r.provenance.seed) for r in given))


def _list(names: Sequence[str]) -> str:
    if len(names) > NAMED:
        return some_of(names, NAMED)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
