"""What all results say together: a page in brief, a scan, the methods paragraph and references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.present.effects import OFTEN, matched_of, not_beyond, share_by_chance
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import percent
from eatlas.present.rendering import lines
from eatlas.present.sections import Section, distinct, source_of
from eatlas.present.sentences import levels_of_trend, wording
from eatlas.present.targets import leans
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import UNDEFINED, parameters
from eatlas.results.parts import TAILS
from eatlas.results.settings import Settings, source_name

if TYPE_CHECKING:
    from eatlas.present.comparison import Series
    from eatlas.results import TrendResult
    from eatlas.results.scan import ScanResult

TRENDS = 3
"""Series whose trends are reported one by one."""


def in_brief(
    shown: Sequence[Section], family: DeclaredFamily, series: Sequence[Series] = ()
) -> list[str]:
    """Say in sentences what the results of a page show together; nothing for none."""
    if not shown:
        return []
    used, missing = _terms(section.result for section in shown)
    trends = [line for line in series if line.finding]
    maps = [section for section in shown if section.result.pattern is not None]
    labels = Counter(section.result.primary.label for section in maps)
    changed = [
        section
        for section in maps
        if section.result.rule.tail == "directional"
        and section.result.primary.two_sided_label != section.result.primary.label
    ]
    crossed = [
        (section, p)
        for section in shown
        if (tested := section.result.generalisation) and tested.level1
        if (p := tested.level1.p_two_sided) is not None
    ]
    matched = [section for section in shown if matched_of(section.result) is not None]
    often = [
        section
        for section in matched
        if section.result.primary.label != "Non-Directional"
        and (share_by_chance(section.result) or 0.0) >= OFTEN
    ]
    facts: dict[str, object] = {
        "trends": [
            f"{isolated(line.name)} from {line.span}: {line.finding[0].lower()}{line.finding[1:]}"
            for line in trends
        ],
        "ways": [line.way for line in trends] if len(trends) > TRENDS else [],
        "maps": len(maps),
        "labels": labels.most_common(),
        "over_stimuli": sorted({section.result.primary.over_stimuli for section in maps}),
        "found": len(maps) - labels["Non-Directional"] - labels[UNDEFINED],
        "changed": _names(changed),
        "tested": len(crossed),
        "doubtful": _names(section for section, p in crossed if p >= section.result.rule.alpha),
        "matched": bool(matched),
        "seldom": OFTEN,
        "often": _names(often),
        "by_chance": _names(section for section in matched if not_beyond(section.result)),
        "finding": family.finding,
        "used": used,
        "missing": missing,
        "words": wording(section.result for section in shown),
        "lacking": distinct(map(_looked_up, shown)),
        "gaps": any(line.gaps for line in series),
    }
    return lines("brief", **facts)


def _terms(results: Iterable[AssociationResult]) -> tuple[int, int]:
    """Terms that are used and missing; several measures of one test look up the same ones."""
    counts = {(r.test, source_of(r)): r.coverage.counts() for r in results}
    used, missing = zip(*counts.values(), strict=True)
    return sum(used), sum(missing)


def _names(shown: Iterable[Section]) -> list[str]:
    """Tests and, where there are several, their settings: source, layer, year, measure."""
    return [isolated(section.settings.named(section.result)) for section in shown]


def _looked_up(section: Section) -> str:
    """The test and, where there are several, the source and year that lack its terms."""
    result, names = section.result, section.settings.sources
    if not result.coverage.counts()[1]:
        return ""
    parts = [names[result.source] if len(names) > 1 else "", str(result.period or "")]
    setting = ", ".join(filter(None, parts))
    return isolated(f"{result.test} ({setting})" if setting else result.test)


def explain(result: ScanResult) -> tuple[str, ...]:
    """Say what each way of judging all words of a scan together can do, and what it found."""
    return tuple(lines("scan", family=result.family))


YEAR = 2026
"""In which this version of eatlas appears."""
BIB = Path(__file__).parent / "data" / "references.bib"
SOA = {
    "cosine": "the cosine of its vector with the mean vector of the group's words",
    "reduction": "the cosine of its mean vector over contexts with the mean vector of the group's "
    "words",
    "probe": "the number of its contexts that a linear classifier assigns to the group",
    "counts": "a number of a table",
    "softmax": "the share of the group's words in a softmax over the words of all groups of the "
    "model's logit scale times their cosines with the target (Radford et al. 2021)",
}
NORMALIZE = {"sum": "divided by their sum", "softmax": "turned into shares by a softmax"}
DIVERGENCE = {
    "l1": "the L1 distance",
    "tv": "the total variation",
    "l2": "the Euclidean distance",
    "js": "the Jensen-Shannon divergence in nats",
    "kl": "the Kullback-Leibler divergence in nats",
    "hellinger": "the Hellinger distance",
}
"""Parameters of measures of shares, in words."""
_LPBS = {"lpbs", "lpbs-ceat"}
_CITED_BY = {
    "bommasani2022trustworthy": {"divdist"},
    "bolukbasi2016man": {"direct-bias", "indirect-bias"},
    "garg2018word": {"rnd"},
    "an2018semaxis": {"semaxis"},
    "manzini2019black": {"mac"},
    "dev2019attenuating": {"ect"},
    "sweeney2019transparent": {"rnsb"},
    "ethayarajh2019understanding": {"ripa"},
    "wolfe2024mleat": {"ml-eat", "ceat", "zero-shot", *_LPBS},
    "radford2021learning": {"zero-shot"},
    "caliskan2017semantics": {"ml-eat", "weat", "sc-eat"},
    "guo2021detecting": {"ceat", "lpbs-ceat"},
    "kurita2019measuring": _LPBS,
    "husse2022mind": _LPBS,
    "efron1993introduction": {"bootstrap"},
    "brown2001interval": {"counted"},
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
    """Write the methods paragraph of a paper from the results' signatures and provenance."""
    given = list(results)
    if not given:
        return ""
    used, missing = _terms(given)
    levels = [level for trend in trends for _, level in levels_of_trend(trend)]
    found = [one.p for result in given for one in result.effects() if one.p is not None]
    facts: dict[str, object] = {
        "tests": distinct(r.test for r in given),
        "sources": Settings.among(given).in_words(full=True),
        "versions": distinct(r.provenance.version for r in given),
        "seeds": distinct(str(r.provenance.seed) for r in given),
        "signatures": distinct(r.signature for r in given),
        "cited": distinct(cited.rstrip(".") for r in given if (cited := r.provenance.citation)),
        "studentised": list(map(_studentised, given)),
        "over_stimuli": any(r.primary.over_stimuli for r in given),
        "draws": dict.fromkeys(
            (r.measure.upper(), r.draws.count, r.draws.drawn) for r in given if r.draws
        ),
        "margins": dict.fromkeys(
            (stated.sesoi, stated.unit, r.unit) for r in given if (stated := r.equivalence)
        ),
        "p_values": {p.method_of(tail) for p in found for tail in TAILS},
        "intervals": _intervals(given),
        "blocks": distinct(str(level.block_length) for level in levels),
        "used": used,
        "missing": missing,
        "words": wording(given),
        "family": family,
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
            "shares": _shares(some),
            "rules": dict.fromkeys(r.rule for r in some if r.pattern is not None),
        }
        for some in members
    ]
    first = measures[0]["formula"]
    alike = len(measures) > 1 and all(measure["formula"] == first for measure in measures)
    return {"measures": measures, "shared": first if alike else None}


def _studentised(result: AssociationResult) -> bool:
    """Whether a measure relabels the difference of means over its standard error."""
    return parameters(result.signature).get("statistic") == "studentised"


def _shares(given: Sequence[AssociationResult]) -> dict[str, Any] | None:
    """How targets were compared with a reference; None for measures without shares of groups."""
    found = [leans(result) for result in given if result.by_target is not None]
    if not found:
        return None
    options = [parameters(one.result.signature) for one in found]
    return {
        "soa": distinct(SOA.get(str(one.get("soa", "cosine")), "") for one in options),
        "normalize": distinct(NORMALIZE[str(one.get("normalize", "sum"))] for one in options),
        "divergence": distinct(DIVERGENCE[str(one.get("divergence", "l1"))] for one in options),
        "references": distinct(one.reference for one in found),
        "resamples": distinct(
            f"{n:,}" for one in found if (n := one.result.resamples) and not one.counted
        ),
        "counted": distinct(
            f"{n:,}" for one in found if (n := one.result.resamples) and one.counted
        ),
        "relabelled": distinct(one.result.labels.statistic for one in found if one.result.labels),
    }


def _formula(given: Sequence[AssociationResult]) -> dict[str, Any] | None:
    """What associates, and the denominator of d; None for measures without a d."""
    if not any(one.symbol == "d" for result in given for one in result.effects()):
        return None
    options = [parameters(result.signature) for result in given]
    ddof = {one.get("ddof") for one in options}
    numbers = sorted(n for r in given for row in r.sentences or () for n in row)
    ratios = {
        "directions": distinct(r.direction for r in given if r.direction),
        "models": distinct(source_name(r.source) for r in given if r.language_model),
        "templates": distinct(t for r in given for t in r.templates or ()),
        "counts": " to ".join(f"{n:,}" for n in dict.fromkeys(numbers[:1] + numbers[-1:])),
    }
    return {
        "scales": distinct(f"{r.logit_scale:g}" for r in given if r.unit == "share"),
        "projected": any(one.get("association") == "projection" for one in options),
        "ratios": ratios if ratios["models"] else None,
        "denominator": " (N − 1)" if ddof == {1} else " (N)" if ddof == {0} else "",
    }


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


CROSSED_UNITS = {"term": "terms", "stimulus": "stimuli", "cluster": "clusters of words"}
"""What varies in a crossed test, in a sentence."""


def _beside(given: Sequence[AssociationResult]) -> dict[str, object]:
    """What effects were tested on beside permutation: other words, and random words."""
    crossed = [found for r in given if (found := r.generalisation) and _answered(r)]
    units = {CROSSED_UNITS[one.unit] for one in crossed}
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
    """Entries for eatlas, measures, stimuli, the adjustment and the bundled vectors, where used.

    Stimuli bring a citation in words, which the methods paragraph repeats: an entry belongs to it
    whose first author and year it names.
    """
    given = list(results)
    used = {result.measure for result in given}
    methods = {
        "glove-sample": any(one.source_string == "glove-sample" for one in given),
        "bootstrap": any(r.uncertainty or _several(r, "resamples") for r in given),
        "counted": any(one.contexts is not None for r in given for one in r.by_target or ()),
        "holm": any(_several(result, "labels") for result in given),
        "crossed": any(map(_answered, given)),
        "equivalence": any(result.equivalence for result in given),
        "studentised": any(map(_studentised, given)),
        "trend": any(True for trend in trends for _ in levels_of_trend(trend)),
        family.family.method if family.family else "": True,
    }
    used |= {name for name, done in methods.items() if done}
    cited = _cited_in({result.provenance.citation for result in given})
    entries = [
        entry
        for key, entry in _entries().items()
        if key in cited or _CITED_BY.get(key, set()) & used
    ]
    return "\n\n".join([_software(given), *entries] if given else entries)


def _several(result: AssociationResult, what: str) -> bool:
    """Whether a measure of targets drew resamples, or relabelled words."""
    return result.by_target is not None and bool(getattr(result, what))


def _cited_in(citations: Iterable[str]) -> set[str]:
    """Keys of the works that citations name; one of several of a year by its title too."""
    works = {key: _work(entry) for key, entry in _entries().items()}
    namesakes = Counter((author, year) for author, year, _ in works.values())
    return {
        key
        for citation in citations
        for key, (author, year, title) in works.items()
        if re.search(rf"\b{author}\b[^;()]*\({year}\)", citation)
        and (namesakes[author, year] == 1 or title in citation)
    }


def _work(entry: str) -> tuple[str, str, str]:
    """Surname of the first author, year, and the first words of the title of an entry."""
    author, title, year = (
        re.search(rf"{name} = {{([^,}}$]+)", entry) for name in ("author", "title", "year")
    )
    found = [part[1].split(" and ")[0].strip() if part else "" for part in (author, year, title)]
    return found[0], found[1], found[2]


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
  version = {{{versions}}},
  year = {{{YEAR}}}
}}"""
