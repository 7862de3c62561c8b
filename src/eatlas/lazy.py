"""Names of a package that are imported when they are first used, so that importing it is light."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attributes(package: str, *homes: Mapping[str, str], modules: str = "") -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    *homes : mapping of str to str
        From a module to public names that it defines, with blanks between them.
    modules : str
        Public modules of the package, with blanks between them.

    Examples
    --------
    >>> attributes("eatlas", {"eatlas.measures.ml_eat": "MLEAT"})("MLEAT").name
    'ml-eat'
    """
    home = {
        name: module for some in homes for module, names in some.items() for name in names.split()
    }

    def attribute(name: str) -> Any:
        if name in modules.split():
            return import_module(f"{package}.{name}")
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute
