"""GGUF files: read once by a library, whatever is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from eatlas.paths import stamp_of


def gguf_reader(path: str | Path) -> Any:
    """The library's reader of a GGUF file, which takes seconds; the last one is kept."""
    return _gguf_reader(*state_of(path))


def state_of(path: str | Path) -> tuple[Path, tuple[int, ...] | None]:
    """Where a file lies, by whatever path it is named, and what tells it from what it was."""
    real = Path(path).resolve()
    return real, stamp_of(real)


@lru_cache(maxsize=1)
def _gguf_reader(path: Path, _: object) -> Any:
    from gguf.gguf_reader import GGUFReader  # noqa: PLC0415  (not the one that is replaced below)

    return GGUFReader(path)


def forget_gguf() -> None:
    """Let go of the file that was read last."""
    _gguf_reader.cache_clear()


@contextmanager
def one_reading_of_gguf(path: Path) -> Iterator[None]:
    """Let configuration, tokenizer and weights share one reading of a GGUF file, which is slow."""
    if not path.is_file():
        yield
        return
    import gguf  # noqa: PLC0415

    with (
        patch.object(gguf, "GGUFReader", lambda file, *_: gguf_reader(file)),
        patch.object(gguf, "get_tensor_name_map", cache(gguf.get_tensor_name_map)),
    ):
        yield


def gguf_numbers(path: Path) -> dict[str, int]:
    """Whole numbers and truth values among the metadata of a GGUF file."""
    fields = gguf_reader(path).fields.items()
    values = {key: field.contents() for key, field in fields if len(field.types) == 1}
    return {key: value for key, value in values.items() if isinstance(value, int)}
