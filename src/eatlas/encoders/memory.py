"""Whether a model fits into memory, before it is loaded."""

from __future__ import annotations

import json
import re
import struct
from math import prod
from pathlib import Path

from eatlas.encoders.files import PICKLED, weight_files
from eatlas.errors import SourceError

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
ROOM = 1.15
"""Of what the weights alone take; MiniLM, 91 MB of weights, takes 8% more with one batch."""
_GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))
_LONGEST_HEADER = 2**27


def number_of_weights(path: Path, known: int | None) -> int | None:
    """Return how many weights a model has: as its card says, or by the headers of its files.

    Returns
    -------
    int or None
        None where the files do not say it.
    """
    if known is not None or path.is_file():
        return known
    names = [file.name for file in path.iterdir()]
    parts = [path / name for name in weight_files(names) if not name.endswith(".json")]
    if not parts:
        return None
    if parts[0].suffix == Path(PICKLED).suffix:
        return sum(part.stat().st_size for part in parts) // BYTES["float32"]
    return sum(_in_safetensors(part) for part in parts)


def require_memory(path: Path, known: int | None, precision: str) -> None:
    """Refuse a model whose weights do not fit into the memory that is free.

    Raises
    ------
    SourceError
        Saying how much is needed and how much there is.
    """
    count, free = number_of_weights(path, known), available()
    if count is None or free is None:
        return
    needed = count * BYTES[precision] * ROOM
    if needed > free:
        raise too_little(path, f"about {needed / 1e9:.1f} GB for {count:,} weights", free)


def too_little(path: Path, needed: str, free: float | None = None) -> SourceError:
    """Say that memory does not suffice."""
    there = "" if free is None else f", and {free / 1e9:.1f} GB are free"
    return SourceError(
        f"{path}: there is not enough memory for this model",
        got=f"it needs {needed}{there}",
        remedy="a smaller model, precision=bfloat16, or a machine with more memory",
    )


def available() -> int | None:
    """Bytes of memory that are free for us; None where the system does not say it."""
    return min((each for each in (_of_machine(), _of_group()) if each is not None), default=None)


def _of_machine() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _of_group() -> int | None:
    """What a container still has."""
    try:
        most, used = (path.read_text(encoding="ascii").strip() for path in _GROUPS)
    except OSError:
        return None
    return int(most) - int(used) if most.isdigit() and used.isdigit() else None


def _in_safetensors(file: Path) -> int:
    try:
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            header = json.loads(opened.read(min(length, _LONGEST_HEADER)))
        shapes: list[list[int]] = [
            entry["shape"] for name, entry in header.items() if name != "__metadata__"
        ]
        return sum(prod(map(int, shape)) for shape in shapes)
    except (
        OSError, struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError
    ) as error:  # fmt: skip
        raise SourceError(
            f"{file}: the head of these weights is damaged",
            got=str(error)[:200],
            remedy="fetch the file again",
        ) from error
