"""A linear probe of contextual vectors: which group is beside a target in its context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import CoverageError, EatlasError, StimulusError, listed
from eatlas.measures.base import Input, generator_of, stimuli_covered
from eatlas.measures.target_resampling import Evidence, of_counts, stimuli_of_groups
from eatlas.results.levels import Probe
from eatlas.results.parts import Coverage
from eatlas.stimuli.kinds import OF_TARGETS

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

FOLDS = 5
LEAST = 2 * FOLDS
"""Contexts that each group must have: two in every fold."""
BINS = 10
"""Of predicted probabilities, for the calibration error."""
STEPS = 1_000
"""Of the solver, at most."""
NONE = "none"
UNLABELLED = -1


def of_probe(given: Input) -> tuple[Evidence, Probe]:
    """Contexts of each target that a linear classifier assigns to each group.

    The classifier (multinomial logistic regression on standardised vectors, L2 penalty of strength
    1) is trained on labels of people, where contexts carry some. Otherwise a text shows its label:
    a group, where one of its words and none of the other groups' words are beside the target; else
    none. Every labelled context is predicted by a classifier that has not seen it, and one without
    a label by a classifier of all that have one.
    """
    groups, names = given.head["groups"], stimuli_of_groups(given)
    people = bool(given.coverage[OF_TARGETS].label)
    label = labels_of_people if people else labels_of
    assigned = label(given.coverage, groups)
    labelled = assigned != UNLABELLED
    labels = assigned[labelled]
    counts = Counter(labels.tolist())
    named = {name: counts[j] for j, name in enumerate((*groups, NONE))}
    _require_enough(named, people=people)
    vectors = (given.single or given.rows)[OF_TARGETS]
    rows = vectors[labelled]
    stimuli = stimuli_covered(given.coverage)[OF_TARGETS]
    rng = generator_of(given.seed, {OF_TARGETS: stimuli}, "probe")
    predicted, chance = _held_out(rows, labels, rng)
    assigned[labelled] = predicted
    if not labelled.all():
        assigned[~labelled] = _classifier().fit(rows, labels).predict(vectors[~labelled])
    shuffled = rng.permutation(labels)
    control = float((_held_out(rows, shuffled, rng)[0] == shuffled).mean())
    accuracy = float((predicted == labels).mean())
    recalls = [float((predicted[labels == j] == j).mean()) for j in np.unique(labels)]
    probe = Probe(
        folds=FOLDS,
        contexts=named,
        accuracy=accuracy,
        balanced_accuracy=sum(recalls) / len(recalls),
        majority=max(counts.values()) / len(labels),
        control_accuracy=control,
        selectivity=accuracy - control,
        calibration_error=calibration_error(chance, predicted == labels),
        labels="people" if people else "words",
        unlabelled=int((~labelled).sum()),
    )
    tallied = _tallied(given.coverage, assigned, len(groups))
    return of_counts(names[OF_TARGETS], tallied, given), probe


def _require_enough(named: Mapping[str, int], *, people: bool) -> None:
    """Refuse labels of which one has too few contexts; that of no group may have none."""
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
            got=listed(odd, 5),
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
    patterns = [_pattern(coverage[name].known) for name in groups]
    places = []
    for text in coverage[OF_TARGETS].used:
        there = [j for j, pattern in enumerate(patterns) if pattern.search(text)]
        places.append(there[0] if len(there) == 1 else len(groups))
    return np.array(places, np.int64)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)", re.IGNORECASE)


def _held_out(rows: Array, labels: Labels, rng: np.random.Generator) -> tuple[Labels, Array]:
    """Label of each context by a classifier of the other folds, and its probability."""
    _classifier()  # says whether scikit-learn is there
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415  (optional, 1 s)

    order = np.unique(labels)
    chances = np.empty((len(labels), len(order)))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    for train, test in folds.split(rows, labels):
        model = _classifier().fit(rows[train], labels[train])
        chances[test] = model.predict_proba(rows[test])
    return order[chances.argmax(axis=1)], chances.max(axis=1)


def _classifier() -> Any:
    """Multinomial logistic regression on standardised vectors."""
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (optional, 1 s)
        from sklearn.pipeline import make_pipeline  # noqa: PLC0415
        from sklearn.preprocessing import StandardScaler  # noqa: PLC0415
    except ImportError as error:
        raise EatlasError(
            "divdist: soa=probe needs scikit-learn", remedy="pip install 'eatlas[probes]'"
        ) from error
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=STEPS))


def calibration_error(confidence: Array, right: NDArray[np.bool_]) -> float:
    """Mean distance of confidence and accuracy over ten equal bins, weighted by contexts."""
    bins = np.minimum((confidence * BINS).astype(np.intp), BINS - 1)
    error = sum(
        abs(float(confidence[bins == b].sum() - right[bins == b].sum())) for b in np.unique(bins)
    )
    return error / len(right)


def _tallied(coverage: Coverage, predicted: Labels, k: int) -> Array:
    """Contexts of each target that are assigned to each group."""
    group = coverage[OF_TARGETS]
    places: Mapping[str, int] = {name: i for i, name in enumerate(group.stimuli)}
    counts = np.zeros((len(places), k + 1))
    for term, label in zip(group.used, predicted.tolist(), strict=True):
        counts[places[group.stimulus.get(term, term)], label] += 1
    return counts[:, :k]
