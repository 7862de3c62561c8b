"""MurmurHash64A with seed 1: by this spaCy knows a string."""

from __future__ import annotations

_M = 0xC6A4A7935BD1E995
_R = 47
_MASK = (1 << 64) - 1


def murmur64a(data: bytes, seed: int = 1) -> int:
    """Hash bytes.

    Examples
    --------
    >>> murmur64a(b"coffee")
    3197928453018144401
    """
    value = (seed ^ (len(data) * _M)) & _MASK
    whole = len(data) & ~7
    for at in range(0, whole, 8):
        part = int.from_bytes(data[at : at + 8], "little") * _M & _MASK
        part = (part ^ (part >> _R)) * _M & _MASK
        value = (value ^ part) * _M & _MASK
    if len(data) > whole:
        value = (value ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    value = (value ^ (value >> _R)) * _M & _MASK
    return value ^ (value >> _R)
