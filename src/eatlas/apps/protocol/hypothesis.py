"""Hypothesis validity: what a measure says of amplification by a model, and of debiasing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import eatlas
from eatlas.apps.protocol.evidence import Mark, Table
from eatlas.apps.protocol.material import (
    CHANGES,
    Answers,
    Fields,
    Material,
    NotRunError,
    change_figure,
    change_row,
    drawing,
    mark,
    table,
    tried_each,
)
from eatlas.apps.protocol.numbers import (
    BUILT_IN,
    Family,
    Leanings,
    Numbers,
    families,
    leanings,
    paired,
    terms_of,
)
from eatlas.engine import open_as
from eatlas.errors import SignatureError
from eatlas.measures import DivDist, Measure
from eatlas.sources import Counts, open_counts
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
AMPLIFIED = (
    "Above 0 the later stage is more biased: text, representations, generated text. Bias is the "
    "divergence from the reference, whatever its direction.",
    "A bias of counts is never below 0, and larger the fewer contexts there are. Two texts are "
    "compared at equal numbers of contexts: of each target the larger number is drawn down to the "
    f"smaller, {DRAWS} times, and its bias is the mean. Means and changes are those; the biases of "
    "single targets are at all contexts that each text has.",
    "Counts and cosines become shares in different ways: cosines of one target with all groups are "
    "much alike, so that its shares are near each other. A difference of bias between text and "
    "vectors is one of scale too, and of the number of contexts.",
)
MITIGATED = (
    "Bias is the size of a target's number, whatever its direction. A transform that uses the "
    "words of the measure's own groups can lower a measure by construction, so a fall alone is no "
    "evidence of anything else."
)


class Stage(NamedTuple):
    """Where associations are measured: a text, what a model learned from it, what it generates."""

    kind: str
    name: str
    of: Leanings
    contexts: Mapping[str, Array] | None = None
    """Of each group, by target; None of vectors."""


class Change(NamedTuple):
    """The bias of two stages, over the targets of both."""

    before: Stage
    after: Stage
    by_target: Mapping[str, float]
    """Bias after less bias before."""
    mean: PairedChange


def amplification(material: Material) -> Answers:
    """The bias of a text against that of what a model learned from it, and of what it generates."""
    counts = material.require("counts", "of the text that a model learned from, by eatlas text")
    if not (material.representations or material.files.get("generated")):
        raise NotRunError(
            "Neither --representations, which learned from the text of --counts, nor --generated, "
            "counts of what the model generates, has a value."
        )
    counting = _of_counts(material.measure)
    for family in families(material, counts[:1], "table of counts"):
        called = f"{counts[0].name}, {'/'.join(family.groups)}"
        yield called, partial(_amplified, material, family, counting)


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


def _amplified(material: Material, family: Family, counting: DivDist) -> Fields:
    """Every later stage against every earlier one, over the targets that both have."""
    text = family.tables[0]
    terms = family.known(text, terms_of([text]))
    test = family.of_targets(terms)

    def of_text(kind: str, counts: Counts) -> Stage:
        numbers = leanings(material, test, counts, counts.name, counting)
        return Stage(kind, Path(counts.name).name, numbers, _contexts(counts, family, terms))

    stages = [of_text("text", text)]
    if material.measure.needs.source == "vectors" and material.representations:
        for name, source in open_as(material.representations, "vectors"):
            called = name or source.name
            numbers = leanings(material, test, source, called)
            stages.append(Stage("representations", Path(called).name, numbers))
    for path in material.files.get("generated", ()):
        stages += [of_text("generated text", counts) for counts in open_counts(str(path))]
    if len(stages) < 2:
        raise NotRunError(
            "The measure takes counts only, and --generated has no value. Use a measure of "
            "vectors, such as divdist, for --representations."
        )

    def bias(counts: Array) -> Array:
        shares = distribution(counts, counting.normalize, counting.negative)
        return divergence(shares, np.array(test.weights), counting.divergence)

    changes = [
        _change(before, after, bias, material.seed)
        for before, after in combinations(stages, 2)
        if before.kind != after.kind
    ]
    figures = []
    for before, after, _, mean in changes:
        name = f"{after.kind} {after.name} less {before.kind} {before.name}"
        figures.append(change_figure(name, mean, OF))
    drawings = []
    for before, after, by_target, _ in changes[:1]:
        most = sorted(sorted(by_target, key=lambda term: -abs(by_target[term]))[:SHOWN])
        title = f"Change of bias, {after.kind} less {before.kind}"
        marks = [Mark(label=term, value=by_target[term]) for term in most]
        drawings.append(drawing(title, "change of bias; above 0 it grew", marks))
    return {
        "figures": figures,
        "tables": [*_tables(family.groups[0], terms, stages, changes)],
        "drawings": drawings,
        "remarks": AMPLIFIED,
    }


def _contexts(counts: Counts, family: Family, terms: Sequence[str]) -> dict[str, Array]:
    """Contexts of each target and group."""
    names = [group.casefold() for group in family.groups]
    rows = {
        term: np.array([row[name] for name in names])
        for term in terms
        if (row := counts.counts(term)) and set(names) <= row.keys()
    }
    for term, numbers in rows.items():
        if (numbers != np.round(numbers)).any() or numbers.sum() >= MOST_CONTEXTS:
            raise NotRunError(
                f"The counts of {term} in {Path(counts.name).name} are not numbers of contexts: "
                f"whole, and less than {MOST_CONTEXTS:,} together. Texts are compared at equal "
                "numbers of contexts."
            )
    return rows


def _change(before: Stage, after: Stage, bias: Callable[[Array], Array], seed: int) -> Change:
    """Compare two stages; two texts at equal numbers of contexts."""
    terms, x, y = paired(before.of.values, after.of.values)
    rng = np.random.default_rng(seed)
    if terms and before.contexts is not None and after.contexts is not None:
        first, second = (
            np.array([counts[term] for term in terms])
            for counts in (before.contexts, after.contexts)
        )
        x, y = at_equal_contexts(first, second, bias, rng)
    by_target = dict(zip(terms, (y - x).tolist(), strict=True))
    return Change(before, after, by_target, paired_change(x, y, rng=rng))


def at_equal_contexts(
    first: Array, second: Array, bias: Callable[[Array], Array], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Biases of the targets of two texts, in as many contexts of each target as the smaller has."""
    sizes = np.minimum(first.sum(axis=1), second.sum(axis=1))
    x, y = (bias(rarefied(counts, sizes, DRAWS, rng)).mean(axis=0) for counts in (first, second))
    return x, y


def _tables(
    group: str, terms: Sequence[str], stages: Sequence[Stage], changes: Sequence[Change]
) -> Iterator[Table]:
    """Mean changes, the bias of each target, and of two groups its lean to the first."""
    rows = [(of.after.name, of.before.name, *change_row(of.mean)) for of in changes]
    yield table(BEFORE_AND_AFTER, ("after", "before", *CHANGES), rows)

    def by_target(title: str, columns: Sequence[Numbers]) -> Table:
        names = ("target", *(f"{stage.kind}: {stage.name}" for stage in stages))
        return table(title, names, [(t, *(column.get(t) for column in columns)) for t in terms])

    yield by_target("Bias of each target", [stage.of.values for stage in stages])
    leans = [stage.of.towards_first for stage in stages]
    if directed := [of for of in leans if of is not None]:
        yield by_target(f"Lean of each target to {group}", directed)
    texts = {f"{of.kind}: {of.name}": of.contexts for of in stages if of.contexts is not None}
    totals = [
        (term, *(int(of[term].sum()) if term in of else 0 for of in texts.values()))
        for term in terms
    ]
    yield table("Contexts of each target", ("target", *texts), totals)


def mitigation(material: Material) -> Answers:
    """The measure before and after each debiasing transform, on each source of vectors."""
    if material.measure.needs.source != "vectors":
        raise NotRunError(f"{material.measure.name} takes no vectors, which debiasing transforms.")
    return material.on_each_source(_mitigated)


def _mitigated(material: Material, name: str, source: Any) -> Fields:
    """The mean change by each transform on one source, of each family of groups."""
    transforms = {
        f"{method}:{test.id.rpartition('-')[2]}": test
        for test in load_tests(list(BUILT_IN))
        if isinstance(test, GroupsTest)
        for method in METHODS
    }
    changes, reasons = tried_each(
        "Not run",
        lambda transform: _debiased(material, transforms[transform], name, source, transform),
        transforms,
    )
    if not changes:
        raise NotRunError(" ".join(reasons))
    figures = {label: change_figure(label, change, OF) for label, change in changes.items()}
    rows = [(label, *change_row(change)) for label, change in changes.items()]
    axis, title = "change of bias; below 0 it fell", "Mean change of bias by each transform"
    marks = (mark(label, change) for label, change in figures.items())
    return {
        "figures": [*figures.values()],
        "tables": [table(BEFORE_AND_AFTER, ("transform", *CHANGES), rows)],
        "drawings": [drawing(title, axis, marks)],
        "remarks": [*reasons, MITIGATED],
    }


def _debiased(
    material: Material, test: GroupsTest, name: str, source: Any, transform: str
) -> PairedChange:
    """The change of the targets of one test by one transform."""
    before = leanings(material, test, source, name)
    called = f"{name}?transform={transform}"
    after = leanings(material, test, eatlas.transformed(source, transform), called)
    if before.sizes is None or after.sizes is None:
        raise NotRunError("No number of the measure says that a target leans to no group.")
    _, x, y = paired(before.sizes, after.sizes)
    return paired_change(x, y, rng=np.random.default_rng(material.seed))
