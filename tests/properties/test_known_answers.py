"""What everybody knows is supported, and the same words dealt at random show nothing."""

from __future__ import annotations

import pytest
from tests.inputs import load_benchmark

import eatlas

UNTESTABLE = {"days-months"}
"""The days of the week count as three words: nothing can be claimed of other days."""
DEALS = 10
MOST = 0.02
"""False claims among deals are .001 of questions in the full study; alpha is .05."""


@pytest.fixture(scope="module")
def study():
    return load_benchmark("known_answers")


def test_what_everybody_knows_is_supported(study):
    results = eatlas.run(study.known(), "glove-sample", **study.OPTIONS)
    assert len(results) == 20
    for findings in ([result.finding for result in results], results.findings):
        others = {
            result.test
            for result, finding in zip(results, findings, strict=True)
            if not study.right(finding.questions["level1"])
        }
        assert others == UNTESTABLE


@pytest.mark.slow
def test_dealt_words_show_nothing(study):
    false, asked = 0, 0
    for seed in range(DEALS):
        dealt = [study.dealt(test, seed) for test in study.known()]
        results = eatlas.run(dealt, "glove-sample", **study.OPTIONS)
        answers = [q.verdict for result in results for q in result.finding.questions.values()]
        false += answers.count("supported")
        asked += len(answers)
        together = [q.verdict for found in results.findings for q in found.questions.values()]
        assert "supported" not in together
    assert asked == DEALS * 20 * 3
    assert false <= MOST * asked


def test_words_are_dealt_whole(study):
    test = study.known()[0]
    dealt = study.dealt(test, 1)
    roles = study.ROLES
    lists = [[getattr(of, role).terms for role in roles] for of in (test, dealt)]
    assert [len(terms) for terms in lists[0]] == [len(terms) for terms in lists[1]]
    assert sorted(sum(lists[0], ())) == sorted(sum(lists[1], ()))
    assert lists[0] != lists[1]
