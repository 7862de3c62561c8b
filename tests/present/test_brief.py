"""What a page says of all its findings together: why some are about these word lists only."""

import pytest
from tests.present.records import ml_eat, planted

from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.summaries import in_brief
from eatlas.results.levels import Sensitivity

LOW, HIGH = 0.002, 0.4
SUPPORTED = {"words": LOW, "others": LOW, "after": LOW}


def brief(*results) -> list[str]:
    family = DeclaredFamily.of(results)
    return in_brief(sections(results, family))


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ({"others": HIGH}, "not shown to generalise to other words"),
        ({"after": HIGH}, "not significant after adjusting for word frequency"),
        ({"others": 0.03}, "not significant after correction for 2 tests"),
    ],
)
def test_a_reason_names_its_results(fails, reason):
    results = planted(**SUPPORTED, test="good"), planted(**SUPPORTED | fails, test="bad")
    if "correction" in reason:
        results = planted(**SUPPORTED | fails, test="good"), results[1]
        assert brief(*results) == [f"In these word lists only ({reason}): good, bad."]
    else:
        assert brief(*results) == [f"In these word lists only ({reason}): bad."]


def test_where_all_are_supported_or_nothing_is_shown_there_is_no_line():
    both = planted(**SUPPORTED, test="one"), planted(**SUPPORTED, test="two")
    assert brief(*both) == []
    none = ml_eat("Non-Directional", d=0.1, greater=6000, test="none")
    assert brief(none, none) == []


def test_words_that_results_are_sensitive_to_are_named():
    results = [
        planted(**SUPPORTED, test=f"test-{n}").model_copy(
            update={"sensitivity": Sensitivity(new=dict.fromkeys("YAB", ()) | {"X": [["one"]]})}
        )
        for n in range(4)
    ]
    assert brief(*results)[-1] == (
        "Sensitive to single words: test-0 (one); test-1 (one); test-2 (one); and 1 more result."
    )


def test_missing_terms_come_last():
    missing = {"used": ["a", "b"], "missing": ["c"]}
    coverage = dict.fromkeys("XYAB", missing)
    lines = brief(ml_eat(test="one", coverage=coverage), ml_eat(test="two", coverage=coverage))
    assert lines[-1].startswith("8 of 24 terms have no vector")
