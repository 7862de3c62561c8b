"""What a paper needs: the methods paragraph, from what was really done, and BibTeX entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eatlas.errors import SignatureError
from eatlas.present.effects import Rule, over_stimuli
from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import matched_of
from eatlas.present.numbers import count, level_of, number_of, percent
from eatlas.present.sections import distinct, named_sources, source_of
from eatlas.present.sentences import levels_of_trend
from eatlas.present.trust import has_crossed, methods_sentences
from eatlas.present.wording import wording
from eatlas.results import (
    AssociationResult,
    DrawnResult,
    LogRatioResult,
    SCEATResult,
    ThreeLevelResult,
    TrendResult,
    WEATResult,
)
from eatlas.results.parts import TAILS, Level
from eatlas.signature import Signature

NAMED = 12
"""Tests and sources that the paragraph names."""
_MEASURES = {
    "ml-eat": "the Multilevel Embedding Association Test (ML-EAT; Wolfe, Hiniker and Howe 2024), "
    "which compares two groups of target terms with two groups of attribute terms at three levels",
    "ceat": "the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021) at the "
    "three levels of the ML-EAT (Wolfe, Hiniker and Howe 2024)",
    "weat": "the Word Embedding Association Test (WEAT; Caliskan, Bryson and Narayanan 2017)",
    "lpbs": "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019), "
    "at the three levels of the ML-EAT and over attributes",
    "lpbs-ceat": "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov "
    "2019) within the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021), as "
    "Husse and Spitz (2022) merge them, at the three levels of the ML-EAT and over attributes",
    "sc-eat": "the Single-Category Embedding Association Test (SC-EAT; Caliskan, Bryson and "
    "Narayanan 2017) for each target term",
}
_METHODS = {
    "exact": "exact, every relabelling counted",
    "inversion": "found by Fourier inversion of the permutation distribution with a stated "
    "relative error",
    "bracket": "enclosed by rigorous bounds",
    "sampled": "estimated from random relabellings",
    "importance": "estimated from random relabellings by importance sampling",
    "normal": "approximated by a normal distribution",
}
_OVER = {
    "both": "target and attribute terms",
    "targets": "target terms",
    "attributes": "attribute terms",
}
_BOOTSTRAP_T = "bootstrap-t, on Fisher's scale,"
_KINDS = {"both": "bootstrap percentile", "targets": _BOOTSTRAP_T, "attributes": _BOOTSTRAP_T}
"""Which of its intervals a record reports, by what was resampled."""
_ADJUSTED = {
    "holm": "Holm's (1979) method",
    "bh": "the method of Benjamini and Hochberg (1995)",
    "by": "the method of Benjamini and Yekutieli (2001)",
}


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
    yield from _over_stimuli(given)
    yield from _intervals(given)
    yield from methods_sentences(given)
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
    members = {
        measure: [r for r in given if r.measure == measure]
        for measure in distinct(r.measure for r in given)
    }
    formulas = {measure: _formula(measure, some) for measure, some in members.items()}
    shared = distinct(formulas.values()) if len(members) > 1 else []
    for measure, some in members.items():
        yield f"We used {_MEASURES.get(measure, measure.upper())}."
        if len(shared) != 1 and formulas[measure]:
            yield formulas[measure]
        yield from _rules(some)
    if len(shared) == 1 and shared[0]:
        yield shared[0]


def _formula(measure: str, given: Sequence[AssociationResult]) -> str:
    if measure not in _MEASURES:
        return ""
    parameters = [_parameters(r.signature) for r in given]
    projected = any(p.get("association") == "projection" for p in parameters)
    closeness = "projection on one direction" if projected else "cosine similarity"
    if any(isinstance(r, LogRatioResult) for r in given):
        closeness = _log_ratio(given)
    return (
        f"Association is {closeness}; effect sizes d are differences of means divided by "
        f"{_sd(parameters)}."
    )


def _draws(given: Sequence[AssociationResult]) -> Iterator[str]:
    """How contexts were drawn."""
    known = [r for r in given if isinstance(r, DrawnResult)]
    for name, number, what in dict.fromkeys(
        (r.measure.upper(), r.draws.count, r.drawn) for r in known
    ):
        yield (
            f"Effect sizes of the {name} are means over {number_of(number, 'draw')} of {what}, "
            "and its p-values those of these means."
        )


def _log_ratio(given: Sequence[AssociationResult]) -> str:
    """The direction of an LPBS and its model."""
    known = [r for r in given if isinstance(r, LogRatioResult)]
    directions = " or ".join(distinct(r.direction for r in known))
    models = " and ".join(distinct(r.language_model.architecture for r in known))
    templates = "; ".join(distinct(t for r in known for t in r.templates))
    counts = [n for r in known for row in r.sentences or () for n in row]
    where = [f"made of templates ({templates})"] if templates else []
    if counts:
        numbers = f"{min(counts):,} to {max(counts):,}" if min(counts) < max(counts) else counts[0]
        where.append(f"of a corpus that hold both ({numbers} of each pair)")
    return (
        f"the log-probability ratio of {directions} by {models}, in nats, in sentences "
        f"{' or '.join(where)}"
    )


def _rules(given: Sequence[AssociationResult]) -> Iterator[str]:
    rules = distinct(_rule(r) for r in given if isinstance(r, ThreeLevelResult))
    if rules:
        yield (
            "A target group counts as associated with an attribute where "
            f"{' or, where so declared, '.join(rules)}."
        )


def _sd(parameters: Sequence[dict[str, Any]]) -> str:
    ddof = {p.get("ddof") for p in parameters}
    denominator = " (N − 1)" if ddof == {1} else " (N)" if ddof == {0} else ""
    return f"the standard deviation of all values together{denominator}"


def _rule(result: ThreeLevelResult) -> str:
    rule = result.pattern
    tail = (
        "two-sided"
        if rule.tail == "two-sided"
        else "in the direction of d, as in the published tables"
    )
    return f"|d| > {rule.threshold:g} and p < {level_of(rule.alpha)} {tail}"


def _p_values(given: Sequence[AssociationResult]) -> Iterator[str]:
    found = [level for result in given for level in _levels(result)]
    methods = distinct(level.p.method_of(tail) for level in found for tail in TAILS)
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


def _levels(result: AssociationResult) -> list[Level]:
    if isinstance(result, ThreeLevelResult):
        over = [result.over_attributes] if isinstance(result, LogRatioResult) else []
        read = result.primary
        levels = [read.level1, read.group("X"), read.group("Y"), *over]
        return [level for level in levels if level is not None]
    if isinstance(result, WEATResult):
        return [] if result.primary.level1 is None else [result.primary.level1]
    return (
        [entry.level2 for entry in result.primary_terms] if isinstance(result, SCEATResult) else []
    )


def _over_stimuli(given: Sequence[AssociationResult]) -> Iterator[str]:
    """What is done with the sentences of one stimulus."""
    if any(over_stimuli(result) for result in given):
        yield (
            "In tests of sentences the associations of the sentences of one stimulus are averaged "
            "first, and the labels of stimuli are permuted, since sentences of one stimulus are "
            "not independent."
        )


def _intervals(given: Sequence[AssociationResult]) -> Iterator[str]:
    known = [u for r in given if (u := getattr(r, "uncertainty", None)) is not None]
    seeds = ", ".join(distinct(str(r.provenance.seed) for r in given))
    for sure, over in dict.fromkeys((u.confidence, u.over) for u in known):
        those = [u for u in known if (u.confidence, u.over) == (sure, over)]
        least, most = (f(u.resamples for u in those) for f in (min, max))
        many = count(most) if least == most else f"{count(least)} to {count(most)}"
        whole = " Words that a test names as one cluster were drawn together." * any(
            u.unit == "cluster" for u in those
        )
        yield (
            f"Intervals ({percent(sure)}) are {_KINDS[over]} intervals (Efron and Tibshirani 1993) "
            f"from {many} resamples of the {_OVER[over]} within their groups (seed {seeds}).{whole}"
        )


def _frequency(given: Sequence[AssociationResult]) -> Iterator[str]:
    known = [(r, matched) for r in given if (matched := matched_of(r)) is not None]
    seeds = ", ".join(distinct(str(r.provenance.seed) for r in given))
    for draws, near in dict.fromkeys((matched.draws, matched.near) for _, matched in known):
        some = any(matched.patterns is not None for _, matched in known)
        patterns = ", and the EAT pattern," if some else ""
        yield (
            f"To tell association from frequency, each effect size{patterns} was compared with "
            f"those of {count(draws)} lists of random words, each word drawn from the "
            f"{2 * near} whose frequency ranks are nearest to that of the word it stands for "
            f"(p-values (b + 1) / (B + 1), Davison and Hinkley 1997; seed {seeds})."
        )


def _trends(trends: Sequence[TrendResult]) -> Iterator[str]:
    levels = [level for trend in trends for _, level in levels_of_trend(trend)]
    if not levels:
        return
    lengths = " or ".join(distinct(str(level.block_length) for level in levels))
    yield (
        "Trends over the periods are Spearman's rank correlations of the effect size with the "
        f"year; their two-sided p-values come from permuting blocks of {lengths} neighbouring "
        "periods (Carlstein 1986)."
    )


def _stimuli(given: Sequence[AssociationResult]) -> Iterator[str]:
    counts = {(r.test, source_of(r)): r.coverage.counts() for r in given}
    missing = sum(m for _, m in counts.values())
    cited = distinct(r.provenance.citation for r in given if r.provenance.citation)
    if cited and len(cited) <= NAMED:
        yield f"Stimuli: {'; '.join(text.rstrip('.') for text in cited)}."
    if missing:
        words = wording(given)
        total = missing + sum(used for used, _ in counts.values())
        yield f"{count(missing)} of {number_of(total, 'term')} {words.lacking} and were left out."


def _parameters(signature: str) -> dict[str, Any]:
    try:
        return dict(Signature.parse(signature).params)
    except SignatureError:  # of another package's measure
        return {}


def _list(names: Sequence[str]) -> str:
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {count(len(names) - NAMED)} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_ML_EAT = """\
@misc{wolfe2024mleat,
  author = {Wolfe, Robert and Hiniker, Alexis and Howe, Bill},
  title = {{ML-EAT}: A Multilevel Embedding Association Test for Interpretable and Transparent
    Social Science},
  year = {2024},
  eprint = {2408.01966},
  archivePrefix = {arXiv}
}"""
_CALISKAN = """\
@article{caliskan2017semantics,
  author = {Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind},
  title = {Semantics derived automatically from language corpora contain human-like biases},
  journal = {Science},
  volume = {356},
  number = {6334},
  pages = {183--186},
  year = {2017}
}"""
_CEAT = """\
@inproceedings{guo2021detecting,
  author = {Guo, Wei and Caliskan, Aylin},
  title = {Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a
    Distribution of Human-like Biases},
  booktitle = {Proceedings of the 2021 AAAI/ACM Conference on AI, Ethics, and Society},
  pages = {122--133},
  year = {2021}
}"""
_LPBS = """\
@inproceedings{kurita2019measuring,
  author = {Kurita, Keita and Vyas, Nidhi and Pareek, Ayush and Black, Alan W. and Tsvetkov, Yulia},
  title = {Measuring Bias in Contextualized Word Representations},
  booktitle = {Proceedings of the First Workshop on Gender Bias in Natural Language Processing},
  pages = {166--172},
  year = {2019}
}"""
_BIAS_METHODS = """\
@inproceedings{husse2022mind,
  author = {Husse, Silke and Spitz, Andreas},
  title = {Mind Your Bias: A Critical Review of Bias Detection Methods for Contextual Language
    Models},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2022},
  year = {2022}
}"""
_BOOTSTRAP = """\
@book{efron1993introduction,
  author = {Efron, Bradley and Tibshirani, Robert J.},
  title = {An Introduction to the Bootstrap},
  publisher = {Chapman \\& Hall},
  address = {New York},
  year = {1993}
}"""
_GLOVE = """\
@inproceedings{pennington2014glove,
  author = {Pennington, Jeffrey and Socher, Richard and Manning, Christopher D.},
  title = {{GloVe}: Global Vectors for Word Representation},
  booktitle = {Proceedings of EMNLP 2014},
  pages = {1532--1543},
  year = {2014}
}"""
_BLOCKS = """\
@article{carlstein1986use,
  author = {Carlstein, Edward},
  title = {The Use of Subseries Values for Estimating the Variance of a General Statistic from a
    Stationary Sequence},
  journal = {The Annals of Statistics},
  volume = {14},
  number = {3},
  pages = {1171--1179},
  year = {1986}
}"""
_CROSSED = """\
@article{clark1973language,
  author = {Clark, Herbert H.},
  title = {The Language-as-Fixed-Effect Fallacy: A Critique of Language Statistics in Psychological
    Research},
  journal = {Journal of Verbal Learning and Verbal Behavior},
  volume = {12},
  number = {4},
  pages = {335--359},
  year = {1973}
}"""
_EQUIVALENCE = """\
@article{schuirmann1987comparison,
  author = {Schuirmann, Donald J.},
  title = {A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing
    the Equivalence of Average Bioavailability},
  journal = {Journal of Pharmacokinetics and Biopharmaceutics},
  volume = {15},
  number = {6},
  pages = {657--680},
  year = {1987}
}"""
_STUDENTISED = """\
@article{janssen1997studentized,
  author = {Janssen, Arnold},
  title = {Studentized Permutation Tests for Non-i.i.d. Hypotheses and the Generalized
    {Behrens-Fisher} Problem},
  journal = {Statistics \\& Probability Letters},
  volume = {36},
  number = {1},
  pages = {9--21},
  year = {1997}
}

@article{chung2013exact,
  author = {Chung, EunYi and Romano, Joseph P.},
  title = {Exact and Asymptotically Robust Permutation Tests},
  journal = {The Annals of Statistics},
  volume = {41},
  number = {2},
  pages = {484--507},
  year = {2013}
}"""
_ADJUSTMENTS = {
    "holm": """\
@article{holm1979simple,
  author = {Holm, Sture},
  title = {A Simple Sequentially Rejective Multiple Test Procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979}
}""",
    "bh": """\
@article{benjamini1995controlling,
  author = {Benjamini, Yoav and Hochberg, Yosef},
  title = {Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple
    Testing},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume = {57},
  number = {1},
  pages = {289--300},
  year = {1995}
}""",
    "by": """\
@article{benjamini2001control,
  author = {Benjamini, Yoav and Yekutieli, Daniel},
  title = {The Control of the False Discovery Rate in Multiple Testing under Dependency},
  journal = {The Annals of Statistics},
  volume = {29},
  number = {4},
  pages = {1165--1188},
  year = {2001}
}""",
}
_SAMPLE = "glove-sample"


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
    measures = {result.measure for result in given}
    resampled = any(getattr(result, "uncertainty", None) is not None for result in given)
    wanted = [
        (bool(given), _software(result.provenance.version for result in given)),
        (bool(measures & {"ml-eat", "ceat", "lpbs", "lpbs-ceat"}), _ML_EAT),
        (bool(measures & {"ml-eat", "weat", "sc-eat"}), _CALISKAN),
        (bool(measures & {"ceat", "lpbs-ceat"}), _CEAT),
        (bool(measures & {"lpbs", "lpbs-ceat"}), _LPBS),
        (bool(measures & {"lpbs", "lpbs-ceat"}), _BIAS_METHODS),
        (resampled, _BOOTSTRAP),
        (any(map(has_crossed, given)), _CROSSED),
        (any(getattr(result, "equivalence", None) for result in given), _EQUIVALENCE),
        (any(map(Rule.studentised, given)), _STUDENTISED),
        (any(result.source == _SAMPLE for result in given), _GLOVE),
        (any(True for trend in trends for _ in levels_of_trend(trend)), _BLOCKS),
    ]
    if family.family is not None:
        wanted.append((True, _ADJUSTMENTS[family.family.method]))
    return "\n\n".join(entry for used, entry in wanted if used)


def _software(versions: Iterable[str]) -> str:
    return f"""\
@software{{eatlas,
  author = {{{{The eatlas developers}}}},
  title = {{eatlas: embedding association tests you can trust, explain and publish}},
  version = {{{", ".join(dict.fromkeys(versions))}}}
}}"""
