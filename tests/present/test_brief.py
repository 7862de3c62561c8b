from tests.present.records import ml_eat, weat

from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.summaries import in_brief


def brief(*results, levels="level1") -> str:
    family = DeclaredFamily.of(results, levels)
    return " ".join(in_brief(sections(results, family), family))


def test_what_remains_after_adjustment():
    weaker = ml_eat(test="two", d=0.3, greater=1000)
    assert "Holm over these 2 tests (level 1, two-sided): 1 has an adjusted p below 0.05" in brief(
        ml_eat(), weaker
    )
    three = [ml_eat(test=name) for name in ("one", "two", "three")]
    assert "Holm over these 3 tests (level 1, two-sided): all have" in brief(*three)
    other = ml_eat(test="other", d=0.3, greater=1000)
    assert "none has an adjusted p" in brief(weaker, other)
    assert "Holm" not in brief(ml_eat())
    assert "Holm" not in brief(ml_eat(), weat(), levels="none")
