"""What all results say together: a page in brief, the methods paragraph and references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.errors import join_names
from eatlas.numbers import percent
from eatlas.present.commentary import commentaries
from eatlas.present.effects import (
    covariates_of,
    topic_baseline,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import findings_of
from eatlas.present.rendering import association_of, lines, little_among
from eatlas.present.sections import Section, distinct, source_of
from eatlas.present.sentences import (
    heading,
    level_statements,
    levels_of_trend,
    sentence,
    wording,
)
from eatlas.present.targets import leans
from eatlas.present.text import isolate
from eatlas.results import AssociationResult
from eatlas.results.effects import parameters
from eatlas.results.levels import draws_of
from eatlas.results.parts import TAILS
from eatlas.results.pooled import source_groups
from eatlas.results.settings import Settings, source_name
from eatlas.stimuli import KINDS
from eatlas.texts import plugin_files, tables

if TYPE_CHECKING:
    from eatlas.present.comparison import Series
    from eatlas.results import TrendResult
    from eatlas.results.finding import Finding

TRENDS = 3
"""Series whose trends are reported one by one."""
YEAR = 2026
"""In which this version of eatlas appears."""
METHODS = Path(__file__).parent / "data" / "methods.toml"
WORKS = METHODS.with_name("references.bib")
CROSSED_UNITS = {"term": "terms", "stimulus": "stimuli"}
"""What varies in a crossed test, in a sentence."""


def in_brief(shown: Sequence[Section], series: Sequence[Series] = ()) -> list[str]:
    """Say in sentences what the results of a page show together; nothing for none."""
    if not shown:
        return []

    def names(chosen: Iterable[Section]) -> list[str]:
        """Tests and, where there are several, their settings: source, layer, year, measure."""
        return distinct(isolate(section.settings.label(section.result)) for section in chosen)

    results = [section.result for section in shown]
    used, missing = _terms(results)
    trends = [line for line in series if line.finding]
    reasons: dict[str, list[Section]] = {}
    for section in shown:
        question = section.finding.questions.get("level1")
        if question is not None and question.verdict == "these words":
            reasons.setdefault(question.reason, []).append(section)
    little: dict[str, list[Section]] = {}
    for section in shown:
        for reason in little_among([section.result]):
            little.setdefault(reason, []).append(section)
    return lines(
        "brief",
        trends=[
            f"{isolate(line.name)} from {line.span}: {line.finding[0].lower()}{line.finding[1:]}"
            for line in trends[:TRENDS]
        ],
        more_trends=len(trends[TRENDS:]),
        reasons={reason: names(of) for reason, of in reasons.items()},
        little={reason: names(of) for reason, of in little.items()},
        sensitive=[
            (names([s])[0], s.finding.sensitive_to) for s in shown if s.finding.sensitive_to
        ],
        used=used,
        missing=missing,
        words=wording(results),
        lacking=distinct(isolate(r.test) for r in results if r.coverage.counts()[1]),
        gaps=any(line.gaps for line in series),
        comments=[line for each in commentaries(results) for line in each.brief()],
    )


def _terms(results: Iterable[AssociationResult]) -> tuple[int, int]:
    """Terms that are used and missing; several measures of one test look up the same ones."""
    counts = {(r.test, source_of(r)): r.coverage.counts() for r in results}
    used, missing = zip(*counts.values(), strict=True)
    return sum(used), sum(missing)


def results_section(
    results: Iterable[AssociationResult], trends: Iterable[TrendResult] = ()
) -> str:
    """Write what each result and trend shows, a paragraph each, with the numbers behind it.

    Findings are adjusted over the tests of each setting, as in the report.
    """
    every = list(results)
    settings = Settings.from_results(every)
    paragraphs = [
        f"{settings.label(result)}: {sentence(result, finding)}"
        for result, finding in zip(every, findings_of(every), strict=True)
    ]
    for trend in trends:
        said = (" ".join(statement) for statement in level_statements(trend))
        paragraphs.append(f"{heading(trend, settings)}. {' '.join(said)}")
    return "\n\n".join(paragraphs)


def methods_paragraph(
    results: Iterable[AssociationResult],
    family: DeclaredFamily | None = None,
    trends: Iterable[TrendResult] = (),
    findings: Sequence[Finding] | None = None,
) -> str:
    """Write the methods paragraph of a paper from the results' signatures and provenance.

    `findings` has the findings of the results if they are known.
    """
    every = list(results)
    if not every:
        return ""
    used, missing = _terms(every)
    measures: list[dict[str, Any]] = []
    for measure in distinct(result.measure for result in every):
        members = [result for result in every if result.measure == measure]
        rules = dict.fromkeys(r.rule for r in members if r.pattern is not None)
        formula, shares = _formula(members), _shares(members)
        measures.append(
            {"name": members[0].full_name, "formula": formula, "shares": shares, "rules": rules}
        )
    formula = measures[0]["formula"]
    shared = len(measures) > 1 and all(measure["formula"] == formula for measure in measures)
    crossed = [r.generalisation for r in every if r.generalisation and _has_crossed_test(r)]
    p_values = [e.p for r in every for e in r.effects() if e.p is not None]
    resampled = [r.uncertainty for r in every if r.uncertainty is not None]
    comments = commentaries(every)
    text = lines(
        "methods",
        tests=distinct(r.test for r in every if r.kind in KINDS),
        languages=distinct(r.provenance.language for r in every if r.provenance.language),
        sources=Settings.from_results(every).in_words(full=True),
        versions=distinct(r.provenance.version for r in every),
        pools=_pools(every),
        seeds=distinct(str(r.provenance.seed) for r in every),
        signatures=distinct(r.signature for r in every),
        cited=_works_of(distinct(r.provenance.citation for r in every)),
        measures=measures,
        shared=formula if shared else None,
        studentised=[parameters(r.signature).get("statistic") == "studentised" for r in every],
        read_over={r.read_over for r in every},
        draws=dict.fromkeys(
            (r.measure.upper(), d.count, d.drawn) for r in every if (d := draws_of(r))
        ),
        p_values={p.method_of(tail) for p in p_values for tail in TAILS},
        intervals={
            of: distinct(f"{each.resamples:,}" for each in resampled if each.confidence == of)
            for of in dict.fromkeys(each.confidence for each in resampled)
        },
        on_data=[comment.methods_of_data() for comment in comments],
        crossed=distinct(percent(known.confidence) for known in crossed),
        crossed_units=sorted({CROSSED_UNITS[known.unit] for known in crossed}, reverse=True),
        after=_after([result for result in every if result.by_target is None]),
        matched=any(map(topic_baseline, every)),
        pooled=max(map(len, source_groups(every)), default=0),
        runs=all(result.run_of for result in every),
        blocks=distinct(str(lv.block_length) for t in trends for _, lv in levels_of_trend(t)),
        slopes_over=distinct(
            join_names(lv.slope.over) for t in trends for _, lv in levels_of_trend(t)
        ),
        used=used,
        missing=missing,
        words=wording(every),
        family=family,
        comments=[comment.methods() for comment in comments],
        questions=_have_questions(findings or findings_of(every)),
        bootstrapped=any(
            e.interval and e.resampled and e.interval == e.resampled.interval
            for r in every
            for e in r.effects()
        ),
        joined_words=distinct(f"{r.units.threshold:g}".lstrip("0") for r in every if r.units),
    )
    return " ".join(text)


def _have_questions(findings: Iterable[Finding]) -> bool:
    """Whether a finding answers the question on X against Y."""
    return any("level1" in finding.questions for finding in findings)


_ROLE = re.compile(r"^[A-Za-z]+( and attributes| lists| groups)?: ")
_BY = re.compile(r"^(as|word for word as) (used|printed|combined) by ")
_WORK = re.compile(r"\(\d{4}\)")


def _works_of(citations: Iterable[str]) -> list[str]:
    """Each work that stimuli come from, once, then those that used or printed them.

    "Names: A (2004); attributes: B (1998); as used by C (2017)" names three; a citation that does
    not name a work in each of its parts stays whole.
    """
    works, users = [], []
    for citation in filter(None, citations):
        parts = [_ROLE.sub("", part) for part in citation.rstrip(".").split("; ")]
        if not all(map(_WORK.search, parts)):
            parts = [citation.rstrip(".")]
        works += [part for part in parts if not _BY.match(part)]
        users += [part for part in parts if _BY.match(part)]
    return distinct([*works, *users])


def _after(results: Sequence[AssociationResult]) -> dict[str, Any]:
    """Covariates that are accounted for, files of them, and the orders behind p-values."""
    names = covariates_of(results)
    p_values = [e.after.p for r in results for e in r.effects() if e.after and e.after.p]
    of_shares = [r.adjusted.permutations for r in results if r.adjusted and r.adjusted.permutations]
    drawn = distinct(
        f"{n:,}"
        for n in (*(p.permutations.greater for p in p_values if p.permutations), *of_shares)
    )
    orders = ["all orders"] * any(p.method_of("greater") == "exact" for p in p_values)
    files = [origin.file for r in results if (origin := r.provenance.covariates) and origin.file]
    ranked = (known.ranks for r in results if (known := r.frequency) and known.ranks)
    return {
        "names": names,
        "files": distinct(files),
        "ranked": distinct(source_name(ranks.vocabulary) for ranks in ranked) or ["the source"],
        "crossed": any(p.method_of("greater") == "student" for p in p_values),
        "permuted": bool(of_shares) or any(p.method_of("greater") != "student" for p in p_values),
        "orders": orders + [f"{number} random orders" for number in drawn],
    }


def _has_crossed_test(result: AssociationResult) -> bool:
    """Whether any level was tested on other words."""
    tested = result.generalisation
    return tested is not None and (tested.level1 is not None or tested.level2 is not None)


def _pools(results: Iterable[AssociationResult]) -> list[str]:
    """How vectors of tokens became a vector of a text, of encoders for which that is known."""
    words = tables(METHODS)["pool"]
    encodings = (r.encoding for r in results if r.encoding and r.encoding.level == "sentence")
    return distinct(words[encoding.pool] for encoding in encodings if encoding.pool in words)


def _shares(results: Sequence[AssociationResult]) -> dict[str, Any] | None:
    """How targets were compared with a reference; None for measures without shares of groups."""
    shown = [leans(result) for result in results if result.by_target is not None]
    if not shown:
        return None
    options = [parameters(each.result.signature) for each in shown]
    words = tables(METHODS)
    chosen = {
        name: distinct(words[name].get(str(option.get(name, usual)), "") for option in options)
        for name, usual in (("soa", "cosine"), ("normalize", "sum"), ("divergence", "l1"))
    }
    resamples = [(f"{n:,}", each.counted) for each in shown if (n := each.result.resamples)]
    return chosen | {
        "references": distinct(each.reference for each in shown),
        "resamples": distinct(n for n, counted in resamples if not counted),
        "counted": distinct(n for n, counted in resamples if counted),
        "relabelled": distinct(e.result.labels.statistic for e in shown if e.result.labels),
        "after": _after([each.result for each in shown]),
    }


def _formula(results: Sequence[AssociationResult]) -> dict[str, Any] | None:
    """What associates, and the denominator of d; None for measures without a d."""
    if not any(effect.symbol == "d" for result in results for effect in result.effects()):
        return None
    options = [parameters(result.signature) for result in results]
    ddof = {option.get("ddof") for option in options}
    return {
        "association": association_of(results),
        "projected": any(option.get("association") == "projection" for option in options),
        "denominator": " (N − 1)" if ddof == {1} else " (N)" if ddof == {0} else "",
    }


def bibtex(
    results: Iterable[AssociationResult],
    family: DeclaredFamily,
    trends: Iterable[TrendResult] = (),
    findings: Sequence[Finding] | None = None,
) -> str:
    """Entries for eatlas, measures, stimuli, the adjustment and the bundled vectors, where used.

    Stimuli bring a citation in words, which the methods paragraph repeats: an entry belongs to it
    whose first author and year it names, and of several of a year also the title. `findings` has
    their findings if they are known.
    """
    every = list(results)
    of_targets: list[Any] = [result for result in every if result.by_target is not None]
    questions = _have_questions(findings or findings_of(every))
    methods = {
        "glove-sample": any(r.source_string == "glove-sample" for r in every),
        "bootstrap": any(r.uncertainty for r in every) or any(r.resamples for r in of_targets),
        "random-topics": any(topic_baseline(r) is not None for r in every),
        "counted": any(t.contexts is not None for r in every for t in r.by_target or ()),
        "questions": questions and any(map(_has_crossed_test, every)),
        "holm": questions
        or any(r.labels for r in of_targets)
        or any(t.p is not None for r in every if r.kind == "groups" for t in r.values or ()),
        "crossed": any(map(_has_crossed_test, every)),
        "pooled": any(map(_has_crossed_test, every)) and bool(source_groups(every)),
        "adjusted": any(r.adjusted for r in every),
        **dict.fromkeys(("residuals", "residuals-by-error"), _after(every)["permuted"]),
        "studentised": any(
            parameters(r.signature).get("statistic") == "studentised" for r in every
        ),
        "trend": any(map(levels_of_trend, trends)),
        family.family.method if family.family else "": True,
    }
    used = {r.measure for r in every} | {name for name, done in methods.items() if done}
    used |= {name for comment in commentaries(every) for name in comment.methods_cited()}
    versions = distinct(r.provenance.version for r in every)
    return bibliography(used, {r.provenance.citation for r in every}, versions)


def bibliography(used: Set[str], citations: Set[str], versions: Sequence[str]) -> str:
    """Entries of the works behind methods by their names, and of those that citations name."""
    entries, works_of = _entries(), tables(METHODS)["cited"]
    wanted = {key for name in used for key in works_of.get(name, ())}
    works = {key: _work(entry) for key, entry in entries.items()}
    namesakes = Counter((author, year) for author, year, _ in works.values())
    shown = [SOFTWARE % ", ".join(versions)] if versions else []
    for key, (author, year, title) in works.items():
        named = [c for c in citations if re.search(rf"\b{author}\b[^;()]*\({year}\)", c)]
        if namesakes[author, year] > 1:
            named = [citation for citation in named if title in citation]
        if named or key in wanted:
            shown.append(entries[key])
    return "\n\n".join(shown)


SOFTWARE = f"""\
@software{{eatlas,
  author = {{{{The eatlas developers}}}},
  title = {{eatlas: embedding association tests you can trust, explain and publish}},
  version = {{%s}},
  year = {{{YEAR}}}
}}"""


def _work(entry: str) -> tuple[str, str, str]:
    """Surname of the first author, year, and the first words of the title of an entry."""
    author, year, title = (
        match[1].strip() if (match := re.search(rf"{name} = {{([^,}}$]+)", entry)) else ""
        for name in ("author", "year", "title")
    )
    return author.split(" and ")[0].strip(), year, title


@cache
def _entries() -> dict[str, str]:
    """BibTeX entries by key, in the order of the file; then those of other packages."""
    entries: dict[str, str] = {}
    for file in (WORKS, *(file for _, file in plugin_files(WORKS))):
        for entry in file.read_text(encoding="utf-8").strip().split("\n\n"):
            entries.setdefault(re.split("[{,]", entry, maxsplit=2)[1], entry)
    return entries
