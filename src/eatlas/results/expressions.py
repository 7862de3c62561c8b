"""Expressions over the numbers of a result, such as ``level1.supported and abs(d) > 0.5``.

An expression is parsed as Python, and a few kinds of nodes are evaluated here, one by one. Nothing
is executed. Whether a function, the name of a question and the kind of each operand are possible is
known before there is a result.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Literal

from eatlas.errors import EatlasError, described, did_you_mean
from eatlas.results.base import places_of
from eatlas.results.json_lines import record_types

Kind = Literal["truth", "number", "text"]
Value = bool | float | str | None
"""None is a number, or a truth, that is undefined."""
LONGEST, DEEPEST = 500, 50
"""Characters of an expression, and how deep its operations may be nested."""
ATTRIBUTES: dict[str, Kind] = {
    "supported": "truth", "verdict": "text", "d": "number", "low": "number", "high": "number",
    "p": "number", "p_these": "number", "p_new": "number", "p_adjusted": "number",
}  # fmt: skip
"""What an expression can ask about a question of a finding."""
FACTS = ("test", "source", "measure")
"""Names whose value is a text."""
ALLOWED = (
    "comparisons such as d > 0.5, level1.supported, texts in quotation marks, and, or, not, "
    "+ - * /, abs, min, max, and parentheses"
)
CALLED = {"truth": "true or false", "number": "a number", "text": "a text"}
LITERALS: dict[type, Kind] = {bool: "truth", int: "number", float: "number", str: "text"}


def _all(*answers: Value) -> Value:
    """False if one is false, whatever is undefined."""
    return False if False in answers else None if None in answers else True


def _any(*answers: Value) -> Value:
    """True if one is true, whatever is undefined."""
    return True if True in answers else None if None in answers else False


Operator = tuple[Callable[..., Value], Kind | None, Kind]
"""A function, the kind of its operands (None if all are of any one kind), and of its value."""
OPERATORS: dict[type[ast.AST], Operator] = {
    ast.And: (_all, "truth", "truth"), ast.Or: (_any, "truth", "truth"),
    ast.Not: (operator.not_, "truth", "truth"), ast.USub: (operator.neg, "number", "number"),
    ast.Add: (operator.add, "number", "number"), ast.Sub: (operator.sub, "number", "number"),
    ast.Mult: (operator.mul, "number", "number"), ast.Div: (operator.truediv, "number", "number"),
    ast.Lt: (operator.lt, "number", "truth"), ast.LtE: (operator.le, "number", "truth"),
    ast.Gt: (operator.gt, "number", "truth"), ast.GtE: (operator.ge, "number", "truth"),
    ast.Eq: (operator.eq, None, "truth"), ast.NotEq: (operator.ne, None, "truth"),
}  # fmt: skip
FUNCTIONS: dict[str, Operator] = {
    function.__name__: (function, "number", "number") for function in (abs, min, max)
}


@dataclass(frozen=True)
class Expression:
    """An expression that is true, false or, if a number is undefined, unknown of a result."""

    text: str
    tree: ast.expr
    names: tuple[str, ...]
    """Names that occur in it, such as ``d`` and ``level2.X.supported``."""
    texts: tuple[tuple[str, str], ...]
    """Names that it compares with a text, and the text."""

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Parse an expression.

        Raises
        ------
        EatlasError
            If it does not belong to the language.
        """
        if not isinstance(text, str) or len(text) > LONGEST:
            raise EatlasError(
                "an expression cannot be read",
                got=f"{len(text)} characters" if isinstance(text, str) else described(text),
                allowed=f"a text of at most {LONGEST} characters",
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what Python doubts, such as 1 is 1
                tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise _unusable(text, getattr(error, "msg", None) or str(error)) from error
        if (kind := _kind_of(tree, text)) != "truth":
            raise _unusable(text, f"it is {CALLED[kind]}, not {CALLED['truth']}")
        nodes = list(_nodes_of(tree))
        names = dict.fromkeys(filter(None, map(_name_of, nodes)))
        if not names:
            raise _unusable(text, "it names no number of a result")
        texts = (
            (_name_of(name), literal.value)
            for node in nodes
            if isinstance(node, ast.Compare) and len(node.ops) == 1
            for name, literal in permutations([node.left, *node.comparators])
            if isinstance(literal, ast.Constant) and isinstance(literal.value, str)
        )
        return cls(text, tree, tuple(names), tuple(texts))

    def evaluate(self, values: Mapping[str, Value]) -> bool | None:
        """Whether it is true with these values of its names; None if that is undefined."""
        answer = _evaluate(self.tree, values)
        return None if answer is None else bool(answer)


def _unusable(text: str, fault: str) -> EatlasError:
    return EatlasError(f"an expression cannot be used: {fault}", got=text, allowed=ALLOWED)


def _name_of(node: ast.expr) -> str:
    """A name with its dots; empty of anything else."""
    if isinstance(node, ast.Attribute):
        head = _name_of(node.value)
        return head and f"{head}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _nodes_of(node: ast.expr) -> Iterator[ast.expr]:
    """An operation with all in it; a name is whole."""
    yield node
    for operand in () if _name_of(node) else _operation(node)[1]:
        yield from _nodes_of(operand)


def _operation(node: ast.expr) -> tuple[Operator | None, Sequence[ast.expr]]:
    """The operator of a node and its operands; None if it does not belong to the language."""
    operands: Sequence[ast.expr] = ()
    op: ast.AST = node
    match node:
        case ast.BoolOp(op=op, values=operands):
            pass
        case ast.UnaryOp(op=op, operand=operand):
            operands = [operand]
        case ast.BinOp(left=left, op=op, right=right):
            operands = [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            operands = [left, right]
        case ast.Compare(left=left, ops=ops, comparators=others):  # a chain such as 0 < d < 1
            pairs = zip(ops, pairwise([left, *others]), strict=True)
            op, operands = ast.And(), [ast.Compare(a, [link], [b]) for link, (a, b) in pairs]
        case ast.Call(func=ast.Name(id=name), args=operands, keywords=[]):
            fits = len(operands) == 1 if name == "abs" else len(operands) > 1
            return FUNCTIONS.get(name) if fits else None, operands
    return OPERATORS.get(type(op)), operands


def _kind_of(node: ast.expr, text: str, depth: int = 1) -> Kind:
    """The kind of what a node gives, if it belongs to the language."""
    if depth > DEEPEST:
        raise _unusable(text, f"it is nested more than {DEEPEST} deep")
    if isinstance(node, ast.Constant) and type(node.value) in LITERALS:
        return LITERALS[type(node.value)]
    if name := _name_of(node):
        return _kind_of_name(name, text)
    found, operands = _operation(node)
    if found is None:
        raise _unusable(text, f"“{ast.unparse(node)}” does not belong to the language")
    kinds = [_kind_of(operand, text, depth + 1) for operand in operands]
    for operand, kind in zip(operands, kinds, strict=True):
        if kind != (wanted := found[1] or kinds[0]):
            part = ast.unparse(operand)
            raise _unusable(text, f"“{part}” is {CALLED[kind]}, not {CALLED[wanted]}")
    return found[2]


def _kind_of_name(name: str, text: str) -> Kind:
    """A name with a dot is of a question; others are numbers of measures, or facts."""
    if "." not in name:
        return "text" if name in FACTS else "number"
    places = {place for record in record_types().values() for place in places_of(record)}
    known = [f"{q}.{end}" for q in (*sorted(places), "terms", "targets") for end in ATTRIBUTES]
    if name not in known:
        ends = ", ".join(ATTRIBUTES)
        hint = did_you_mean(name, known) or f"; after level1, level2.X or level2.Y comes {ends}"
        raise _unusable(text, f"no finding has “{name}”{hint}")
    return ATTRIBUTES[name.rpartition(".")[2]]


def _evaluate(node: ast.expr, values: Mapping[str, Value]) -> Value:
    """What a node gives; None if it depends on what is undefined."""
    if isinstance(node, ast.Constant):
        return node.value  # type: ignore[return-value]
    if name := _name_of(node):
        return values[name]
    found, operands = _operation(node)
    function = found[0] if found else _all
    answers = [_evaluate(operand, values) for operand in operands]
    if None in answers and function not in {_all, _any}:
        return None
    try:
        answer = function(*answers)
    except ArithmeticError:  # a division by zero, a number that is too large
        return None
    return None if isinstance(answer, float) and not math.isfinite(answer) else answer
