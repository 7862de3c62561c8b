"""What each sentence costs does not grow with how many there are: tables by sentence are made once."""

from __future__ import annotations

import numpy as np
import pytest

import eatlas
from eatlas.stimuli.concepts import Concept

TABLES = ("stimulus_of", "text_of", "span_of", "label_of", "cluster_of", "image_of")
"""Properties of a concept that go through all its sentences or terms each time."""


def contexts(each: int) -> eatlas.AssociationTest:
    """A test of three stimuli a group, with so many sentences each."""
    groups = {
        role: eatlas.Concept(
            name=role,
            sentences=[
                {"text": f"{role} {stimulus} {number}", "stimulus": f"{role}{stimulus}"}
                for stimulus in range(3)
                for number in range(each)
            ],
        )
        for role in "XYAB"
    }
    return eatlas.AssociationTest(id="contexts", **groups)


@pytest.mark.parametrize("measure", ["ceat(n=20)", "ml-eat"])
def test_tables_by_sentence_are_made_no_more_often_for_more_sentences(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    for name in TABLES:
        table = getattr(Concept, name).fget

        def counted(concept: Concept, name: str = name, table=table) -> dict[str, object]:
            made.append(name)
            return table(concept)

        monkeypatch.setattr(Concept, name, property(counted))
    counts = []
    for each in (5, 40):
        test = contexts(each)
        rng = np.random.default_rng(0)
        vectors = eatlas.ArraySource(list(test.terms), rng.normal(size=(12 * each, 8)), name="made")
        made.clear()
        eatlas.run(test, vectors, measure)
        counts.append(len(made))
    assert 0 < counts[0] == counts[1]
