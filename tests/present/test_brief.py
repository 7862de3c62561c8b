from tests.present.records import ml_eat, weat

from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.summaries import in_brief


def brief(*results, levels="level1") -> str:
    family = DeclaredFamily.of(results, levels)
    return " ".join(in_brief(sections(results, family), family))


def test_patterns_that_the_two_sided_rule_changes():
    one = ml_eat(test="one", two_sided_label="Non-Directional")
    assert "rule, 1 pattern changes: one." in brief(one, ml_eat())
    many = [ml_eat(test=f"t{i}", two_sided_label="Non-Directional") for i in range(8)]
    assert "rule, 8 patterns change: t0, t1, t2, t3, t4, t5 and 2 more." in brief(*many)
    assert "two-sided rule" not in brief(ml_eat(tail="two-sided"), ml_eat())


def test_what_remains_after_adjustment():
    weaker = ml_eat(test="two", d=0.3, greater=1000)
    assert "for looking at both level 1 comparisons, 1 remains below .05." in brief(
        ml_eat(), weaker
    )
    three = [ml_eat(test=name) for name in ("one", "two", "three")]
    assert "all 3 level 1 comparisons, all 3 remain below" in brief(*three)
    other = ml_eat(test="other", d=0.3, greater=1000)
    assert "both level 1 comparisons, none remain below" in brief(weaker, other)
    assert "Adjusted" not in brief(ml_eat())
    assert "Adjusted" not in brief(ml_eat(), weat(), levels="none")
