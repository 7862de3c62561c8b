"""Embedding association tests that a social scientist can trust, explain and publish.

>>> import eatlas
>>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
>>> results[0].pattern.direction
'Singular'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.corpora import (
        Contexts,
        Pairs,
        find_contexts,
        find_pairs,
        load_contexts,
        load_pairs,
        with_contexts,
    )
    from eatlas.encoders.language import language_model
    from eatlas.engine import run
    from eatlas.engine.scan import scan
    from eatlas.engine.verify import verify
    from eatlas.errors import EatlasError, EatlasWarning
    from eatlas.measures import (
        CEAT,
        ECT,
        LPBS,
        LPBSCEAT,
        MAC,
        MLEAT,
        RIPA,
        RND,
        RNSB,
        SCEAT,
        WEAT,
        DirectBias,
        DivDist,
        IndirectBias,
        SemAxis,
        get_measure,
    )
    from eatlas.measures.beyond import equivalence, generalisation, power
    from eatlas.measures.reliability import reliability
    from eatlas.present import write_report
    from eatlas.present.charts import plot
    from eatlas.results import Results, read_results
    from eatlas.results.scan import read_scan
    from eatlas.sources import ArraySource, open_vectors
    from eatlas.sources.diagnosis import diagnose
    from eatlas.sources.opening import transformed
    from eatlas.sources.published import fetch_vectors
    from eatlas.stats.permutation import permutation_test
    from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests

__all__ = [
    "CEAT",
    "ECT",
    "LPBS",
    "LPBSCEAT",
    "MAC",
    "MLEAT",
    "RIPA",
    "RND",
    "RNSB",
    "SCEAT",
    "WEAT",
    "ArraySource",
    "AssociationTest",
    "Concept",
    "Contexts",
    "DirectBias",
    "DivDist",
    "EatlasError",
    "EatlasWarning",
    "GroupsTest",
    "IndirectBias",
    "Pairs",
    "Results",
    "SemAxis",
    "__version__",
    "diagnose",
    "equivalence",
    "fetch_vectors",
    "find_contexts",
    "find_pairs",
    "generalisation",
    "get_measure",
    "language_model",
    "load_contexts",
    "load_pairs",
    "load_tests",
    "open_vectors",
    "permutation_test",
    "plot",
    "power",
    "read_results",
    "read_scan",
    "reliability",
    "run",
    "scan",
    "transformed",
    "verify",
    "with_contexts",
    "write_report",
]

_HOME = {
    "AssociationTest": "eatlas.stimuli",
    "ArraySource": "eatlas.sources",
    "CEAT": "eatlas.measures",
    "Concept": "eatlas.stimuli",
    "Contexts": "eatlas.corpora",
    "DivDist": "eatlas.measures",
    "EatlasError": "eatlas.errors",
    "EatlasWarning": "eatlas.errors",
    "GroupsTest": "eatlas.stimuli",
    "LPBS": "eatlas.measures",
    "LPBSCEAT": "eatlas.measures",
    "MLEAT": "eatlas.measures",
    "Pairs": "eatlas.corpora",
    "Results": "eatlas.results",
    "SCEAT": "eatlas.measures",
    "WEAT": "eatlas.measures",
    "DirectBias": "eatlas.measures",
    "ECT": "eatlas.measures",
    "IndirectBias": "eatlas.measures",
    "MAC": "eatlas.measures",
    "RIPA": "eatlas.measures",
    "RND": "eatlas.measures",
    "RNSB": "eatlas.measures",
    "SemAxis": "eatlas.measures",
    "diagnose": "eatlas.sources.diagnosis",
    "equivalence": "eatlas.measures.beyond",
    "fetch_vectors": "eatlas.sources.published",
    "find_contexts": "eatlas.corpora",
    "find_pairs": "eatlas.corpora",
    "generalisation": "eatlas.measures.beyond",
    "get_measure": "eatlas.measures",
    "load_contexts": "eatlas.corpora",
    "load_pairs": "eatlas.corpora",
    "language_model": "eatlas.encoders.language",
    "load_tests": "eatlas.stimuli",
    "open_vectors": "eatlas.sources",
    "permutation_test": "eatlas.stats.permutation",
    "plot": "eatlas.present.charts",
    "power": "eatlas.measures.beyond",
    "read_results": "eatlas.results",
    "read_scan": "eatlas.results.scan",
    "reliability": "eatlas.measures.reliability",
    "run": "eatlas.engine",
    "scan": "eatlas.engine.scan",
    "transformed": "eatlas.sources.opening",
    "verify": "eatlas.engine.verify",
    "with_contexts": "eatlas.corpora",
    "write_report": "eatlas.present",
}


__getattr__ = attributes(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
