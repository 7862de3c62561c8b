"""Embedding association tests that a social scientist can trust, explain and publish.

>>> import eatlas
>>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
>>> results[0].pattern.direction
'Singular'
"""

from typing import Any

from lazy_loader import attach_stub

from eatlas.lazy import offer

_own, __dir__, __all__ = attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A name of the core, or of a package of eatlas that is installed next to it."""
    try:
        return _own(name)
    except AttributeError:
        from eatlas.plugins import public  # noqa: PLC0415  (few names are of other packages)

        return public(name)


offer(  # what measures and records call; no measure knows who measures, no record who shows it
    measure="eatlas.engine.measuring:measure",
    brief_signature="eatlas.measures.registry:brief_signature",
    results="eatlas.results.collection:Results",
    progress="eatlas.cli.progress:visible_progress",
    finding="eatlas.present.findings:finding_of",
    findings="eatlas.present.findings:findings_of",
    plot="eatlas.present.drawings.plot:plot",
    notebook="eatlas.present.tables:notebook_html",
    report="eatlas.present.report:write_report",
    summary="eatlas.cli.table:summary_text",
    scan="eatlas.results.scan:ResultsScan",
    run_into_store="eatlas.engine.streaming:run_into_store",
    compared_text="eatlas.present.tables:comparison_text",
    text_over_sources="eatlas.present.tables:text_over_sources",
    compared_html="eatlas.present.tables:comparison_html",
    compared_latex="eatlas.present.tables:comparison_latex",
)
