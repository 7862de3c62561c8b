"""GGUF files are parsed once, and faster, while transformers loads a model from one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import numpy as np


@contextmanager
def read_once() -> Iterator[None]:
    """Let configuration, tokenizer and weights share one reading of the file.

    Transformers parses the file anew for each of them, and makes the table of names of weights
    anew for each module; SmolLM2-135M took 33 s of processor time so, and takes 8 s here. It
    also draws a progress bar that its own switch does not turn off.
    """
    import gguf  # noqa: PLC0415
    from transformers import modeling_gguf_pytorch_utils as converting  # noqa: PLC0415

    class Reader(gguf.GGUFReader):  # type: ignore[misc]
        """Holds the file as a plain array: slices of a memory map are slow, and there are 10^6."""

        @property
        def data(self) -> Any:
            return self._data

        @data.setter
        def data(self, mapped: Any) -> None:
            self._data = np.asarray(mapped)

    with ExitStack() as stack:
        stack.enter_context(_instead(gguf, "GGUFReader", cache(Reader)))
        names = cache(gguf.get_tensor_name_map)
        stack.enter_context(_instead(gguf, "get_tensor_name_map", names))
        stack.enter_context(_instead(converting, "tqdm", _no_bar))
        yield


@contextmanager
def _instead(module: Any, name: str, other: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, before)


def _no_bar(items: Iterable[Any], **_: Any) -> Iterable[Any]:
    return items
