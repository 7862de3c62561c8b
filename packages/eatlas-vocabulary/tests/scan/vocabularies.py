"""A small vocabulary with two attribute groups, and what a scan of it must find, by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from statsmodels.stats.multitest import multipletests

from eatlas import ArraySource, Concept


def concepts(a=4, b=4):
    return (
        Concept(name="Good", terms=tuple(f"a{i}" for i in range(a))),
        Concept(name="Bad", terms=tuple(f"b{i}" for i in range(b))),
    )


def vocabulary(many=40, a=4, b=4, dim=6, seed=3, dtype=np.float64):
    """Words w0, w1, ... with the attributes among them; some words lean to either side."""
    rng = np.random.default_rng(seed)
    names = [f"a{i}" for i in range(a)] + [f"b{i}" for i in range(b)]
    side = rng.normal(size=dim)
    rows = {
        name: rng.normal(size=dim) + (1 if name[0] == "a" else -1) * 0.7 * side for name in names
    }
    for i in range(many):
        rows[f"w{i}"] = rng.normal(size=dim) + rng.choice([-1.5, 0, 0, 1.5]) * side
    order = rng.permutation(list(rows)).tolist()
    return ArraySource(order, np.array([rows[word] for word in order], dtype), name="made")


def words_of(source):
    return [word for words, _ in source.iter_chunks() for word in words]


def cosines(source, groups):
    """Word by attribute."""
    rows = {
        word: row / np.linalg.norm(row)
        for words, vectors in source.iter_chunks()
        for word, row in zip(words, vectors.astype(np.float64), strict=True)
    }
    terms = [term for group in groups for term in group.terms]
    return {word: np.array([row @ rows[term] for term in terms]) for word, row in rows.items()}


def brute_force(source, groups, ddof=1):
    """Columns of the table, by loops over all relabellings; sums tie to 1e-9."""
    n, size = len(groups[0].terms), sum(len(group.terms) for group in groups)
    attributes = {term for group in groups for term in group.terms}
    relabellings = [list(chosen) for chosen in combinations(range(size), n)]
    rows = cosines(source, groups)
    found = {word: _single(row, n, relabellings, ddof) for word, row in rows.items()}
    family = [word for word in rows if word not in attributes]
    greatest = [
        max(abs(_difference(rows[word], chosen)) / rows[word].std(ddof=1) for word in family)
        for chosen in relabellings
    ]
    by = multipletests([found[word]["p_two_sided"] for word in family], method="fdr_by")[1]
    for word, p_by in zip(family, by, strict=True):
        reached = abs(found[word]["difference"]) / rows[word].std(ddof=1) - 1e-9
        found[word]["p_max_t"] = np.mean(np.array(greatest) >= reached)
        found[word]["p_by"] = p_by
    return found


def _difference(row, chosen):
    first = np.isin(np.arange(row.size), chosen)
    return row[first].mean() - row[~first].mean()


def _single(row, n, relabellings, ddof):
    sums = np.array([row[chosen].sum() for chosen in relabellings])
    t, centre = row[:n].sum(), n * row.mean()
    return {
        "effect_size": _difference(row, range(n)) / row.std(ddof=ddof),
        "difference": _difference(row, range(n)),
        "p_greater": np.mean(sums >= t - 1e-9),
        "p_less": np.mean(sums <= t + 1e-9),
        "p_two_sided": np.mean(np.abs(sums - centre) >= abs(t - centre) - 1e-9),
    }
