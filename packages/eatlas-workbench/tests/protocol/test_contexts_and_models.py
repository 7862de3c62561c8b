"""Measures of contexts and of language models through the protocol."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.cards import found

import eatlas
from eatlas_corpora.reading import find_contexts
from eatlas_models.encoders.language import Answer
from eatlas_models.results.language_model import LanguageModelRecord
from eatlas_workbench.cards.content import STEREOTYPES

WORDS = eatlas.load_tests("divdist-face-validity")[0]
FEMALE = set(WORDS.groups[0].terms)


class Stereotyped:
    """A language model that finds words of a group likely with the professions of its stereotype."""

    name, fingerprint, notes, kind = "hf:tiny", "sha256:0", (), "masked"
    about = LanguageModelRecord(
        model="tiny", architecture="BertForMaskedLM", kind="masked", vocabulary=9
    )

    def score(self, questions: Any, tell: Any = None) -> dict[Any, Answer]:
        return {one: self._answer(one) for one in questions}

    def _answer(self, one: Any) -> Answer:
        noise = zlib.crc32(f"{one}".encode()) % 100 / 1000
        group = "Female" if one.stimulus.lower() in FEMALE else "Male"
        agrees = STEREOTYPES.get(one.other_stimulus) == group
        return Answer(-9.0 + noise + (0.0 if one.hidden else 1.5 * agrees), 1, 1)


@pytest.mark.slow
def test_a_language_model_is_asked_about_groups_with_professions_as_attributes() -> None:
    signs = found("face", "lpbs", Stereotyped())["stereotyped-professions"]
    assert signs.figure("share of signs that agree").value == 1.0
    assert "log-ratio of LPBS" in signs.remarks[0]
    content = found("content", "lpbs", Stereotyped())
    answers = {row[0]: row[1] for row in content["structure"].tables[0].rows}
    assert answers["A second run gives the same numbers"] == "yes"
    assert answers["Groups that trade places turn the sign"] == "yes"
    assert "no lengths and no angles" in content["invariances"].not_run


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sentences for each word of the two tests."""
    folder = tmp_path_factory.mktemp("contexts")
    tests = eatlas.load_tests(["divdist-face-validity", "weat-6"])
    words = sorted({term for test in tests for term in test.terms})
    starts = ("The music and", "A garden or", "Some money and")
    text = [f"{start} {word} are near." for word in words for start in starts]
    (folder / "corpus.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    sentences = find_contexts(folder / "corpus.txt", tests, window="sentence")
    sentences.write(folder / "contexts.jsonl")
    return folder / "contexts.jsonl"


def test_a_measure_of_contexts_takes_those_that_are_given(contexts: Path) -> None:
    face, content = (
        found(criterion, "ceat(n=50)", "cbow:glove-sample", contexts=contexts)
        for criterion in ("face", "content")
    )
    signs = face["stereotyped-professions"].figure("share of signs that agree")
    assert signs.n == 8
    assert signs.value is not None
    assert signs.value >= 0.75  # sentences hold other words too
    documented = face["documented-tests"]
    assert [row[0] for row in documented.tables[0].rows] == ["weat-6"]
    assert sum(one.startswith("Not measured, weat-") for one in documented.remarks) == 9
    answers = {row[0]: row[1] for row in content["structure"].tables[0].rows}
    assert answers["The order of words changes nothing"] == "yes"
    assert answers["Words are taken in their contexts"] == "yes"
    assert "Words are taken in contexts" in content["invariances"].not_run
