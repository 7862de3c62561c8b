"""What a page says of all its findings together: which of them fail which check."""

import pytest
from tests.present.records import influence, ml_eat, planted, weat

from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.summaries import in_brief
from eatlas.results.levels import DecisiveTerm

LOW, HIGH = 0.002, 0.4
SHOWN = {"words": LOW, "others": LOW, "after": LOW, "chance": LOW}


def brief(*results, levels="level1") -> list[str]:
    family = DeclaredFamily.of(results, levels)
    return in_brief(sections(results, family), family)


@pytest.mark.parametrize(
    ("fails", "line"),
    [
        ({"others": HIGH}, "Other words may not show it (crossed test not significant): bad."),
        ({"after": HIGH}, "Not left once the words' frequency is accounted for: bad."),
        ({"chance": HIGH},
         "Random topics, as frequent and as coherent as the lists, reach it too: bad."),
        ({"words": 0.08}, "Not significant once all tests are counted (Holm, two-sided): bad."),
    ],
)  # fmt: skip
def test_a_check_that_fails_names_its_results(fails, line):
    assert brief(planted(**SHOWN, test="good"), planted(**SHOWN | fails, test="bad")) == [line]


def test_all_tests_are_counted():
    weak = SHOWN | {"words": 0.03}
    assert brief(*(planted(**weak, test=f"test-{n}") for n in range(3))) == [
        "Not significant once all tests are counted (Holm, two-sided): test-0, test-1, test-2."
    ]


def test_where_nothing_fails_one_line_says_so():
    both = planted(**SHOWN, test="one"), planted(**SHOWN, test="two")
    assert brief(*both) == ["Both findings hold every check that was made."]
    none = ml_eat("Non-Directional", d=0.1, greater=6000, test="none")
    assert brief(both[0], none) == ["The one finding holds every check that was made."]
    assert brief(none, none) == []


def test_an_association_by_the_one_sided_rule_is_never_stated():
    results = [planted(words=0.08, test=name) for name in ("one", "two")]
    assert brief(*results, levels="none") == ["Significant by the one-sided rule alone: one, two."]
    assert "associated" not in " ".join(brief(*results, ml_eat(test="three"), weat(test="four")))


def test_terms_that_the_conclusion_hangs_on_are_named():
    term = DecisiveTerm(role="X", term="one", pattern="Non-Directional", level1=None)
    results = [
        planted(**SHOWN, test=f"test-{n}").model_copy(
            update={"influence": influence().model_copy(update={"decisive": (term,)})}
        )
        for n in range(4)
    ]
    assert brief(*results)[-1] == (
        "The conclusion is different without one of these words: test-0 (one); test-1 (one); "
        "test-2 (one); and in 1 more result."
    )


def test_six_lines_are_the_most():
    missing = {"used": ["a", "b"], "missing": ["c"]}
    coverage = dict.fromkeys("XYAB", missing)
    term = DecisiveTerm(role="X", term="a", pattern="Non-Directional", level1=None)
    worst = [
        planted(words=0.08, others=HIGH, after=HIGH, chance=HIGH, test=test, coverage=coverage)
        for test in ("one", "two")
    ]
    sensitive = influence().model_copy(update={"decisive": (term,)})
    lines = brief(*(result.model_copy(update={"influence": sensitive}) for result in worst))
    assert len(lines) == 6
    assert lines[-1].startswith("8 of 24 terms have no vector")
