"""A linear probe of contextual vectors: which group is beside a target in its context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eatlas.errors import CoverageError, StimulusError, listing
from eatlas.measures.base import Input, stimuli_covered
from eatlas.measures.seeding import generator_of
from eatlas.results.parts import Coverage
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas.stimuli.languages import whole_words
from eatlas_corpora.results.probe import Probe

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

FOLDS = 5
LEAST = 2 * FOLDS
"""Contexts that each group must have: two in every fold."""
STEPS = 1_000
"""Of the solver, at most."""
NONE = "none"
UNLABELLED = -1


def counts_of_probe(given: Input) -> tuple[Array, dict[str, Any]]:
    """Contexts of each target that a linear classifier assigns to each group.

    The classifier (multinomial logistic regression on standardised vectors, L2 penalty of strength
    1) is trained on labels of people, where contexts carry some. Otherwise a text shows its label:
    a group, where one of its words and none of the other groups' words are next to the target; else
    none. Every labelled context is predicted by a classifier that has not seen it, and one without
    a label by a classifier of all that have one.
    """
    groups, coverage = given.head["groups"], given.coverage
    people = bool(coverage[OF_TARGETS].label)
    assigned = labels_of_people(coverage, groups) if people else labels_of(coverage, groups)
    labelled = assigned != UNLABELLED
    labels = assigned[labelled]
    counts = Counter(labels.tolist())
    contexts = {name: counts[j] for j, name in enumerate((*groups, NONE))}
    _require_enough(contexts, people=people)
    vectors = (given.single or given.rows)[OF_TARGETS]
    rows = vectors[labelled]
    stimuli = stimuli_covered(coverage)[OF_TARGETS]
    rng = generator_of(given.seed, {OF_TARGETS: stimuli}, "probe")
    predicted = _cross_validate(rows, labels, rng)
    assigned[labelled] = predicted
    if not labelled.all():
        assigned[~labelled] = _classifier().fit(rows, labels).predict(vectors[~labelled])
    shuffled = rng.permutation(labels)
    recalls = [float((predicted[labels == j] == j).mean()) for j in np.unique(labels)]
    probe = Probe(
        folds=FOLDS,
        contexts=contexts,
        accuracy=float((predicted == labels).mean()),
        balanced_accuracy=sum(recalls) / len(recalls),
        majority=max(counts.values()) / len(labels),
        control_accuracy=float((_cross_validate(rows, shuffled, rng) == shuffled).mean()),
        labels="people" if people else "words",
        unlabelled=int((~labelled).sum()),
    )
    group = coverage[OF_TARGETS]
    places = {name: i for i, name in enumerate(group.stimuli)}
    tallied = np.zeros((len(places), len(groups) + 1))
    for term, label in zip(group.used, assigned.tolist(), strict=True):
        tallied[places[group.stimulus.get(term, term)], label] += 1
    return tallied[:, :-1], {"probe": probe}


def _require_enough(named: Mapping[str, int], *, people: bool) -> None:
    """Refuse labels with too few contexts; only the label for no group may have none."""
    few = {name: n for name, n in named.items() if n < LEAST and (n or name != NONE)}
    if not few:
        return
    wanted = f"words of one group alone, and none or at least {LEAST} without such words"
    remedy = "take more contexts: a larger corpus, --per-term, or a wider --window"
    if people:
        wanted = f"the label of each group, and none or at least {LEAST} with the label {NONE!r}"
        remedy = "label more contexts"
    without = "the label none" if people else "without a word of a group"
    raise CoverageError(
        "divdist: the probe has too few contexts of a kind",
        got=", ".join(
            f"{n} {without if name == NONE else f'of {name}'}" for name, n in few.items()
        ),
        allowed=f"at least {LEAST} contexts of targets with {wanted}",
        remedy=remedy,
    )


def labels_of_people(coverage: Coverage, groups: Sequence[str]) -> Labels:
    """Index of the labelled group of each context; k for none, -1 for no label."""
    places = {name.casefold(): j for j, name in enumerate(groups)}
    places.setdefault(NONE, len(groups))
    targets = coverage[OF_TARGETS]
    if odd := sorted({label for label in targets.label.values() if label.casefold() not in places}):
        raise StimulusError(
            "divdist: labels of the contexts are not groups of the test",
            got=listing(odd, 5),
            allowed=", ".join((*groups, NONE)),
            remedy="label the contexts with the groups of this test: eatlas annotate",
        )
    labels = (targets.label.get(term) for term in targets.used)
    return np.array(
        [UNLABELLED if label is None else places[label.casefold()] for label in labels], np.int64
    )


def labels_of(coverage: Coverage, groups: Sequence[str]) -> Labels:
    """Place of the one group whose words are in each context of a target; k for none, or several.

    Words are compared in lower case and as whole words; those of a group without a vector count
    too.
    """
    patterns = [re.compile(whole_words(coverage[name].known), re.IGNORECASE) for name in groups]
    places = []
    for text in coverage[OF_TARGETS].used:
        there = [j for j, pattern in enumerate(patterns) if pattern.search(text)]
        places.append(there[0] if len(there) == 1 else len(groups))
    return np.array(places, np.int64)


def _cross_validate(rows: Array, labels: Labels, rng: np.random.Generator) -> Labels:
    """Label of each context by a classifier of the other folds."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    return np.asarray(cross_val_predict(_classifier(), rows, labels, cv=folds), np.int64)


def _classifier() -> Any:
    """Multinomial logistic regression on standardised vectors."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=STEPS))
