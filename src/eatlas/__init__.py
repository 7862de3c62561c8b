"""Embedding association tests that a social scientist can trust, explain and publish.

>>> import eatlas
>>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
>>> results[0].pattern.direction
'Singular'
"""

from lazy_loader import attach_stub

from eatlas.lazy import offer

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
offer(  # what measures and records call; no measure knows who measures, no record who shows it
    measure="eatlas.engine.measuring:measure",
    finding="eatlas.present.findings:finding_of",
    findings="eatlas.present.findings:findings_of",
    plot="eatlas.present.drawings.plot:plot",
    notebook="eatlas.present.tables:notebook_html",
    report="eatlas.present.page:write_report",
    compared_text="eatlas.present.tables:compared_text",
    compared_html="eatlas.present.tables:compared_html",
    compared_latex="eatlas.present.tables:compared_latex",
)
