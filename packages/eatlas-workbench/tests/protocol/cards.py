"""Evidence of one criterion by the ids of its studies, and small files that studies read."""

from __future__ import annotations

from pathlib import Path

import eatlas


def found(criterion: str, measure: object = "semaxis", vectors: object = None, **given: object):
    """Evidence of a criterion by study; of a study on several sources the last."""
    card = eatlas.protocol(measure, vectors, criteria=[criterion], **given)
    return {one.study: one for one in card.evidence}


def counts(path: Path, rows: dict[str, tuple[float, float]]) -> Path:
    """A table of women and men by term, as ``eatlas text`` writes it."""
    lines = [f"{term},{f + m},{f},{m}" for term, (f, m) in rows.items()]
    path.write_text("term,spans,Female,Male\n" + "\n".join(lines) + "\n")
    return path
