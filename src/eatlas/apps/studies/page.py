"""A study as one self-contained page: findings, the specification curve, what decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from eatlas.apps.studies.record import Specification, StudyAnalysis, StudyRecord
from eatlas.present.drawings.curves import drawn_of, panel, specification_curve
from eatlas.present.drawings.svg import share_bar
from eatlas.present.numbers import UNDEFINED, percent
from eatlas.present.rendering import page_files, render

MOST_ROWS = 200
"""Rows of a table; the files beside the page have all."""
MOST_PANELS = 24
"""Pairs of methods that are drawn as points."""
MOST_REASONS = 50


def share(value: float | None) -> str:
    """A share as a percentage; a tiny negative one, by rounding, is none."""
    return UNDEFINED if value is None else percent(round(max(value, 0.0), 9))


def study_html(record: StudyRecord, analysis: StudyAnalysis, seeds: Sequence[int] = ()) -> str:
    """A study as one self-contained page."""
    effects = sorted(record.measured, key=lambda spec: (spec.d or 0.0, spec.number))
    half = MOST_ROWS // 2
    every, *alternatives = record.summaries()
    patterns = Counter(spec.pattern for spec in record.specifications if spec.pattern)
    choices = {name: record.choices.get(name, ()) for name in record.varying or ("test",)}
    pairs = [pair for pair in analysis.correlations if pair.points][:MOST_PANELS]
    shown = {
        "effects": effects,
        "every": every,
        "alternatives": [row for row in alternatives if row["label"]],
        "judged": [spec for spec in effects if spec.significant is not None],
        "adjusted": [spec for spec in effects if spec.holm is not None],
        "patterns": patterns.most_common(),
        "shares": sorted(analysis.shares, key=lambda share: -share.shapley),
        "curve": Markup(specification_curve(effects, choices) if effects else ""),  # noqa: S704
        "drawn": len(drawn_of(effects)),
        "rows": effects if len(effects) <= MOST_ROWS else [*effects[:half], *effects[-half:]],
        "panels": [(pair, Markup(panel(pair.points, pair.first, pair.second))) for pair in pairs],  # noqa: S704
        "reasons": {status: _reasons(record, status) for status in ("failed", "skipped")},
        "seeds": seeds,
    }
    return render(
        "study",
        s=shown,
        r=record,
        a=analysis,
        share=share,
        bar=lambda row: share_bar(min(max(row.shapley, 0.0), 1.0), strong=True),
        most={"rows": MOST_ROWS, "reasons": MOST_REASONS},
        **page_files("cards.js"),
    )


def _reasons(record: StudyRecord, status: str) -> list[tuple[str, int, Specification]]:
    """Why specifications failed or were skipped, how many, and the first of each."""
    specifications = [spec for spec in record.specifications if spec.status == status]
    counts = Counter(spec.reason for spec in specifications)
    first = {spec.reason: spec for spec in reversed(specifications)}
    return [(reason, n, first[reason]) for reason, n in counts.most_common()]
