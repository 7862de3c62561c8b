"""FNV-1a, 64 bits: the hash by which the compiled loops know words."""

from __future__ import annotations

FNV_START, FNV_PRIME = 14695981039346656037, 1099511628211
_MASK = (1 << 64) - 1


def fnv64(word: bytes) -> int:
    """Hash a word as the compiled loop does.

    Examples
    --------
    >>> hex(fnv64(b"a"))
    '0xaf63dc4c8601ec8c'
    """
    value = FNV_START
    for byte in word:
        value = ((value ^ byte) * FNV_PRIME) & _MASK
    return value
