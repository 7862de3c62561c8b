"""A function of the vectors of each group as a measure."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from eatlas.errors import EatlasError, SignatureError, described, join_names
from eatlas.measures.base import Allowed, Input, Measure, is_number, parameter
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.results.embedding_tests import FunctionResult
from eatlas.stimuli.kinds import ROLES

Function = Callable[..., Any]
"""From the vectors of some of X, Y, A and B, by these names, to a number."""
_NAME = re.compile(r"[a-z][\w-]*")
_HASH = Allowed("a hash of source code", lambda value: isinstance(value, str))


@dataclass(frozen=True)
class FunctionMeasure(Measure):
    """A function as a measure of association tests.

    The function gets the unit vectors of X, Y, A and B, as far as these are among the names of its
    arguments: arrays of shape (terms, dimensions). It returns a number, which has no p-value.

    Parameters
    ----------
    code : str
        Hash of the source code of the function, which follows from the function. Empty if the
        source code cannot be read.
    """

    kind: ClassVar[str] = "association"
    minimum: ClassVar = dict.fromkeys(ROLES, 1)
    function: ClassVar[Function]

    code: str = parameter("", _HASH, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        at_hand = _hash_source(self.function)
        if self.code and self.code != at_hand:
            raise SignatureError(
                f"the function of the measure {self.name} has changed",
                got=f"code={self.code}",
                allowed=f"code={at_hand}, the hash of the function as it is now",
                remedy=f"leave out the hash: {self.name}",
            )
        if not self.code:  # scikit-learn clones only what leaves its parameters as they are
            object.__setattr__(self, "code", at_hand)

    def __reduce__(self) -> Any:
        return _make_measure, (self.function, self.name)

    def compute(self, given: Input, notes: list[Note]) -> AssociationResult:
        """Call the function with copies of the vectors that it takes."""
        vectors = {role: given.rows[role].copy() for role in _list_roles(self.function)}
        try:
            found = self.function(**vectors)
        except EatlasError:
            raise
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            shapes = ", ".join(f"{role} {rows.shape}" for role, rows in vectors.items())
            raise EatlasError(
                f"the function {self.name} raises an error",
                got=f"{type(error).__name__}: {error} ({Path(last.filename).name}, line "
                f"{last.lineno})",
                remedy=f"it was given arrays of the shapes {shapes}; call it with such arrays",
            ) from error
        number = found.item() if getattr(found, "shape", None) == () else found
        if not is_number(number):
            raise EatlasError(
                f"the function {self.name} returns no number",
                got=described(found),
                allowed="a number; NaN if it is undefined",
            )
        value = float(number) if math.isfinite(number) else None
        if value is None:
            notes.append(Note("undefined.value", "value", {"measure": self.name}))
        home = f"{self.function.__module__}:{_name_of(self.function)}"
        return FunctionResult(**given.head, measure=self.name, value=value, function=home)


def function_type(function: Function, name: str = "") -> type[FunctionMeasure]:
    """The measure that a function is, under its own name or another.

    Raises
    ------
    SignatureError
        If its arguments are not groups of a test, or it has no name that a signature can have.
    """
    called = (name or _name_of(function)).lower()
    if not _NAME.fullmatch(called):
        raise SignatureError(
            "a measure has a name of letters, digits, - and _",
            got=repr(name) if name else f"a function called {called}",
            remedy='name it: measures={"my-measure": function}',
        )
    _list_roles(function)
    return _make_type(function, called)


@cache  # measures of one function are equal
def _make_type(function: Function, name: str) -> type[FunctionMeasure]:
    """The class of the measure that a function is."""
    fields = {
        "name": name,
        "function": staticmethod(function),
        "__doc__": function.__doc__,
        "__module__": function.__module__,
    }
    return type(name, (FunctionMeasure,), fields)


def _make_measure(function: Function, name: str) -> FunctionMeasure:
    """The measure again, in another process."""
    return _make_type(function, name)()


def _name_of(function: Function) -> str:
    """The name of a function, or the class of another object that can be called."""
    return getattr(function, "__name__", type(function).__name__)


def _list_roles(function: Function) -> list[str]:
    """The groups whose vectors a function takes, in the order of its arguments."""
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of functions in C
        arguments = []
    by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    roles = [arg.name for arg in arguments if arg.name in ROLES and arg.kind in by_name]
    others = [arg for arg in arguments if arg.name not in roles]
    if not roles or any(arg.default is arg.empty for arg in others):
        names = join_names(list(map(str, arguments)))
        raise SignatureError(
            f"the function {_name_of(function)} is no measure: its arguments are not groups",
            got=f"the arguments {names}" if names else "no arguments that can be read",
            allowed="X, Y, A and B, or some of them: arrays of the unit vectors of each group; "
            "others with a default",
        )
    return roles


def _hash_source(function: Function) -> str:
    """Hash of the source of a function; empty if the source cannot be read."""
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    except (OSError, TypeError):
        return ""
    return f"sha256:{sha256(source.encode()).hexdigest()[:16]}"
