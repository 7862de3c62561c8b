"""Expressions over the numbers of a result: what they mean, and all that is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.errors import EatlasError
from eatlas.results.expressions import DEEPEST, LONGEST, Expression

VALUES = {
    "d": -1.5, "p": 0.04, "used": 32, "low": None, "zero": 0.0, "huge": 1e300, "test": "weat-6",
    "level1.supported": True, "level1.verdict": "supported", "level2.X.supported": False,
    "level2.Y.supported": None, "level1.p": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("abs(d) > 0.5", True),
        ("-d >= 1.5 and d + 2 == 0.5 and d * 2 == -3 and d / 2 > d - -0.1", True),
        ("-2 < d < -1", True),
        ("-2 < d < -1.6", False),
        ("-2 < d < low", None),
        ("0 < d < low", False),
        ("max(d, p, 1) == 1 and min(d, p) == d", True),
        ("test == 'weat-6' and used != 3", True),
        ('"weat-7" == test', False),
        ("level1.supported and not level2.X.supported", True),
        ("level1.verdict != 'not shown' and level1.supported == True", True),
        ("level2.Y.supported", None),
        ("not level2.Y.supported", None),
        ("level2.Y.supported and level2.X.supported", False),
        ("level2.Y.supported or level1.supported", True),
        ("level2.Y.supported or level2.X.supported", None),
        ("level1.p < 0.05", None),
        ("abs(low) + 1 > 0", None),
        ("d / zero > 1", None),
        ("huge * huge > 1", None),
        ("9" * 400 + " * 2.0 > d", None),
        ("  (d\n < 0)  ", True),
        ("True or d > 1", True),
    ],
)
def test_what_an_expression_says(text, answer):
    assert Expression.parse(text).evaluate(VALUES) is answer


def test_names_and_texts_of_an_expression():
    expression = Expression.parse("abs(d) > 1 and 'weat-6' == test and level2.X.verdict != 'a'")
    assert expression.names == ("d", "test", "level2.X.verdict")
    assert expression.texts == (("test", "weat-6"), ("level2.X.verdict", "a"))
    both = Expression.parse("value.supported and value > 1")
    assert both.names == ("value.supported", "value")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "invalid syntax"),
        ("abs(d", "'(' was never closed"),
        ("d > 1; d", "invalid syntax"),
        ("x = 1", "invalid syntax"),
        ("1 > 2", "it names no number of a result"),
        ("d", "it is a number, not true or false"),
        ("test", "it is a text, not true or false"),
        ("d and d > 1", "“d” is a number, not true or false"),
        ("d > 'a'", "“'a'” is a text, not a number"),
        ("d == 'a'", "“'a'” is a text, not a number"),
        ("test < 'a'", "“test” is a text, not a number"),
        ("level1.supported > 0", "“level1.supported” is true or false, not a number"),
        ("level1.verdict", "it is a text, not true or false"),
        ("levle1.supported", "“levle1.supported”; did you mean level1.supported?"),
        ("level1.suported", "“level1.suported”; did you mean level1.supported?"),
        ("level2.supported", "“level2.supported”; did you mean level2.Y.supported?"),
        ("level1.__class__ == 1", "“level1.__class__”; "),
        ("__import__('os')", "does not belong to the language"),
        ("sqr(d) > 1", "“sqr(d)” does not belong to the language"),
        ("abs(d, 1) > 1", "“abs(d, 1)” does not belong to the language"),
        ("min(d) > 1", "“min(d)” does not belong to the language"),
        ("max(*d) > 1", "“max(*d)” does not belong to the language"),
        ("max(d, p, key=d) > 1", "does not belong to the language"),
        ("d ** 99 > 1", "“d ** 99” does not belong to the language"),
        ("d is p", "“d is p” does not belong to the language"),
        ("test in ('a', 'b')", "does not belong to the language"),
        ("[d for d in p]", "does not belong to the language"),
        ("lambda: d", "does not belong to the language"),
        ("(d := 1) > 0", "does not belong to the language"),
        ("1j > d", "“1j” does not belong to the language"),
        ("None == d", "“None” does not belong to the language"),
        ("f'{d}' == test", "does not belong to the language"),
        ("abs(d).real > 1", "does not belong to the language"),
        ("-" * (DEEPEST + 1) + "d > 0", f"nested more than {DEEPEST} deep"),
        ("d > 0" + " " * LONGEST, f"a text of at most {LONGEST} characters"),
        (3, "3 (int)"),
        ("d > 0 \0", "null"),
    ],
)
def test_what_does_not_belong_to_the_language(text, fault):
    with pytest.raises(EatlasError) as error:
        Expression.parse(text)
    assert fault in str(error.value)


WORDS = ["d", "p", "test", "level1", ".supported", ".", "abs", "max", "(", ")", "(", ")", ",", "-",
         "+", "/", "*", "**", "<", "==", "!=", "and", "or", "not", "1", "0.5", "'a'", "if", "else",
         "[", "]", "lambda", ":", "=", "__class__", "is", "in", "1e999", "True", "None"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_text_is_evaluated_or_refused(text):
    try:
        expression = Expression.parse(text)
    except EatlasError:
        return
    values = {name: VALUES.get(name) for name in expression.names}
    assert expression.evaluate(values) in {True, False, None}
