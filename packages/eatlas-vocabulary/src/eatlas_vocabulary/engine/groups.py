"""Groups of words that a scan compares: of a test, lists of words, or clusters of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.decoding import lines_of
from eatlas.engine.frequency import Ranking, covariates_of, keys_of
from eatlas.errors import CoverageError, StimulusError, listing
from eatlas.measures.adjusting import SortedGroup, design_of, words_without_covariates
from eatlas.measures.base import Covariates
from eatlas.notes import Note
from eatlas.results.parts import Concepts, Coverage, Provenance
from eatlas.sources import CaseRule, Source, spellings
from eatlas.sources.coverage import Embedded, embed_concepts
from eatlas.sources.frequency_order import WordOrder
from eatlas.stats.regression import Regression
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.stimuli.kinds import TestLike, digest
from eatlas.stimuli.languages import is_english
from eatlas.version import __version__
from eatlas_vocabulary import stats
from eatlas_vocabulary.engine.group_units import SearchUnits, average_units
from eatlas_vocabulary.results.scan import SIDES
from eatlas_vocabulary.results.themes import NAMED

Array = NDArray[np.float64]
GroupsLike = TestLike | tuple[Concept, Concept] | Mapping[str, Sequence[str]]


def find_attributes(spec: Any) -> tuple[AssociationTest | None, dict[str, Concept]]:
    """Take A and B of a test, or two concepts or lists of words, which come from no test."""
    tests = (str, Path, AssociationTest, GroupsTest)
    if isinstance(spec, tuple | list) and not any(isinstance(part, tests) for part in spec):
        if len(spec) != len(SIDES):
            raise StimulusError(
                "a scan takes two groups of attributes",
                got=str(len(spec)),
                allowed="a test, two concepts, or two lists of words",
            )
        a, b = (part if isinstance(part, Concept) else _concept_of_words(part) for part in spec)
        if both := sorted(set(a.terms) & set(b.terms)):
            raise StimulusError(
                "some attributes are in both groups, A and B",
                got=", ".join(both),
                allowed="words that are in only one of the two groups",
            )
        return None, {"A": a, "B": b}
    test, *others = load_tests(spec)
    if others or not isinstance(test, AssociationTest) or test.A.images or test.B.images:
        raise StimulusError(
            f"{spec}: a scan takes the attributes of one test, and they are words",
            got=f"{listing([t.id for t in (test, *others)], 12)}, of the kind {test.kind}",
            allowed="a test of the kind associationwhose attributes A and B are words",
            remedy="name one of them; eatlas tests list shows the kind of each test",
        )
    return test, {"A": test.A, "B": test.B}


def _concept_of_words(words: Any) -> Concept:
    """A concept that is called by its first two words."""
    terms = Concept(name="attributes", terms=words).terms
    return Concept(name=", ".join(terms[:2]) + ", ..." * (len(terms) > 2), terms=terms)


def find_groups(attributes: Any) -> tuple[AssociationTest | GroupsTest | None, dict[str, Concept]]:
    """Groups of a test, or lists of words, by role."""
    test, concepts = None, []
    if isinstance(attributes, Mapping):
        concepts = [Concept(name=str(name), terms=words) for name, words in attributes.items()]
    elif not isinstance(attributes, tuple | list):
        test, *others = load_tests(attributes)
        if isinstance(test, GroupsTest) and not others:
            concepts = list(test.groups)
    if not concepts:
        return find_attributes(attributes)
    counts = Counter(word for concept in concepts for word in concept.terms)
    if several := [word for word, n in counts.items() if n > 1]:
        raise StimulusError(
            "some words are in several groups",
            got=listing(several),
            allowed="words that are in only one group",
        )
    if len(concepts) < 2:
        raise StimulusError(
            "themes are compared between groups of words",
            got=f"one group, {concepts[0].name}",
            allowed="two groups or more",
        )
    return test, by_role(concepts)


def by_role(concepts: Sequence[Concept]) -> dict[str, Concept]:
    """Two groups are A and B, more are G1, G2 and so on."""
    roles = SIDES if len(concepts) == 2 else [f"G{i}" for i in range(1, len(concepts) + 1)]
    return dict(zip(roles, concepts, strict=True))


def head_of(
    source: Source,
    name: str,
    test: AssociationTest | GroupsTest | None,
    stimuli: Mapping[str, object],
    vectors_sha256: str,
    case: CaseRule,
    seed: int,
) -> dict[str, Any]:
    """What the results of scans say of the source, of the test, and of where numbers come from."""
    return {
        "test": test.id if test else None,
        "title": test.title if test else "",
        "source": name or source.name,
        "source_from": source.name if name else "",
        "provenance": Provenance(
            version=__version__,
            seed=seed,
            case=case,
            stimuli_sha256=digest(stimuli),
            source_fingerprint=source.fingerprint,
            vectors_sha256=vectors_sha256,
            citation=test.citation if test else "",
            language=test.language if test else "",
        ),
    }


# --- groups as a source has them ------------------------------------------------------------------

LEAST_WORDS = 3
"""Words of each group: fewer have no spread to speak of."""
MOST_WORDS = 2_000
"""Words of all groups."""
STARTS = 10
"""Of the clustering of names, of which the best is taken."""
SHORT = 3
"""Letters of words that are no plurals."""
PLURALS = (
    ("", "s"), ("", "es"), ("", "'s"), ("y", "ies"), ("f", "ves"), ("fe", "ves"), ("man", "men"),
    ("child", "children"),
)  # fmt: skip
"""Endings of English nouns in the singular and in the plural."""


@dataclass(frozen=True)
class Groups:
    """The words of two or more groups as a source has them."""

    test: AssociationTest | GroupsTest | None
    names: Concepts
    """By role: A and B, or G1, G2 and so on."""
    coverage: Coverage
    keys: Mapping[str, Mapping[str, str]]
    """Under which key of the source each word was found, by role."""
    rows: Mapping[str, Array]
    """Unit rows of the words, in the order of the coverage."""
    sha256: str
    file: str
    """Name of the file whose words were clustered into the groups, if they came from one."""
    made: bool
    """Whether they are clusters of names."""

    @property
    def language(self) -> str:
        """Of the words."""
        return self.test.language if self.test else ""

    @property
    def words(self) -> set[str]:
        """All words, as they are written in the groups and in the source."""
        return {word for keys in self.keys.values() for pair in keys.items() for word in pair}

    @property
    def forms(self) -> set[str]:
        """All words in lower case, and their plurals and singulars in English."""
        words = {word.lower() for word in self.words}
        if not is_english(self.language):
            return words
        long = [word for word in words if len(word) > SHORT]
        return words.union(
            (w.removesuffix(s) + plural for w in words for s, plural in PLURALS if w.endswith(s)),
            (w.removesuffix(p) + single for w in long for single, p in PLURALS if w.endswith(p)),
        )


def look_up_groups(
    attributes: Any,
    names: Any,
    count: int,
    source: Source,
    case: CaseRule,
    seed: int,
    notes: list[Note],
) -> Groups:
    """Look up the words of groups, or of so many clusters of names."""
    if (attributes is None) == (names is None):
        raise StimulusError(
            "themes are compared between groups of words",
            got="no groups" if attributes is None else "both groups and a list of names",
            allowed="a test (--attributes), lists of words (--a and --b), or a list of names "
            "(--groups-from)",
        )
    test, file = None, ""
    if names is None:
        test, concepts = find_groups(attributes)
    else:
        if isinstance(names, str | Path):
            file, names = Path(names).name, lines_of(Path(names), "name", StimulusError)
        if not names:
            raise StimulusError(f"{file or 'groups_from'}: there are no names to form groups from")
        concepts = _clusters(names, count, source, case, seed, notes)
    embedded = embed_concepts(concepts, source, case, test.language if test else "")
    counts = Counter(key for keys in embedded.keys.values() for key in {*keys.values()})
    if several := [key for key, n in counts.items() if n > 1]:
        raise StimulusError(
            f"some words of {source.name} are found for several groups",
            got=listing(several),
            allowed="words that are in only one group, in capitals or not",
        )
    called = Concepts({role: concept.name for role, concept in concepts.items()})
    require_words(embedded, called, source, LEAST_WORDS, "; from eight on they say more")
    rows = {role: kernels.unit_rows(embedded.vectors[role]) for role in concepts}
    if (total := sum(map(len, rows.values()))) > MOST_WORDS:
        raise StimulusError(
            "the groups have too many words", got=f"{total:,}", allowed=f"at most {MOST_WORDS:,}"
        )
    notes += embedded.notes
    return Groups(
        test, called, embedded.coverage, embedded.keys, rows, embedded.sha256, file,
        names is not None,
    )  # fmt: skip


def require_words(
    embedded: Embedded, called: Mapping[str, str], source: Source, least: int, why: str
) -> None:
    """Refuse groups of which the source has fewer words than are compared."""
    for role, group in embedded.coverage.items():
        if len(group.used) < least:
            missing = listing(f"{term} ({reason})" for term, reason in group.reasons.items())
            raise CoverageError(
                f"{called[role]}: {len(group.used)} of {len(group.used) + len(group.missing)} "
                f"words have a usable vector in {source.name}",
                got=f"missing: {missing}" if missing else listing(group.used),
                allowed=f"at least {least} usable words in each group{why}",
                remedy="add words that the source has, or use a source with more words",
            )


def _clusters(
    names: Sequence[str], count: int, source: Source, case: CaseRule, seed: int, notes: list[Note]
) -> dict[str, Concept]:
    """Groups by clustering names, as Swinger et al. (2019); small clusters are left out."""
    concept = Concept(name="Names", terms=tuple(sorted(set(names), key=str)))
    embedded = embed_concepts({"names": concept}, source, case)
    used, rows = embedded.coverage["names"].used, kernels.unit_rows(embedded.vectors["names"])
    if len(used) < LEAST_WORDS * count:
        raise CoverageError(
            f"there are too few names for {count} groups",
            got=f"{len(used)} of {len(concept.terms)} names have a vector in {source.name}",
            allowed=f"at least {LEAST_WORDS * count}",
            remedy="request fewer groups (--groups), or add names, one on each line",
        )
    labels = stats.clusters.k_means(rows.astype(np.float32), count, seed, STARTS)
    clusters = sorted((np.flatnonzero(labels == i) for i in range(count)), key=len, reverse=True)
    large = [places for places in clusters if len(places) >= LEAST_WORDS]
    if len(large) < 2:
        raise CoverageError(
            f"the names do not form several groups of {LEAST_WORDS} or more",
            got=f"{len(large)} such group among {count} clusters in {source.name}",
            remedy="request fewer groups (--groups), or add names",
        )
    concepts = []
    for places in large:
        near = places[np.argsort(-(rows[places] @ rows[places].mean(axis=0)), kind="stable")]
        terms = tuple(used[i] for i in near.tolist())
        concepts.append(Concept(name=", ".join(terms[:NAMED]), terms=terms))
    notes.append(Note("themes.groups-made", values={"names": len(used), "groups": len(large)}))
    small = [used[i] for places in clusters[len(large) :] for i in places.tolist()]
    if left := small + list(embedded.coverage["names"].missing):
        notes.append(Note("themes.names-left", values={"names": left}))
    return by_role(concepts)


# --- groups given the frequency of their words ----------------------------------------------------


class GroupRegression(NamedTuple):
    """Groups as least squares compares them."""

    regression: Regression
    units: Array
    """Mean unit rows of the units that are compared, shape (N, d), group by group."""
    covariates: tuple[str, ...]
    """What the differences are given, if anything."""


def adjust_for_frequency(
    groups: Groups,
    of_units: SearchUnits,
    order: WordOrder | str,
    alpha: float,
    case: CaseRule,
    notes: list[Note],
) -> GroupRegression:
    """Units of groups given the frequency of their words; as they are if a note says why."""
    language = groups.language
    if isinstance(order, str):
        ranking = Ranking(reason=order)
    else:
        spelled = {key for word in groups.words for key in spellings(word, case, language)}
        ranking = Ranking(order.name, order.size, order.ranks(spelled))
    keys = keys_of(ranking, groups.coverage, case, language)
    covariates = covariates_of(groups.coverage, ranking, keys, None, case, language)
    compared: GroupRegression | str = covariates if isinstance(covariates, str) else ""
    if not isinstance(covariates, str):
        compared = _regress_units(groups, of_units, covariates, notes)
    if isinstance(compared, str):
        notes.insert(0, Note("themes.unadjusted", values={"reason": compared}))
        rows = []
        for role, part in groups.rows.items():
            group = SortedGroup.of(groups.coverage[role], np.empty((len(part), 0)))
            rows.append(average_units(part, *of_units.select_group(role, group))[0])
        regression = Regression.of_groups([len(part) for part in rows])
        compared = GroupRegression(regression, np.concatenate(rows), ())
    sizes, total = compared.regression.sizes, compared.regression.labellings
    least = (2 if len(set(sizes)) == 1 else 1) / total
    if len(sizes) == 2 and least >= alpha:
        values = {"sizes": list(sizes), "total": total, "least": least, "alpha": alpha}
        notes.append(Note("p.design-two-sided", "groups", values))
    return compared


def _regress_units(
    groups: Groups, of_units: SearchUnits, covariates: Covariates, notes: list[Note]
) -> GroupRegression | str:
    """Units of groups given covariates of their words; or why that cannot be."""
    names, rows, units, words = groups.names, [], {}, {}
    for role in names:
        group = SortedGroup.of(groups.coverage[role], covariates.of[role])
        words[role], labels = of_units.select_group(role, group)
        means, units[role] = average_units(groups.rows[role], words[role], labels)
        rows.append(means)
    design = design_of(tuple(names), units, covariates, names, notes)
    if design is None:
        return str(notes.pop().values["reason"])
    words_without_covariates(words, covariates, names, notes)
    return GroupRegression(design.regression, np.concatenate(rows), covariates.names)
