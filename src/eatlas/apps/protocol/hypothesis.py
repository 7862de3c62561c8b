"""Hypothesis validity: what a measure says of amplification by a model, and of debiasing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.studies import (
    CHANGES,
    Context,
    NotRunError,
    ProtocolStudy,
    change_figure,
    change_row,
    mark,
    tried_each,
)
from eatlas.apps.protocol.target_scores import (
    BUILT_IN,
    Family,
    Leanings,
    families,
    leanings,
    paired,
    sizes_of,
    terms_of,
)
from eatlas.errors import SignatureError
from eatlas.measures import DivDist, Measure
from eatlas.results.evidence import Drawing, Evidence, Mark, Table
from eatlas.sources import open_sources
from eatlas.sources.counts import Counts, open_counts
from eatlas.sources.opening import transformed
from eatlas.stats.paired import PairedChange, paired_change
from eatlas.stats.shares import distribution, divergence, rarefied
from eatlas.stimuli import GroupsTest, load_tests

Array = NDArray[np.float64]

OF = "targets"
METHODS = ("hard-debias", "soft-debias")
"""Transforms of the house that take a family of groups, as in Table 7 of the paper."""
SHOWN = 40
"""Targets of a drawing."""
BEFORE_AND_AFTER = "Mean bias before and after"
DRAWS = 200
"""Of fewer contexts, where two texts are compared."""
MOST_CONTEXTS = 10**9
"""Of a target, below: from more contexts none are drawn."""


class Stage(NamedTuple):
    """Where associations are measured: a text, what a model learned from it, what it generates."""

    kind: str
    name: str
    sizes: Mapping[str, float | None]
    leans: Mapping[str, float | None] | None
    contexts: Mapping[str, Array] | None = None
    """Of each group, by target; None of vectors."""


class Change(NamedTuple):
    """The bias of two stages, over the targets of both."""

    before: Stage
    after: Stage
    terms: Sequence[str]
    differences: Array
    """Of each target, bias after less bias before."""
    found: PairedChange


def amplification(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The bias of a text against that of what a model learned from it, and of what it generates."""
    counts = context.require("counts", "of the text that a model learned from, by eatlas text")
    material = context.material
    if not (material.representations or material.generated):
        raise NotRunError(
            "Neither --representations, which learned from the text of --counts, nor --generated, "
            "counts of what the model generates, has a value."
        )
    counting = _of_counts(context.measure)
    for family in families(context, counts[:1], "table of counts"):
        called = f"{counts[0].name}, {'/'.join(family.groups)}"
        yield study.tried(called, _amplified, context, family, counting, called)


def _of_counts(measure: Measure) -> DivDist:
    """The same measure of counts, whose numbers are in one unit with those of vectors.

    Of DivDist alone, whose biases at fewer contexts are computed here.
    """
    try:
        if not isinstance(measure, DivDist):
            raise SignatureError(f"{measure.name} is not divdist")
        return measure.with_parameters(soa="counts")
    except SignatureError as error:
        raise NotRunError(
            f"The measure {measure.name} takes no counts of a text, so that it has no number of a "
            "text in one unit with that of representations; divdist has."
        ) from error


def _amplified(
    study: ProtocolStudy, context: Context, family: Family, counting: DivDist, called: str
) -> Evidence:
    """Every later stage against every earlier one, over the targets that both have."""
    (text,) = family.tables[:1]
    test = family.of_targets(family.known(text, terms_of([text])))
    found = leanings(context, test, text, text.name, counting)
    stages = [_stage("text", text.name, found, _contexts(text, family, test.targets.terms))]
    if context.measure.needs == "vectors":
        stages += [
            _stage("representations", one.name, leanings(context, _shown(context, test), one, name))
            for name, one in _representations(context)
        ]
    for path in context.material.generated:
        for one in open_counts(str(path)):
            found = leanings(context, test, one, one.name, counting)
            contexts = _contexts(one, family, test.targets.terms)
            stages.append(_stage("generated text", one.name, found, contexts))
    if len(stages) < 2:
        raise NotRunError(
            "The measure takes counts only, and --generated has no value. Use a measure of "
            "vectors, such as divdist, for --representations."
        )

    def bias(counts: Array) -> Array:
        p = distribution(counts, counting.normalize, counting.negative)
        return divergence(p, np.array(test.weights), counting.divergence)

    changes = [
        _change(before, after, bias, context.seed)
        for before, after in combinations(stages, 2)
        if before.kind != after.kind
    ]
    return study.evidence(
        source=called,
        figures=[
            change_figure(
                f"{one.after.kind} {one.after.name} less {one.before.kind} {one.before.name}",
                one.found,
                OF,
            )
            for one in changes
        ],
        tables=[*_tables(family, test.targets.terms, stages, changes)],
        drawings=[_drawing(one) for one in changes[:1]],
        remarks=[
            "Above 0 the later stage is more biased: text, representations, generated text. Bias "
            "is the divergence from the reference, whatever its direction.",
            "A bias of counts is never below 0, and larger the fewer contexts there are. Two texts "
            "are compared at equal numbers of contexts: of each target the larger number is drawn "
            f"down to the smaller, {DRAWS} times, and its bias is the mean. Means and changes are "
            "those; the biases of single targets are at all contexts that each text has.",
            "Counts and cosines become shares in different ways: cosines of one target with all "
            "groups are much alike, so that its shares are near each other. A difference of bias "
            "between text and vectors is one of scale too, and of the number of contexts.",
        ],
    )


def _stage(
    kind: str, name: str, found: Leanings, contexts: Mapping[str, Array] | None = None
) -> Stage:
    return Stage(kind, Path(name).name, found.values, found.towards_first, contexts)


def _contexts(table: Counts, family: Family, terms: Sequence[str]) -> dict[str, Array]:
    """Contexts of each target and group."""
    names = [group.casefold() for group in family.groups]
    rows = {
        term: np.array([row[name] for name in names])
        for term in terms
        if (row := table.counts(term)) and set(names) <= row.keys()
    }
    for term, counts in rows.items():
        if (counts != np.round(counts)).any() or counts.sum() >= MOST_CONTEXTS:
            raise NotRunError(
                f"The counts of {term} in {Path(table.name).name} are not numbers of contexts: "
                f"whole, and less than {MOST_CONTEXTS:,} together. Texts are compared at equal "
                "numbers of contexts."
            )
    return rows


def _representations(context: Context) -> Iterator[tuple[str, Any]]:
    """Opened sources of the model, with their source strings."""
    for given in context.material.representations:
        for one in open_sources(given):
            yield one.name, one


def _shown(context: Context, test: GroupsTest) -> Any:
    """The test with contexts, where the measure takes contexts and some were given."""
    from eatlas.corpora import with_contexts  # noqa: PLC0415  (seldom needed)

    in_context = getattr(context.measure, "soa", None) in {"reduction", "probe"}
    if not in_context or context.material.contexts is None:
        return test
    return with_contexts(test, context.material.contexts)[0]


def _change(before: Stage, after: Stage, bias: Callable[[Array], Array], seed: int) -> Change:
    """Compare two stages; two texts at equal numbers of contexts."""
    terms, x, y = paired(before.sizes, after.sizes)
    rng = np.random.default_rng(seed)
    if terms and before.contexts is not None and after.contexts is not None:
        first, second = (
            np.array([of[term] for term in terms]) for of in (before.contexts, after.contexts)
        )
        x, y = at_equal_contexts(first, second, bias, rng)
    return Change(before, after, terms, y - x, paired_change(x, y, rng=rng))


def at_equal_contexts(
    first: Array, second: Array, bias: Callable[[Array], Array], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Biases of the targets of two texts, in as many contexts of each target as the smaller has."""
    sizes = np.minimum(first.sum(axis=1), second.sum(axis=1))
    x, y = (bias(rarefied(one, sizes, DRAWS, rng)).mean(axis=0) for one in (first, second))
    return x, y


def _tables(
    family: Family, terms: Sequence[str], stages: Sequence[Stage], changes: Sequence[Change]
) -> Iterator[Table]:
    """Mean changes, the bias of each target, and of two groups its lean to the first."""
    rows = [(one.after.name, one.before.name, *change_row(one.found)) for one in changes]
    yield Table(title=BEFORE_AND_AFTER, columns=("after", "before", *CHANGES), rows=rows)
    columns = ("target", *(f"{one.kind}: {one.name}" for one in stages))
    shown: dict[str, list[Mapping[str, float | None] | None]] = {
        "Bias of each target": [one.sizes for one in stages],
        f"Lean of each target to {family.groups[0]}": [one.leans for one in stages],
    }
    for title, values in shown.items():
        known = [one for one in values if one is not None]
        if len(known) == len(values):
            by_term = [(term, *(one.get(term) for one in known)) for term in terms]
            yield Table(title=title, columns=columns, rows=by_term)
    texts = {f"{one.kind}: {one.name}": one.contexts for one in stages if one.contexts is not None}
    totals = [
        (term, *(int(of[term].sum()) if term in of else 0 for of in texts.values()))
        for term in terms
    ]
    yield Table(title="Contexts of each target", columns=("target", *texts), rows=totals)


def _drawing(of: Change) -> Drawing:
    """The targets whose bias changes most."""
    before, after = of.before, of.after
    change = dict(zip(of.terms, of.differences.tolist(), strict=True))
    most = sorted(sorted(of.terms, key=lambda term: -abs(change[term]))[:SHOWN])
    return Drawing(
        title=f"Change of bias, {after.kind} less {before.kind}",
        axis="change of bias; above 0 it grew",
        marks=[Mark(label=term, value=change[term]) for term in most],
    )


def mitigation(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The measure before and after each debiasing transform, on each source of vectors."""
    if context.measure.needs != "vectors":
        raise NotRunError(f"{context.measure.name} takes no vectors, which debiasing transforms.")
    yield from study.of_each_source(context, _mitigated)


def _mitigated(study: ProtocolStudy, context: Context, name: str, source: Any) -> Evidence:
    """The mean change by each transform on one source, of each family of groups."""
    transforms = {
        f"{method}:{test.id.rpartition('-')[2]}": test
        for test in load_tests(list(BUILT_IN))
        if isinstance(test, GroupsTest)
        for method in METHODS
    }
    found, reasons = tried_each(
        "Not run",
        lambda transform: _debiased(context, transforms[transform], name, source, transform),
        transforms,
    )
    if not found:
        raise NotRunError(" ".join(reasons))
    figures = {label: change_figure(label, one, OF) for label, one in found.items()}
    return study.evidence(
        source=name,
        figures=[*figures.values()],
        tables=[
            Table(
                title=BEFORE_AND_AFTER,
                columns=("transform", *CHANGES),
                rows=[(label, *change_row(one)) for label, one in found.items()],
            )
        ],
        drawings=[
            Drawing(
                title="Mean change of bias by each transform",
                axis="change of bias; below 0 it fell",
                marks=[mark(label, one) for label, one in figures.items()],
            )
        ],
        remarks=[
            *reasons,
            "Bias is the size of a target's number, whatever its direction. A transform that uses "
            "the words of the measure's own groups can lower a measure by construction, so a fall "
            "alone is no evidence of anything else.",
        ],
    )


def _debiased(
    context: Context, test: GroupsTest, name: str, source: Any, transform: str
) -> PairedChange:
    """The change of the targets of one test by one transform."""
    before = leanings(context, test, source, name)
    spec = f"{name}?transform={transform}"
    after = leanings(context, test, transformed(source, transform), spec)
    sizes = sizes_of(before), sizes_of(after)
    if sizes[0] is None or sizes[1] is None:
        raise NotRunError("No number of the measure says that a target leans to no group.")
    _, x, y = paired(sizes[0], sizes[1])
    return paired_change(x, y, rng=np.random.default_rng(context.seed))
