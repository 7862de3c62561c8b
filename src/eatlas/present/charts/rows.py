"""Rows of tidy frames: what each kind of chart takes of one result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.drawings.eat_map import PATTERNS, EATMap
from eatlas.present.drawings.plane import points_of, require_pairs
from eatlas.present.targets import leans
from eatlas.results import AssociationResult
from eatlas.results.levels import CELLS
from eatlas.results.parts import at
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Rows = Iterator[dict[str, Any]]
QUANTILES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")
DRAWN, BINS, SEED = 20_000, 41, 0
"""Relabellings of a null distribution; bars of it, an odd number so that one is at zero."""


def effects(result: AssociationResult) -> Rows:
    """A row of each effect size."""
    names = {role: result.concepts.get(role) for role in ROLES}
    for effect in result.effects():
        low, high = effect.interval or (None, None)
        yield names | {
            "level": level_of(effect.title), "role": "".join(effect.roles),
            "name": " and ".join(effect.names), "term": effect.term is not None,
            "effect_size": effect.d, "low": low, "high": high,
            "confidence": None if low is None else effect.confidence,
            **dict(zip(("p", "p_low"), effect.p_of(), strict=True)), "alpha": effect.rule.alpha,
            "tail": effect.rule.tail, "significant": effect.significant,
            "read_over": effect.read_over,
        }  # fmt: skip


def level_of(title: str) -> str:
    """The level of an effect size in the middle of a sentence."""
    level = title.partition(",")[0]
    return level if level.isupper() else level.lower()


def influences(result: AssociationResult) -> Rows:
    """A row of each term for each effect size of levels 1 and 2, ranked in each."""
    names = {role: result.concepts.name(role) for role in ROLES}
    for found in result.effects():
        d, influence = found.d, found.influence
        changes = [
            (role, term, None if d is None else change)
            for role in ROLES if influence
            for term, change in zip(result.scored(role), influence.group(role), strict=False)
        ]  # fmt: skip
        order = sorted(range(len(changes)), key=lambda i: -abs(changes[i][2] or 0.0))
        ranks = {place: rank for rank, place in enumerate(order, start=1)}
        for place, (role, term, change) in enumerate(changes):
            yield names | {
                "level": level_of(found.title), "role": found.roles,
                "name": " and ".join(found.names), "term": term, "term_role": role,
                "effect_size": d, "without": None if change is None else (d or 0.0) + change,
                "change": change, "drives": (d or 0.0) * (change or 0.0) < 0,
                "rank": ranks[place],
            }  # fmt: skip


def cells(result: AssociationResult) -> Rows:
    """A row of each of the four cells of an EAT-Map."""
    shown = EATMap.of(result)
    for role, attribute_role in product(TARGETS, ATTRIBUTES):
        column = getattr(shown, role)
        held = "associated" if column.attribute == attribute_role else "not associated"
        yield {
            "pattern": shown.label, "two_sided_pattern": shown.two_sided_label,
            "cell": role + attribute_role, "role": role, "attribute_role": attribute_role,
            "target": column.name, "attribute": getattr(shown, attribute_role),
            "state": "undefined" if column.undefined else held,
            "text": column.texts[ATTRIBUTES.index(attribute_role)],
            "effect_size": column.effect_size, "p": column.p, "p_low": column.p_low,
            "alpha": shown.rule.alpha, "tail": shown.rule.tail, "significant": column.significant,
        }  # fmt: skip


def patterns(result: AssociationResult) -> Rows:
    """A row of each EAT pattern, with the share of resamples that show it."""
    read, drawn = result.primary, result.primary.uncertainty
    for pattern in PATTERNS:
        yield {
            "pattern": pattern, "share": drawn and drawn.share(pattern),
            "observed": pattern == read.label, "resamples": drawn and drawn.resamples,
            "over": drawn and drawn.over,
        }  # fmt: skip


def spreads(result: AssociationResult) -> Rows:
    """Rows of the four cells of level 3: statistics, then the cosines that were kept."""
    used = {role: result.paired(role) for role in ROLES}
    for name in CELLS if result.level3 else ():
        cell, target, attribute = at(result, f"level3.{name}"), name[0], name[1]
        head = {
            "cell": name, "target": result.concepts.name(target), "n": cell.n,
            "attribute": result.concepts.name(attribute), "unit": result.unit,
            "scale": result.scale,
        }  # fmt: skip
        quantiles = zip(QUANTILES, cell.quantiles, strict=True)
        for statistic, value in (("mean", cell.mean), ("sd", cell.sd), *quantiles):
            yield {**head, "statistic": statistic, "value": value}
        below = 0 if target == "X" else len(used["X"])
        right = 0 if attribute == "A" else len(used["A"])
        similarities = result.similarities or ()
        for row, term in zip(similarities[below:], used[target], strict=False):
            for value, attribute_term in zip(row[right:], used[attribute], strict=False):
                pair = {"target_term": term, "attribute_term": attribute_term}
                yield {**head, **pair, "statistic": result.unit, "value": value}


def points(result: AssociationResult) -> Rows:
    """Rows of the words of X, those of Y, and the means of both."""
    for point in points_of(result):
        yield {
            "role": point.role, "target": result.concepts.name(point.role),
            "term": point.term or None, "A": result.concepts.A, "B": result.concepts.B,
            "with_A": point.a, "with_B": point.b, "unit": result.unit, "scale": result.scale,
        }  # fmt: skip


def pairs(result: AssociationResult) -> Rows:
    """A row of each pair of words, with the places of both in the order of their associations."""
    targets, attributes = (
        [(role, term) for role in roles for term in result.paired(role)]
        for roles in (TARGETS, ATTRIBUTES)
    )
    require_pairs(result)
    block = np.array(result.similarities, dtype=np.float64)
    down, right = _order(targets, block, attributes), _order(attributes, block.T, targets)
    for (i, (target_role, target)), (j, (attribute_role, attribute)) in product(
        enumerate(targets), enumerate(attributes)
    ):
        yield {
            "target_role": target_role, "target": result.concepts.name(target_role),
            "target_term": target, "attribute_role": attribute_role,
            "attribute": result.concepts.name(attribute_role), "attribute_term": attribute,
            "value": float(block[i, j]), "unit": result.unit, "row": down[i], "column": right[j],
        }  # fmt: skip


Words = list[tuple[str, str]]


def _order(words: Words, block: np.ndarray[Any, np.dtype[np.float64]], others: Words) -> list[int]:
    """Place of each word: group by group, from the nearest to the first of the other groups."""
    of_first = np.array([role == others[0][0] for role, _ in others])
    leans = block[:, of_first].mean(axis=1) - block[:, ~of_first].mean(axis=1)
    order = sorted(range(len(words)), key=lambda i: (words[i][0], -leans[i]))
    return [int(place) for place in np.argsort(order)]


def relabellings(result: AssociationResult) -> Rows:
    """Bars of the effect sizes of random relabellings."""
    level, scores = result.primary.level1, result.primary.scores
    values = np.array([*scores.X, *scores.Y])
    if level is None or not level.difference or not level.effect_size or len(values) < 2:
        raise ResultsError(
            f"the result of {result.test} has no distribution of its level 1",
            got="no scores of single words" if not len(values) else "no difference, or no spread",
            allowed="results with the scores of their targets and an effect size other than 0",
        )
    n, d, unit = len(scores.X), level.effect_size, level.effect_size / level.difference
    rng = np.random.default_rng(SEED)
    order = rng.permuted(np.tile(values, (DRAWN, 1)), axis=1)
    found = (order[:, :n].mean(axis=1) - order[:, n:].mean(axis=1)) * unit
    reach = max(abs(d), float(np.abs(found).max())) * (1 + 1e-9)
    counts, ends = (one.tolist() for one in np.histogram(found, BINS, range=(-reach, reach)))
    for count, low, high in zip(counts, ends[:-1], ends[1:], strict=True):
        yield {
            "X": result.concepts.X, "Y": result.concepts.Y, "low": low, "high": high,
            "count": count, "share": count / DRAWN, "d": d, "drawn": DRAWN,
            "beyond": abs(low + high) / 2 >= abs(d), "p_two_sided": level.p.two_sided,
            "alpha": result.rule.alpha,
        }  # fmt: skip


def draws(result: AssociationResult) -> Rows:
    """Rows of the kept draws of contexts, of their mean, and of the shares of patterns."""
    rule, made = result.pattern, result.draws
    if rule is None or made is None:
        return
    tail = "two-sided" if rule.tail == "two-sided" else "in the direction of d"
    common = {role: result.concepts.name(role) for role in ROLES} | {
        "draws": made.count, "threshold": rule.threshold,
        "rule": f"|d| > {rule.threshold:g} and p < {rule.alpha:g} {tail}",
    }  # fmt: skip
    known = len(made.labels_of_kept) == len(made.kept)
    labels = made.labels_of_kept if known else (None,) * len(made.kept)
    for (_, x, y), label in zip(made.kept, labels, strict=True):
        yield common | {"what": "draw", "d_X": x, "d_Y": y, "pattern": label}
    means = {f"d_{role}": at(result, f"level2.{role}").effect_size for role in TARGETS}
    yield common | {"what": "mean", **means, "pattern": rule.label}
    for pattern, share in made.patterns.items():
        yield common | {"what": "pattern", "pattern": pattern, "share": share}


def shares(result: AssociationResult) -> Rows:
    """A row of each target and group: share, reference, deviation, interval and p-value."""
    found = leans(result)
    for rank, one in enumerate(found.rows, start=1):
        shown = one.shown
        for j, group in enumerate(found.groups):
            ends = one.intervals[j]
            low, high = (None, None) if ends is None else (ends[0] / 100, ends[1] / 100)
            yield {
                "term": one.term, "rank": rank, "bias": shown.bias, "group": group,
                "share": shown.distribution and shown.distribution[j],
                "reference": one.reference and one.reference[j],
                "deviation": shown.deviation and shown.deviation[j], "low": low, "high": high,
                "confidence": found.result.confidence, "p": shown.labels and shown.labels.p,
                "p_holm": one.adjusted,
            }  # fmt: skip
