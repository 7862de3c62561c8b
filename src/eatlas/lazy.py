"""What is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


_OFFERED: dict[str, str] = {}


def offer(**homes: str) -> None:
    """Say where functions are that rooms below use by name; only the package itself says so."""
    _OFFERED.update(homes)


def offered(name: str) -> Callable[..., Any]:
    """A function that :func:`offer` names, as ``module:function``."""
    module, _, function = _OFFERED[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def import_torch() -> Any:
    """PyTorch, whose import takes seconds: a source whose vectors are kept does without it."""
    import torch  # noqa: PLC0415

    return torch


def as_frame(rows: Iterable[Any], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """A pandas frame of rows; pandas is imported here, since it takes half a second."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(list(rows), columns=None if columns is None else list(columns))
