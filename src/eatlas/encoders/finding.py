"""Finding a function that a source string names, and calling it, with faults that are its own."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError, described
from eatlas.nearest import nearest

_NOT_THEIRS = (
    "<frozen importlib",
    str(Path(__file__).parent),
    str(Path(importlib.__file__).parent),
)
"""Beginnings of the names of files whose lines say nothing to a user."""


def find_function(module: str, path: str, where: str) -> Callable[..., Any]:
    """Import what a source string names, from sys.path or the working directory.

    Parameters
    ----------
    module, path : str
        Such as ``my_package.my_module`` and ``function``, or ``instance.method``.
    where : str
        Names the source in an error.

    Raises
    ------
    SourceError
        If there is no such module or function, or the module cannot be imported.
    """
    found: Any = _imported(module, where)
    for part in path.split("."):
        if not hasattr(found, part):
            near = nearest(part, _callables(found))
            raise SourceError(
                f"{where}: there is no {part} in {getattr(found, '__name__', described(found))}",
                remedy=f"did you mean {near[0]}?" if near else None,
            )
        found = getattr(found, part)
    if not callable(found) or isinstance(found, type):
        raise SourceError(
            f"{where}: this is no function",
            got=described(found),
            allowed="a function that takes a list of texts and returns a vector for each",
            remedy="make an instance in the module, and name that or its method"
            if isinstance(found, type)
            else None,
        )
    function: Callable[..., Any] = found
    return function


@contextmanager
def working_directory() -> Iterator[None]:
    """Let modules of the working directory be imported, behind all others."""
    here = os.getcwd()  # noqa: PTH109  (a path as sys.path has them)
    added = not {"", here} & set(sys.path)
    if added:
        sys.path.append(here)
    try:
        yield
    finally:
        if added and here in sys.path:
            sys.path.remove(here)


def _imported(module: str, where: str) -> object:
    try:
        with working_directory():
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise _no_module(module, error.name, where) from error
        raise _broken(module, error, where) from error
    except (Exception, SystemExit) as error:
        raise _broken(module, error, where) from error


def _no_module(module: str, name: str, where: str) -> SourceError:
    plain = module.removesuffix(".py")
    return SourceError(
        f"{where}: there is no module {name}",
        allowed="a module that Python can import, or one in the working directory",
        remedy=f"write py:{plain}:FUNCTION, without .py"
        if module != plain
        else f"go to the folder of {name}.py, or add it to PYTHONPATH",
    )


def _broken(module: str, error: BaseException, where: str) -> SourceError:
    return SourceError(f"{where}: the module {module} cannot be imported", got=said_by(error))


def _callables(thing: object) -> list[str]:
    """Names of what can be called in a module or object, but for private ones."""
    names = (name for name in dir(thing) if not name.startswith("_"))
    return [name for name in names if callable(getattr(thing, name, None))]


def said_by(error: BaseException) -> str:
    """An error of a user's own code: its kind, its message, and where it was raised.

    Frames of the import system and of this file are left out.
    """
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_NOT_THEIRS)
    ]
    text = traceback.format_exception_only(error)[-1].strip()
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{text}{place}"
