"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import pkgutil

import pytest

import eatlas

MODULES = [
    info.name
    for info in pkgutil.walk_packages(eatlas.__path__, "eatlas.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["eatlas", *MODULES])
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_public_objects_show_an_example():
    bare = [
        name
        for name in eatlas.__all__
        if callable(getattr(eatlas, name))
        and not isinstance(getattr(eatlas, name), type)
        and ">>>" not in (getattr(eatlas, name).__doc__ or "")
    ]
    assert not bare
