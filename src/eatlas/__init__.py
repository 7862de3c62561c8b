"""Embedding association tests that a social scientist can trust, explain and publish.

>>> import eatlas
>>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
>>> results[0].pattern.direction
'Singular'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes, offer
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.apps.annotation import load_items, read_labels, sample_items, serve_items
    from eatlas.apps.atlas import write_atlas
    from eatlas.apps.explorer import explore
    from eatlas.apps.protocol.card import write_card
    from eatlas.apps.protocol.evidence import read_card
    from eatlas.apps.protocol.running import protocol
    from eatlas.apps.replication.page import write_replication
    from eatlas.apps.replication.replicate import replicate
    from eatlas.apps.studies import Study, multiverse, read_study
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
    from eatlas.engine.text import count_text
    from eatlas.engine.verify import verify
    from eatlas.errors import EatlasError, EatlasWarning
    from eatlas.executors import OnRay
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
        ZeroShot,
        get_measure,
    )
    from eatlas.measures.inference import power
    from eatlas.measures.reliability import reliability
    from eatlas.present import write_report
    from eatlas.present.drawings.plot import plot
    from eatlas.results import Results, read_results
    from eatlas.results.scan import read_scan
    from eatlas.sources import ArraySource, open_vectors
    from eatlas.sources.diagnosis import diagnose
    from eatlas.sources.fetching import fetch_vectors
    from eatlas.sources.opening import transformed
    from eatlas.sources.residual import residual_bias
    from eatlas.sources.writing import write_vectors
    from eatlas.stats.permutation import permutation_test
    from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
    from eatlas.stimuli.batteries import tests

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
    "OnRay",
    "Pairs",
    "Results",
    "SemAxis",
    "Study",
    "ZeroShot",
    "__version__",
    "count_text",
    "diagnose",
    "explore",
    "fetch_vectors",
    "find_contexts",
    "find_pairs",
    "get_measure",
    "language_model",
    "load_contexts",
    "load_items",
    "load_pairs",
    "load_tests",
    "multiverse",
    "open_vectors",
    "permutation_test",
    "plot",
    "power",
    "protocol",
    "read_card",
    "read_labels",
    "read_results",
    "read_scan",
    "read_study",
    "reliability",
    "replicate",
    "residual_bias",
    "run",
    "sample_items",
    "scan",
    "serve_items",
    "tests",
    "transformed",
    "verify",
    "with_contexts",
    "write_atlas",
    "write_card",
    "write_replication",
    "write_report",
    "write_vectors",
]

_HOMES = {
    "eatlas.apps.annotation": "load_items read_labels sample_items serve_items",
    "eatlas.executors": "OnRay",
    "eatlas.corpora": "Contexts Pairs find_contexts find_pairs load_contexts load_pairs "
    "with_contexts",
    "eatlas.encoders.language": "language_model",
    "eatlas.engine": "run",
    "eatlas.engine.scan": "scan",
    "eatlas.engine.text": "count_text",
    "eatlas.engine.verify": "verify",
    "eatlas.errors": "EatlasError EatlasWarning",
    "eatlas.apps.explorer": "explore",
    "eatlas.measures": "CEAT DirectBias DivDist ECT IndirectBias LPBS LPBSCEAT MAC MLEAT RIPA "
    "RND RNSB SCEAT SemAxis WEAT ZeroShot get_measure",
    "eatlas.measures.inference": "power",
    "eatlas.measures.reliability": "reliability",
    "eatlas.present": "write_report",
    "eatlas.apps.atlas": "write_atlas",
    "eatlas.apps.protocol.card": "write_card",
    "eatlas.present.drawings.plot": "plot",
    "eatlas.apps.replication.page": "write_replication",
    "eatlas.apps.protocol.running": "protocol",
    "eatlas.results": "Results read_results",
    "eatlas.apps.protocol.evidence": "read_card",
    "eatlas.results.scan": "read_scan",
    "eatlas.sources": "ArraySource open_vectors",
    "eatlas.sources.diagnosis": "diagnose",
    "eatlas.sources.opening": "transformed",
    "eatlas.sources.fetching": "fetch_vectors",
    "eatlas.sources.residual": "residual_bias",
    "eatlas.sources.writing": "write_vectors",
    "eatlas.stats.permutation": "permutation_test",
    "eatlas.apps.replication.replicate": "replicate",
    "eatlas.stimuli": "AssociationTest Concept GroupsTest load_tests",
    "eatlas.stimuli.batteries": "tests",
    "eatlas.apps.studies": "Study multiverse read_study",
}
"""Public names by the modules that define them."""

__getattr__ = attributes(__name__, _HOMES, modules="errors report testing")
offer(  # what measures and records call; no measure knows who measures, no record who shows it
    measure="eatlas.engine.measuring:measure",
    plot="eatlas.present.drawings.plot:plot",
    notebook="eatlas.present.tables:notebook_html",
    report="eatlas.present.page:write_report",
    table="eatlas.present.tables:report_table",
    compared_text="eatlas.present.tables:plain",
    compared_html="eatlas.present.tables:html_of",
    compared_latex="eatlas.present.tables:latex_of",
)


def __dir__() -> list[str]:
    return sorted(__all__)
