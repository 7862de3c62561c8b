"""What is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


_OFFERED: dict[str, str] = {}


def offer(**homes: str) -> None:
    """Say where functions are that rooms below use by name; only the package itself says so."""
    _OFFERED.update(homes)


def find_offer(name: str) -> Callable[..., Any]:
    """A function that :func:`offer` names, as ``module:function``."""
    module, _, function = _OFFERED[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def import_torch() -> Any:
    """PyTorch, whose import takes seconds: a source whose vectors are stored does without it."""
    import torch  # noqa: PLC0415

    return torch


def import_transformers() -> Any:
    """The package transformers, whose import takes seconds."""
    import transformers  # noqa: PLC0415

    return transformers


def import_pandas() -> ModuleType:
    """The package pandas, whose import takes half a second: most runs make no frame."""
    import pandas as pd  # noqa: PLC0415

    return pd


def import_narwhals() -> Any:
    """The package narwhals, which few sources need."""
    import narwhals  # noqa: PLC0415

    return narwhals


def as_frame(rows: Iterable[Any], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """A pandas frame of rows."""
    names = None if columns is None else list(columns)
    frame: pd.DataFrame = import_pandas().DataFrame(list(rows), columns=names)
    return frame
